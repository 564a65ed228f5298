import { assert, assertEquals } from "@std/assert";
import { serveGated } from "../helpers/gated_server.ts";
import { cassette, events, inWorkspace, type Program, start } from "../helpers/program.ts";
import { IS_NIGHTLY } from "../helpers/rounds.ts";
import { callReply } from "../helpers/server.ts";
import { until } from "../helpers/until.ts";

const SIGNALS = [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129], ["SIGQUIT", 131]] as const;
/** Moments after the start of the process, milliseconds. */
const FROM_START = [0, 100, 200, 300, 500, 900];
/** Moments after the first thing that a run leaves on the disk, its temporary folder: the request is not out yet. */
const FROM_FOLDER = [0, 5, 10, 20, 30, 40, 60, 90, 150];
/** Longest time in which a signal may end a run, also on a busy machine, milliseconds. */
const AT_ONCE_MS = 8000;

/** What a signal does at every moment of a run: the program ends with the signal's code, and nothing is left of it. */
export function signals(program: Program): void {
  const test = (name: string, work: () => Promise<void>): void => Deno.test(`${program.name}: ${name}`, work);
  const MODES = [
    { name: "text", args: ["-p", "go"] },
    { name: "json", args: ["--mode", "json", "go"] },
    { name: "rpc", args: ["--mode", "rpc", "go"] },
  ] as const;

  for (const [index, { name, args }] of MODES.entries()) {
    test(`a signal at any moment before the answer ends ${name} mode, and nothing runs R243 R503`, async () => {
      await inWorkspace({}, async ({ ws, home, outside }) => {
        await using server = serveGated([[
          { gate: "never" },
          ...callReply({ name: "bash", args: { command: "touch ran" } }),
        ]]);
        const moments = [
          ...FROM_START.map((ms) => ({ ms, isOpening: false })),
          ...FROM_FOLDER.map((ms) => ({ ms, isOpening: true })),
        ];
        for (const [at, { ms, isOpening }] of moments.entries()) {
          // Each moment in one mode or in two; all in each by night.
          if (at % 2 !== index % 2 && !IS_NIGHTLY) continue;
          const [signal, code] = SIGNALS[(at + index) % SIGNALS.length] ?? SIGNALS[0];
          const env = { HOME: home, TMPDIR: outside, OPENAI_BASE_URL: server.baseUrl };
          const child = begin(program, [...args.slice(0, -1), "-m", "m", "-q", ...args.slice(-1)], {
            cwd: ws,
            env,
            stdin: "",
          });
          const stdin = name === "rpc" ? undefined : child.stdin.close();
          if (isOpening) await until(() => [...Deno.readDirSync(outside)].length > 0);
          await new Promise((later) => setTimeout(later, ms));
          const ended = await endedBy(child, signal);
          assertEquals(ended.code, code, `${signal} after ${ms} ms${isOpening ? " of opening" : ""}: ${ended.stderr}`);
          await stdin?.catch(() => {});
          if (name === "rpc") await child.stdin.close().catch(() => {});
          if (isOpening) await nothingLeft(outside);
        }
        await nothingLeft(outside);
        assertEquals([...Deno.readDirSync(ws)], []);
      });
    });
  }

  for (const mode of [["-p"], ["--mode", "json"]]) {
    test(`a signal while standard input is open ends ${mode.join(" ")}, with or without an end of the input`, async () => {
      await inWorkspace({}, async ({ ws, home, outside }) => {
        await using server = serveGated([callReply({ name: "bash", args: { command: "touch ran" } })]);
        const env = { HOME: home, TMPDIR: outside, OPENAI_BASE_URL: server.baseUrl };
        for (const isClosed of [false, true]) {
          for (const [signal, code] of SIGNALS) {
            const child = begin(program, [...mode, "-m", "m", "-q", "go"], { cwd: ws, env, stdin: "" });
            const writer = child.stdin.getWriter();
            await writer.write(new TextEncoder().encode("half a task"));
            await until(() => [...Deno.readDirSync(outside)].length > 0);
            await new Promise((later) => setTimeout(later, 300));
            const ending = endedBy(child, signal);
            // As Ctrl+C does to a pipeline: whoever writes ends, too.
            if (isClosed) await writer.close().catch(() => {});
            const ended = await ending;
            if (!isClosed) await writer.close().catch(() => {});
            assertEquals([ended.code, ended.stderr], [code, ""], signal);
            await nothingLeft(outside);
          }
        }
        assertEquals([server.requests, [...Deno.readDirSync(ws)]], [[], []]);
      });
    });
  }

  test("a signal while an extension is loaded, holds the text or runs its command ends the run", async () => {
    const hang = "await new Promise((end) => setTimeout(end, 25000));";
    const on = (event: string): string => `pi.on("${event}", async () => { ${hang} });`;
    const places = [
      { body: hang, text: "go" },
      { body: on("session_start"), text: "go" },
      { body: on("input"), text: "go" },
      { body: on("before_agent_start"), text: "go" },
      { body: `pi.registerCommand("slow", { handler: async () => { ${hang} } });`, text: "/slow" },
    ];
    for (const { body, text } of places) {
      await inWorkspace({}, async ({ ws, home, outside }) => {
        Deno.writeTextFileSync(`${home}/slow.ts`, `export default async (pi) => { ${body} };\n`);
        const replies = cassette(home, [{ text: "x", delayMs: 60_000 }]);
        const args = ["--mode", "json", "-q", "-e", `${home}/slow.ts`, "-m", `replay:${replies}`, text];
        const child = begin(program, args, { cwd: ws, env: { HOME: home, TMPDIR: outside } });
        await until(() => [...Deno.readDirSync(outside)].length > 0);
        await new Promise((later) => setTimeout(later, 700));
        const ended = await endedBy(child, "SIGINT");
        const said = events(ended.stdout).flatMap(({ message }) =>
          message?.role === "assistant" ? [message.content] : []
        );
        assertEquals([ended.code, said.flat()], [130, []], body + ended.stderr);
        await nothingLeft(outside);
      });
    }
  });

  test("a signal between two turns and in a tool call: the last event says so, and no further turn begins", async () => {
    for (const [signal, code] of SIGNALS) {
      await inWorkspace({}, async ({ ws, home, outside }) => {
        const touch = (name: string, after = "") => ({ name: "bash", args: { command: `touch ${name}${after}` } });
        const replies = cassette(home, [
          { calls: [touch("first")] },
          {
            calls: [touch("second", signal === "SIGTERM" ? "; sleep 60" : "")],
            delayMs: signal === "SIGTERM" ? 0 : 60_000,
          },
          { text: "x" },
        ]);
        const env = { HOME: home, TMPDIR: outside };
        const child = begin(program, ["--mode", "json", "-m", `replay:${replies}`, "go"], { cwd: ws, env });
        await until(() => exists(`${ws}/${signal === "SIGTERM" ? "second" : "first"}`));
        const ended = await endedBy(child, signal);
        const last = events(ended.stdout).at(-1);
        assertEquals([ended.code, last.type, last.outcome, last.exitCode], [code, "run_report", "aborted", code]);
        await nothingLeft(outside);
      });
    }
  });

  test("a signal that was ignored at the start stays ignored, in each mode", async () => {
    for (const mode of [["-p"], ["--mode", "json"]]) {
      await inWorkspace({}, async ({ ws, home, outside }) => {
        const command = "touch begun; while [ ! -e go ]; do sleep 0.02; done; touch done";
        const replies = cassette(home, [{ calls: [{ name: "bash", args: { command } }] }, { text: "went on" }]);
        const env = { HOME: home, TMPDIR: outside };
        const child = startIgnoring(program, [...mode, "-m", `replay:${replies}`, "go"], { cwd: ws, env });
        const output = child.output();
        await until(() => exists(`${ws}/begun`));
        for (const [signal] of SIGNALS) child.kill(signal);
        Deno.writeTextFileSync(`${ws}/go`, "");
        const { code, stdout, stderr } = await output;
        const [said, warned] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
        assertEquals([code, said?.includes("went on"), exists(`${ws}/done`)], [0, true, true], warned);
      });
    }
  });

  test("a terminal that is closed sends SIGHUP more than once: the program ends in good order", async () => {
    await inWorkspace({}, async ({ ws, home, outside }) => {
      const command = "trap '' TERM; touch begun; while :; do sleep 0.1; done";
      const replies = cassette(home, [{ calls: [{ name: "bash", args: { command } }] }, { text: "x" }]);
      const env = { HOME: home, TMPDIR: outside };
      const child = begin(program, ["--mode", "json", "-m", `replay:${replies}`, "go"], { cwd: ws, env });
      await until(() => exists(`${ws}/begun`));
      child.kill("SIGHUP");
      const ended = await endedBy(child, "SIGHUP");
      const last = events(ended.stdout).at(-1);
      assertEquals([ended.code, last.type, last.exitCode], [129, "run_report", 129], ended.stderr);
      await nothingLeft(outside);
    });
  });

  test("a second signal ends at once and leaves no temporary folder", async () => {
    for (const mode of [["-p"], ["--mode", "json"], ["--mode", "rpc"]]) {
      await inWorkspace({}, async ({ ws, home, outside }) => {
        const command = "trap '' TERM INT HUP; touch begun; while :; do sleep 0.1; done";
        const replies = cassette(home, [{ calls: [{ name: "bash", args: { command } }] }, { text: "x" }]);
        const env = { HOME: home, TMPDIR: outside };
        const child = begin(program, [...mode, "-m", `replay:${replies}`, "go"], { cwd: ws, env, stdin: "" });
        const closing = mode.includes("rpc") ? undefined : child.stdin.close();
        await until(() => exists(`${ws}/begun`));
        child.kill("SIGTERM");
        const ended = await endedBy(child, "SIGINT");
        await (closing ?? child.stdin.close()).catch(() => {});
        assert([130, 143].includes(ended.code), `${ended.code} ${ended.stderr}`);
        await nothingLeft(outside);
      });
    }
  });
}

