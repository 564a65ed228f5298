import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import type { JsonObject } from "../../src/core/json.ts";
import { textOf } from "../../src/core/message.ts";
import type { Policy } from "../../src/core/policy.ts";
import { deframer, frame } from "../../src/core/framing.ts";
import type { Runner } from "../../src/sandbox/runner_client/runner_client.ts";
import { openRunner } from "../helpers/open_runner.ts";
import { runnerArgv } from "../../src/sandbox/runner_client/process.ts";
import { type Self, thisProgram } from "../../src/sandbox/confine/self.ts";
import { probe, REFUSED } from "./probe.ts";
import { policyFor, scope, type World, world } from "./world.ts";

const SCRIPT = new URL("../../src/runner/worker.ts", import.meta.url);
const SELF = thisProgram();

async function withRunner(
  policy: Policy,
  work: (
    call: (name: string, args: JsonObject) => Promise<{ error: boolean; text: string }>,
    runner: Runner,
  ) => Promise<void>,
  self: Self = SELF,
  watch: { checkPaths?: boolean } = {},
): Promise<void> {
  const runner = openRunner(policy, self, SCRIPT, watch);
  const signal = new AbortController().signal;
  try {
    await work(async (name, args) => {
      const { content, isError } = await runner.call({ name, args }, { signal, onUpdate: () => {} });
      return { error: isError === true, text: textOf(content) };
    }, runner);
  } finally {
    await runner.close();
  }
}

const content = (place: World, name: string): string => Deno.readTextFileSync(`${place.root}/${name}`);

Deno.test("runRunner() reads and writes in the scope R451 R453", async () => {
  using place = world();
  await withRunner(policyFor(place.root), async (call) => {
    const read = await call("read", { path: "a.txt" });
    assertEquals(read.error, false);
    assertStringIncludes(read.text, "inside");
    assertEquals((await call("write", { path: "deep/b.txt", content: "new\n" })).error, false);
    assertEquals(content(place, "deep/b.txt"), "new\n");
    assertEquals(
      (await call("edit", { path: "a.txt", edits: [{ oldText: "inside", newText: "changed" }] })).error,
      false,
    );
    assertEquals(content(place, "a.txt"), "changed\n");
  });
});

Deno.test("runRunner() is refused by Deno alone outside the scope, and the model reads why R452 R454 R472 R480", async () => {
  using place = world();
  const secret = `${place.outside}/secret.txt`;
  await withRunner(
    policyFor(place.root),
    async (call) => {
      for (const path of [secret, "../outside/secret.txt", "/etc/passwd"]) {
        const real = path.startsWith("..") ? secret : path;
        for (
          const [name, args] of [
            ["read", { path }],
            ["write", { path, content: "x" }],
            ["edit", { path, edits: [{ oldText: "secret", newText: "x" }] }],
          ] as const
        ) {
          const { error, text } = await call(name, args);
          assertEquals(error, true);
          assertMatch(text, /NotCapable/);
          assertStringIncludes(text, real);
          assertMatch(text, /Only the user can \w+ it, with --allow-(read|write)=/);
          assertEquals(/\n\s+at |\.ts:\d/.test(text), false);
        }
      }
      assertEquals(Deno.readTextFileSync(secret), "secret\n");
    },
    SELF,
    { checkPaths: false },
  );
});

Deno.test("runRunner() refuses the same with the tools' own checks on", async () => {
  using place = world();
  await withRunner(policyFor(place.root), async (call) => {
    for (const path of [`${place.outside}/secret.txt`, "/etc/passwd", "../outside/secret.txt"]) {
      assertMatch((await call("read", { path })).text, /outside the read scope/);
      assertMatch((await call("write", { path, content: "x" })).text, /outside the write scope/);
    }
  });
});

Deno.test("runRunner() without a write scope has no write and no edit R455", async () => {
  using place = world();
  await withRunner(policyFor(place.root, { write: scope() }), async (call) => {
    for (const name of ["write", "edit"]) {
      const { error, text } = await call(name, { path: "a.txt", content: "x", edits: [] });
      assertEquals(error, true);
      assertMatch(text, new RegExp(`Tool "${name}" is not available: the user did not grant write`));
    }
    assertEquals((await call("read", { path: "a.txt" })).error, false);
    assertEquals(content(place, "a.txt"), "inside\n");
  });
});

