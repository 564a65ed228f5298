import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { UserError } from "../../../src/core/error.ts";
import { commandKey } from "../../../src/provider/endpoint/key.ts";
import { printedKey } from "../../../src/provider/endpoint/key_command.ts";
import { createPost } from "../../../src/provider/endpoint/post.ts";
import { until } from "../../helpers/until.ts";

const never = new AbortController().signal;
const sh = (line: string): readonly string[] => ["/bin/sh", "-c", line];

/** A command that prints `key-1` when it first runs, then `key-2`, …; and how often it ran. */
async function withCounter(work: (line: string, runs: () => number) => Promise<void>): Promise<void> {
  const folder = Deno.makeTempDirSync({ prefix: "sp-key-" });
  const file = join(folder, "runs");
  Deno.writeTextFileSync(file, "");
  try {
    await work(
      `echo x >> ${file}; echo "key-$(wc -l < ${file} | tr -d ' ')"`,
      () => Deno.readTextFileSync(file).split("\n").length - 1,
    );
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** A server that takes one key; what it was asked with. */
async function withServer(
  key: string,
  work: (baseUrl: string, seen: string[]) => Promise<void>,
): Promise<void> {
  const seen: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    await request.text();
    const sent = `${request.headers.get("authorization") ?? request.headers.get("x-api-key") ?? ""}`;
    seen.push(`${new URL(request.url).search} ${sent}`.trim());
    return sent.endsWith(key) ? new Response("fine") : new Response("no", { status: 401 });
  });
  try {
    await work(`http://127.0.0.1:${server.addr.port}/v1`, seen);
  } finally {
    await server.shutdown();
  }
}

Deno.test("a command's key is printed once, and once more when it is refused", () =>
  withCounter((line, runs) =>
    withServer("key-2", async (baseUrl, seen) => {
      const key = commandKey(sh(line));
      const post = createPost({ baseUrl, apiKey: "", key, model: "m" });
      assertEquals(runs(), 0, "nothing runs before it is needed");
      const answer = await post("/chat/completions", { a: 1 }, never);
      assertEquals([await answer.text(), runs()], ["fine", 2]);
      assertEquals(await (await post("/chat/completions", { a: 1 }, never)).text(), "fine");
      assertEquals([runs(), seen], [2, ["Bearer key-1", "Bearer key-2", "Bearer key-2"]]);
      assertEquals(key.secrets, ["key-1", "key-2"]);
    })
  ));

Deno.test("a refused key is asked for once more and no oftener, and the same one is not sent again", () =>
  withServer("other", async (baseUrl, seen) => {
    await withCounter(async (line, runs) => {
      const post = createPost({ baseUrl, apiKey: "", key: commandKey(sh(line)), model: "m" });
      await assertRejects(() => post("/chat/completions", {}, never));
      assertEquals([runs(), seen.splice(0)], [2, ["Bearer key-1", "Bearer key-2"]]);
    });
    const post = createPost({ baseUrl, apiKey: "", key: commandKey(["/bin/echo", "same"]), model: "m" });
    await assertRejects(() => post("/chat/completions", {}, never));
    assertEquals(seen, ["Bearer same"]);
  }));

Deno.test("requests at the same time share one run, and one renewal", () =>
  withCounter((line, runs) =>
    withServer("key-2", async (baseUrl) => {
      const post = createPost({ baseUrl, apiKey: "", key: commandKey(sh(line)), model: "m" });
      const answers = await Promise.all([1, 2, 3].map((n) => post("/chat/completions", { n }, never)));
      assertEquals(await Promise.all(answers.map((answer) => answer.text())), ["fine", "fine", "fine"]);
      assertEquals(runs(), 2);
    })
  ));

Deno.test("createPost() puts a key where the provider wants it, and its query behind the path", () =>
  withServer("k", async (baseUrl, seen) => {
    const query = { "api-version": "2024-10-21" };
    const post = createPost({ baseUrl, apiKey: "k", keyHeader: "x-api-key", query, model: "m" });
    await (await post("/chat/completions", {}, never)).text();
    assertEquals(seen, ["?api-version=2024-10-21 k"]);
  }));

const FAILURES: readonly (readonly [name: string, command: readonly string[], why: RegExp])[] = [
  ["is not there", ["/nonexistent/tool"], /no such program/],
  ["fails", sh("echo sk-secret; echo sk-secret >&2; exit 3"), /ended with 3/],
  ["prints nothing", sh("true"), /printed nothing/],
  ["prints a page", sh("echo sk-secret is the key"), /more than one word/],
  ["prints without an end", sh("while :; do echo sk-secret-sk-secret-sk-secret; done"), /more than a key/],
];
for (const [name, command, why] of FAILURES) {
  Deno.test(`a command for the key that ${name} is told of, without what it said`, async () => {
    const error = await assertRejects(() => printedKey(command, undefined), UserError);
    assert(why.test(error.why), error.why);
    assert(!JSON.stringify([error.what, error.why, error.fix, error.stack]).includes("sk-secret"));
  });
}

Deno.test("a command for the key ends with all that it started, when it takes too long or is not wanted any more", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "sp-key-" });
  const file = join(folder, "pid");
  const line = `sleep 600 & echo $! > ${file}; wait`;
  const ended = (): Promise<void> =>
    until(() => {
      const pid = Deno.readTextFileSync(file).trim();
      const state = readState(pid);
      return state === undefined || state === "Z";
    });
  try {
    await assertRejects(() => printedKey(sh(line), undefined, 1000), UserError, "longer than 1 seconds");
    await ended();
    Deno.removeSync(file);
    const stop = new AbortController();
    const running = printedKey(sh(line), stop.signal);
    await until(() =>
      Deno.readDirSync(folder).some(({ name }) => name === "pid") && Deno.readTextFileSync(file) !== ""
    );
    stop.abort(new Error("not wanted"));
    await assertRejects(() => running, Error, "not wanted");
    await ended();
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

/** The state of a process in `/proc`, which the tests' own process may not read; nothing where it is gone. */
function readState(pid: string): string | undefined {
  const { stdout } = new Deno.Command("cat", { args: [`/proc/${pid}/stat`], stderr: "null" }).outputSync();
  return /^\d+ \(.*\) (\w)/.exec(new TextDecoder().decode(stdout))?.[1];
}

Deno.test("a secret that stands before the program in a line for the shell is in no message", async () => {
  for (const line of ["PASS=hunter2 false", "PASS='hunter2 b' false", '"hunter2" x', "$(hunter2)"]) {
    const error = await assertRejects(() => printedKey(sh(line), never), UserError);
    assertEquals(
      [`${error.what} ${error.why} ${error.fix}`.includes("hunter2"), error.what.endsWith("for the shell")],
      [
        false,
        true,
      ],
    );
    assertEquals(commandKey(sh(line)).origin, "the command for the shell");
  }
  assertEquals(commandKey(sh(" ~/bin/vault-key --read x")).origin, "the command ~/bin/vault-key");
});
