import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import { readStdin, type StdinWait } from "../../../src/cli/input/stdin.ts";
import { cassette, inWorkspace, PROGRAM, run, start } from "../../helpers/program.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Reads a stream; gives the text and the warnings. */
async function read(
  stream: ReadableStream<Uint8Array>,
  wait: Omit<StdinWait, "warn">,
): Promise<{ readonly text: string; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const text = await readStdin(stream, { ...wait, warn: (line) => warnings.push(line) });
  return { text, warnings };
}

/** A stream that stays open; `write` puts text into it. */
function open(): {
  readonly stream: ReadableStream<Uint8Array>;
  readonly write: (text: string) => void;
  close(): void;
} {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const stream = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
  return {
    stream,
    write: (text) => controller.enqueue(bytes(text)),
    close: () => controller.close(),
  };
}

Deno.test("readStdin() joins characters that were cut between chunks", async () => {
  const all = bytes("grün");
  const stream = ReadableStream.from([all.subarray(0, 3), all.subarray(3)]);
  assertEquals(await read(stream, { hasMessage: true }), { text: "grün", warnings: [] });
});

Deno.test("readStdin() rejects more than a task can hold", async () => {
  const chunk = new Uint8Array(1024 * 1024);
  const stream = ReadableStream.from(Array(9).fill(chunk));
  await assertRejects(() => read(stream, { hasMessage: false }), UserError, "more than");
});

Deno.test("readStdin() goes on without open standard input beside a message, and says so", async () => {
  const { text, warnings } = await read(open().stream, { hasMessage: true, firstByteMs: 20 });
  assertEquals(text, "");
  assertEquals(warnings.length, 1);
  assertStringIncludes(warnings[0] ?? "", "standard input was not read");
  assertStringIncludes(warnings[0] ?? "", "</dev/null");
});

Deno.test("readStdin() reads to the end after the first byte, however long that takes, and says that it waits for the first", async () => {
  const pipe = open();
  const warnings: string[] = [];
  const reading = readStdin(pipe.stream, {
    ...{ hasMessage: true, firstByteMs: 60_000 },
    warn: (line) => {
      warnings.push(line);
      pipe.write("one ");
      // Longer than the wait for the first byte would be.
      setTimeout(() => (pipe.write("two"), pipe.close()), 50);
    },
  });
  assertEquals(await reading, "one two");
  assertEquals(warnings.length, 1);
  assertStringIncludes(warnings[0] ?? "", "waiting up to 60 s for standard input");
});

Deno.test("readStdin() does not say that nothing came after the first byte, however slow the rest is", async () => {
  const pipe = open();
  pipe.write("begun");
  const warnings: string[] = [];
  // Longer than the time after which an empty input is mentioned.
  const wait = { hasMessage: true, timeoutMs: 1_500, warn: (line: string): void => void warnings.push(line) };
  await assertRejects(() => readStdin(pipe.stream, wait), UserError);
  assertEquals(warnings, []);
});

Deno.test("readStdin() without a message waits for the task, and --timeout bounds that: exit code 4", async () => {
  for (const hasMessage of [false, true]) {
    const pipe = open();
    pipe.write("begun");
    const error = await assertRejects(() => read(pipe.stream, { hasMessage, timeoutMs: 20 }), UserError);
    assertEquals([error.exitCode, error.what], [4, "The run is out of time"]);
    assertStringIncludes(error.fix, "</dev/null");
  }
});

/** Runs a task whose standard input is a pipe that nobody writes to, unless `text` is given. */
async function task(
  args: readonly string[],
  text?: string,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  let ran = { code: -1, stdout: "", stderr: "" };
  await inWorkspace({}, async ({ ws, home }) => {
    const expect = text === undefined ? {} : { expect: [`<stdin>\n${text}\n</stdin>`] };
    const model = cassette(home, [{ text: "Done.", ...expect }]);
    const child = start(PROGRAM, ["-p", "--no-session", "-m", `replay:${model}`, ...args], {
      ...{ cwd: ws, env: { HOME: home }, stdin: "" },
    });
    const writer = child.stdin.getWriter();
    if (text !== undefined) {
      await writer.write(bytes(text));
      await writer.close();
    }
    const { code, stdout, stderr } = await child.output();
    const decoder = new TextDecoder();
    ran = { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
    if (text === undefined) await writer.close().catch(() => {});
  });
  return ran;
}

Deno.test("a task with a message and a pipe that stays open is done without the pipe, with a warning", async () => {
  const { code, stdout, stderr } = await task(["--stdin-wait", "200ms", "hi"]);
  assertEquals([code, stdout], [0, "Done.\n"], stderr);
  assertStringIncludes(stderr, "standard input was not read");
});

Deno.test("what a pipe brings after the first byte belongs to the task", async () => {
  const { code, stderr } = await task(["--stdin-wait", "30s", "review"], "a diff");
  assertEquals(code, 0, stderr);
  assert(!stderr.includes("not read"), stderr);
});

Deno.test("--timeout counts the wait for standard input, with and without a message", async () => {
  for (const words of [[], ["--stdin-wait", "10m", "hi"]]) {
    const { code, stdout, stderr } = await task(["--timeout", "500ms", ...words]);
    assertEquals([code, stdout], [4, ""], stderr);
    assertStringIncludes(stderr, "The run is out of time");
  }
});

Deno.test("standard input that cannot be read is an error of the user, with what to do", () =>
  inWorkspace({}, async ({ ws, home }) => {
    const model = `replay:${cassette(home, [{ text: "not asked" }])}`;
    const through = ["sh", "-c", 'exec "$@" < .', "sh", ...PROGRAM.command];
    const program = { name: PROGRAM.name, command: through };
    const { code, stderr } = await run(program, ["-p", "--no-session", "-m", model, "go"], {
      cwd: ws,
      env: { HOME: home },
    });
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, "error: Cannot read standard input\n  why: it is a folder\n  fix: Add </dev/null");
  }));