Deno.test("runRunner() has no bash: what runs programs is of another place R456", async () => {
  using place = world();
  await withRunner(policyFor(place.root, { run: { all: true, list: [] } }), async (call) => {
    assertMatch((await call("bash", { command: "id" })).text, /Tool "bash" is not available/);
  });
});

Deno.test("the probe finds every door open where nothing confines it", async () => {
  using place = world();
  const found = await probe(place.outside);
  assertEquals([found["readOutside"], found["envOne"], found["ffi"]], ["allowed", "allowed", "allowed"]);
});

Deno.test("the runner's process has no environment, network, programs or foreign functions R464 R466 R470", async () => {
  using place = world();
  const script = fromFileUrl(new URL("./probe_process.ts", import.meta.url));
  const self = {
    ...SELF,
    args: [...SELF.args.slice(0, -1), script],
    env: { ...SELF.env, OPENAI_API_KEY: "sk-secret" },
  };
  await withRunner(policyFor(place.root), async (call) => {
    assertEquals(JSON.parse((await call("probe", { outside: place.outside })).text), REFUSED);
  }, self);
});

Deno.test("the runner's process gets none of the host's variables R466", async () => {
  using place = world();
  Deno.env.set("OPENAI_API_KEY", "sk-secret-of-the-host");
  try {
    await withRunner(policyFor(place.root), async (call, { pid }) => {
      await call("read", { path: "a.txt" });
      // Deno itself keeps /proc to processes with all permissions.
      const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/environ`] }).output();
      const names = new TextDecoder().decode(stdout).split("\0").map((entry) => entry.split("=")[0]);
      assertEquals(names.filter(Boolean).sort(), Object.keys(SELF.env).sort());
    });
  } finally {
    Deno.env.delete("OPENAI_API_KEY");
  }
});

Deno.test("runnerArgv() gives the scope and nothing else as flags, and asks no question R472", () => {
  const self = {
    ...SELF,
    program: "/bin/deno",
    args: ["run", "-A", "--no-prompt", "--allow-net", "--config", "/p", "/m.ts"],
  };
  const policy = policyFor("/w", { read: scope("/w", "/a"), denyRead: ["/w/.ssh"], protected: ["/w/.git"] });
  assertEquals(runnerArgv(policy, self), [
    ...["/bin/deno", "run", "--config", "/p", "--no-prompt", "--deny-import"],
    ...["--allow-read=/w,/a", "--allow-write=/w"],
    ...["--deny-read=/w/.ssh", "--deny-write=/w/.git", "/m.ts", "--internal-runner"],
  ]);
  assertEquals(runnerArgv(policyFor("/w", { read: { all: true, list: [] }, write: scope() }), self), [
    ...[
      "/bin/deno",
      "run",
      "--config",
      "/p",
      "--no-prompt",
      "--deny-import",
      "--allow-read",
      "/m.ts",
      "--internal-runner",
    ],
  ]);
  assertEquals(runnerArgv(policy, { ...self, args: [], standalone: true }), ["/bin/deno", "--internal-runner"]);
  const comma = policyFor("/w", { protected: ["/w/a,b"] });
  assertEquals(runnerArgv(comma, self), ["/bin/deno", ...self.args, "--internal-runner"]);
});

// Everything is granted to the process itself here, as it is in the compiled binary.
Deno.test("runRunner() with all permissions gives a worker the scope, whatever the names in it R464", async () => {
  using place = world();
  const odd = `${place.root}/x,y`;
  Deno.mkdirSync(odd);
  Deno.writeTextFileSync(`${odd}/a.txt`, "comma\n");
  await withRunner(
    policyFor(odd),
    async (call) => {
      assertStringIncludes((await call("read", { path: "a.txt" })).text, "comma");
      assertEquals((await call("write", { path: "b.txt", content: "x" })).error, false);
      assertMatch((await call("read", { path: "../a.txt" })).text, /NotCapable/);
      assertMatch((await call("write", { path: "../a.txt", content: "x" })).text, /NotCapable/);
      assertEquals(content(place, "a.txt"), "inside\n");
    },
    WIDE,
    { checkPaths: false },
  );
});

/** The same process with all permissions, whose tools are in a worker. */
const WIDE: Self = { ...SELF, args: SELF.args.toSpliced(1, 0, "--unstable-worker-options") };
const WIDE_ARGV = [WIDE.program, ...WIDE.args, "--internal-runner"];

/** Runs the runner's process on raw bytes and gives back how it ended and what it said. */
async function raw(
  place: World,
  lines: readonly string[],
  argv = runnerArgv(policyFor(place.root), SELF),
): Promise<{ code: number; answers: string[]; errors: string }> {
  const [program = "", ...args] = argv;
  const pipes = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
  const child = new Deno.Command(program, { args, env: SELF.env, clearEnv: true, ...pipes }).spawn();
  const writer = child.stdin.getWriter();
  for (const line of lines) await writer.write(new TextEncoder().encode(line)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  return { code, answers: deframer()(stdout), errors: new TextDecoder().decode(stderr) };
}

Deno.test("runRunner() ends with its input, and at once with a host that breaks the protocol", async () => {
  using place = world();
  assertEquals(await raw(place, []), { code: 0, answers: [], errors: "" });
  for (const line of ["hello\n", '{"v":1,"id":"a","op":"tool","name":"read","args":{}}\n', "x".repeat(2 ** 20 + 1)]) {
    const { code, answers, errors } = await raw(place, [line]);
    assertEquals([code, answers], [76, []]);
    assertMatch(errors, /^the host broke the protocol: [\w ]+\n$/);
  }
  const text = JSON.stringify({ v: 1, id: "h", op: "hello", policy: policyFor(place.root) });
  const { answers } = await raw(place, frame(text).map((line) => new TextDecoder().decode(line)));
  assertEquals(answers, ['{"v":1,"id":"h","ok":{"content":[]}}']);
});

Deno.test("runRunner() with all permissions ends alike, whichever thread reads", async () => {
  using place = world();
  const hello = `${HELLO(place)}\n`;
  assertEquals(await raw(place, [], WIDE_ARGV), { code: 0, answers: [], errors: "" });
  assertEquals(await raw(place, [hello.slice(0, 40), hello.slice(40)], WIDE_ARGV), {
    code: 0,
    answers: ['{"v":1,"id":"h","ok":{"content":[]}}'],
    errors: "",
  });
  for (const lines of [["hello\n"], [hello, "{}\n"], [`${hello}{}\n`], [hello, "x".repeat(2 ** 20 + 1)]]) {
    const { code, errors } = await raw(place, lines, WIDE_ARGV);
    assertEquals(code, 76, lines.map((line) => line.slice(0, 20)).join());
    assertMatch(errors, /^the host broke the protocol: [^\n]+\n$/);
  }
});

for (const [form, self] of [["its scope as flags", SELF], ["all permissions", WIDE]] as const) {
  Deno.test(`runRunner() with ${form} answers and can be cancelled while a call is under way`, async () => {
    using place = world();
    const stop = new AbortController();
    // An odd name is what lets a runner with all permissions be one.
    const root = form === "all permissions" ? `${place.root}/x,y` : place.root;
    Deno.mkdirSync(root, { recursive: true });
    Deno.writeTextFileSync(`${root}/a.txt`, "inside\n");
    const runner = openRunner(policyFor(root), self, SCRIPT);
    const options = (signal: AbortSignal) => ({ signal, onUpdate: () => {} });
    try {
      const slow = runner.call({ name: "bash", args: { command: "sleep 60" } }, options(stop.signal));
      for (let i = 0; i < 3; i++) {
        const { content } = await runner.call(
          { name: "read", args: { path: "a.txt" } },
          options(new AbortController().signal),
        );
        assertEquals(textOf(content), "inside");
      }
      const pid = runner.pid;
      stop.abort();
      assertEquals(textOf((await slow).content), "Operation aborted");
      await runner.call({ name: "read", args: { path: "a.txt" } }, options(new AbortController().signal));
      // It obeyed: one that does not is replaced after its time of grace.
      await new Promise((resolve) => setTimeout(resolve, 2500));
      assertEquals(runner.pid, pid);
    } finally {
      await runner.close();
    }
  });
}

Deno.test("runRunner() with all permissions ends without its host, even if somebody holds its input open", async () => {
  using place = world();
  const host = new Deno.Command("/bin/sh", {
    args: ["-c", 'exec 3<&0; "$@" <&3 & echo $! >&2; wait', "host", ...WIDE_ARGV],
    ...{ env: SELF.env, clearEnv: true, stdin: "piped", stdout: "piped", stderr: "piped" },
  }).spawn();
  const input = host.stdin.getWriter();
  const output = host.stdout.getReader();
  await input.write(new TextEncoder().encode(`${HELLO(place)}\n`));
  await output.read();
  host.kill("SIGKILL");
  await host.status;
  // Its output ends when the last process that could write to it has ended.
  assertEquals((await output.read()).done, true);
  await Promise.allSettled([input.abort(), host.stderr.cancel()]);
});

const HELLO = (place: World): string => JSON.stringify({ v: 1, id: "h", op: "hello", policy: policyFor(place.root) });
const tool = (more: string): string => `{"v":1,"id":"t","op":"tool","name":"read",${more}}`;

/** What no honest host sends, after a hello. */
const HOSTILE: readonly (readonly [name: string, text: string])[] = [
  ["a key that reaches a prototype", tool('"args":{"__proto__":{"path":"a.txt"}}')],
  ["a key that reaches a constructor", tool('"args":{"constructor":{"prototype":{"x":1}}}')],
  ["arguments that are deep", tool(`"args":${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`)],
  ["arguments that are no object", tool('"args":[1]')],
  ["a number that is none", tool('"args":{"offset":1e999}')],
  ["another version", '{"v":2,"id":"t","op":"tool","name":"read","args":{}}'],
  ["no version", '{"id":"t","op":"tool","name":"read","args":{}}'],
  ["an id that is no text", '{"v":1,"id":7,"op":"tool","name":"read","args":{}}'],
  ["an id that is too long", `{"v":1,"id":"${"i".repeat(65)}","op":"tool","name":"read","args":{}}`],
  ["an operation that does not exist", '{"v":1,"id":"t","op":"eval","code":"1"}'],
  ["a second hello", '{"v":1,"id":"t","op":"hello","policy":{}}'],
  ["a list", "[]"],
  ["nothing", ""],
  ["half a message", '{"v":1,"id":"t"'],
  ["a part that is no text", '{"v":1,"part":7,"more":false}'],
];
for (const [name, text] of HOSTILE) {
  Deno.test(`runRunner() ends, having done nothing, when it is sent ${name}`, async () => {
    using place = world();
    const { code, answers, errors } = await raw(place, [`${HELLO(place)}\n`, `${text}\n`, `${tool('"args":{}')}\n`]);
    // What comes in one piece with a hello may be refused together with it.
    const greeted = answers.every((answer) => answer === '{"v":1,"id":"h","ok":{"content":[]}}');
    assertEquals({ code, greeted }, { code: 76, greeted: true }, answers.join());
    assertMatch(errors, /^the host broke the protocol: [^\n]+\n$/);
    assertEquals(content(place, "a.txt"), "inside\n");
  });
}

Deno.test("runRunner() passes over answers and ends of what it never asked for", async () => {
  using place = world();
  const strange = [
    '{"v":1,"id":"a","op":"cancel","call":"never"}',
    '{"v":1,"id":"b","op":"refused","exec":"never","why":"no"}',
    '{"v":1,"id":"c","op":"ended","exec":"never","outcome":{"exitCode":0,"stdout":"","stderr":"","notes":[]}}',
  ];
  const read = '{"v":1,"id":"t","op":"tool","name":"read","args":{"path":"a.txt"}}';
  const { code, answers } = await raw(place, [`${HELLO(place)}\n`, ...strange.map((line) => `${line}\n`), `${read}\n`]);
  assertEquals(code, 0);
  // The input has ended, so that the call's own answer may or may not be among them.
  assertEquals(answers.filter((answer) => !answer.includes('"id":"t"')), ['{"v":1,"id":"h","ok":{"content":[]}}']);
});