/** Starts a program with signals ignored, as `nohup` and `command &` of a script do. */
function startIgnoring(program: Program, args: readonly string[], options: Parameters<typeof start>[2]) {
  const ignoring = {
    ...program,
    command: ["sh", "-c", `trap '' HUP INT QUIT TERM; exec "$@"`, "sh", ...program.command],
  };
  return start(ignoring, args, options);
}

/** What a program prints is read from its start: one event can be larger than a pipe. */
const printed = new WeakMap<Deno.ChildProcess, Promise<[stdout: string, stderr: string]>>();

function begin(...given: Parameters<typeof start>): Deno.ChildProcess {
  const child = start(...given);
  printed.set(child, Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]));
  return child;
}

/** Sends a signal and waits for the end, which must come soon. */
async function endedBy(child: Deno.ChildProcess, signal: Deno.Signal) {
  const from = performance.now();
  child.kill(signal);
  const timer = setTimeout(() => child.kill("SIGKILL"), 3 * AT_ONCE_MS);
  const { code } = await child.status;
  clearTimeout(timer);
  const [stdout = "", stderr = ""] = await printed.get(child) ?? [];
  const ms = performance.now() - from;
  assert(ms < AT_ONCE_MS, `${signal} took ${ms} ms`);
  return { code, stdout, stderr };
}

/** Only commands that were ended a moment ago may still hold something. */
async function nothingLeft(folder: string): Promise<void> {
  await until(
    () => [...Deno.readDirSync(folder)].length === 0,
    () => [...Deno.readDirSync(folder)].map(({ name }) => name).join(),
  );
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
