// What a model could ask of the file tools, tried on the real runner at every level that this machine has.
import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import type { JsonObject } from "../../src/core/json.ts";
import { textOf } from "../../src/core/message.ts";
import type { SandboxLevel } from "../../src/core/policy.ts";
import { openRunner } from "../helpers/open_runner.ts";
import { thisProgram } from "../../src/sandbox/confine/self.ts";
import { rounds } from "../helpers/rounds.ts";
import { until } from "../helpers/until.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import { makeWorld, type World, worldPolicy } from "../sandbox/confined_world.ts";

const SCRIPT = new URL("../../src/runner/worker.ts", import.meta.url);
/** Longest that a refused call may take, milliseconds: a pipe or a device that is read would take for ever. */
const PROMPT_MS = 30_000;

type Call = (name: string, args: JsonObject) => Promise<{ readonly isError: boolean; readonly text: string }>;

async function attack(level: SandboxLevel, work: (call: Call, world: World) => Promise<void>): Promise<void> {
  using world = makeWorld();
  // Before the policy is made: what tools turn into a repository themselves is theirs.
  new Deno.Command("git", { args: ["init", "-q", world.root], stdin: "null" }).outputSync();
  const runner = openRunner(worldPolicy(world, level), thisProgram(), SCRIPT);
  try {
    // Where a test runs from source its worker's types may be checked first, which is no part of any call.
    await runner.call({ name: "ls", args: {} }, { signal: AbortSignal.timeout(60_000), onUpdate: () => {} });
    await work(async (name, args) => {
      const signal = AbortSignal.timeout(PROMPT_MS);
      const result = await runner.call({ name, args }, { signal, onUpdate: () => {} });
      assert(!signal.aborted, `${name} ${JSON.stringify(args)} did not end`);
      return { isError: result.isError === true, text: textOf(result.content) };
    }, world);
  } finally {
    await runner.close();
  }
}

for (const level of [...CONFINED, "permissions" as const]) {
  const test = (name: string, work: (call: Call, world: World) => Promise<void>): void =>
    Deno.test(`file tools at ${level}: ${name}`, () => attack(level, work));

  test("what has no end is refused and never waited for: pipes, devices, a folder, /proc", async (call, { root }) => {
    new Deno.Command("mkfifo", { args: [`${root}/pipe`] }).outputSync();
    for (const path of ["/dev/zero", "/dev/stdin", "/dev/tty", "/proc/kmsg", "/proc/self/mem"]) {
      Deno.symlinkSync(path, `${root}/to-${path.replaceAll("/", "-")}`);
    }
    for (const { name } of Deno.readDirSync(root)) {
      if (name === ".git") continue;
      for (const args of [{ path: name }, { path: `${root}/./${name}` }]) {
        assertEquals({ name, isError: (await call("read", args)).isError }, { name, isError: true });
      }
      const written = await call("write", { path: name, content: "x" });
      assertEquals({ name, isError: written.isError }, { name, isError: true });
    }
    await call("grep", { pattern: "x" });
    await call("find", { pattern: "*" });
  });

  test("a sparse terabyte is neither read whole nor searched for ever", async (call, { root }) => {
    using file = Deno.openSync(`${root}/huge`, { write: true, create: true });
    file.truncateSync(2 ** 40);
    await call("read", { path: "huge" });
    await call("edit", { path: "huge", edits: [{ oldText: "a", newText: "b" }] });
    assertEquals(Deno.statSync(`${root}/huge`).size, 2 ** 40);
    assertMatch((await call("ls", {})).text, /^huge/m);
  });

  test("links, spellings and /proc's own links lead nowhere outside", async (call, { root, outside, home }) => {
    Deno.mkdirSync(`${home}/.ssh`);
    Deno.writeTextFileSync(`${home}/.ssh/id`, "outside-secret");
    Deno.symlinkSync(outside, `${root}/folder`);
    Deno.symlinkSync(`${outside}/secret`, `${root}/file`);
    Deno.symlinkSync("folder/secret", `${root}/twice`);
    const spellings = [
      ...["folder/secret", "file", "twice", "../outside/secret", `${outside}/secret`, "./a/../../outside/secret"],
      ...[`/proc/self/root${outside}/secret`, `/proc/self/cwd/../outside/secret`, `${home}/.ssh/id`, "~/.ssh/id"],
      ...[`file://${outside}/secret`, `${outside}//secret`, `${outside}/secret/`, `${outside}/secret\0.txt`],
      ...["..%2foutside%2fsecret", "．．/outside/secret", "‥/outside/secret", "@../outside/secret"],
    ];
    for (const path of spellings) {
      for (const [name, args] of [["read", { path }], ["grep", { pattern: "secret", path }]] as const) {
        assertNotMatch((await call(name, args)).text, /outside-secret/, `${name} ${path}`);
      }
      await call("write", { path, content: "taken" });
      await call("edit", { path, edits: [{ oldText: "outside", newText: "taken" }] });
      assertEquals(Deno.readTextFileSync(`${outside}/secret`), "outside-secret", path);
    }
    assertEquals([...Deno.readDirSync(outside)].map(({ name }) => name), ["secret"]);
    assertNotMatch((await call("grep", { pattern: "secret" })).text, /outside-secret/);
    assertNotMatch((await call("find", { pattern: "**/secret" })).text, /^(?:folder|door)\//m);
  });

  test("a hard link to a file outside is not written through", async (call, { root, outside }) => {
    Deno.linkSync(`${outside}/secret`, `${root}/hard`);
    await call("write", { path: "hard", content: "taken" });
    await call("edit", { path: "hard", edits: [{ oldText: "outside", newText: "taken" }] });
    assertEquals(Deno.readTextFileSync(`${outside}/secret`), "outside-secret");
  });

  test("a link that is swapped while it is used leaks and takes nothing", async (call, { root, outside }) => {
    Deno.mkdirSync(`${root}/real`);
    Deno.writeTextFileSync(`${root}/real/secret`, "inside");
    const swap = `cd '${root}'; while :; do ln -sfn real door; ln -sfn '${outside}' door; done`;
    const swapper = new Deno.Command("sh", { args: ["-c", swap], stdin: "null" }).spawn();
    try {
      await until(() => [...Deno.readDirSync(root)].some(({ name }) => name === "door"));
      for (let round = 0; round < rounds(50); round++) {
        const [read] = await Promise.all([
          call("read", { path: "door/secret" }),
          call("write", { path: "door/new", content: "x" }),
        ]);
        assertNotMatch(read.text, /outside-secret/);
      }
    } finally {
      swapper.kill("SIGKILL");
      await swapper.status;
    }
    assertEquals([...Deno.readDirSync(outside)].map(({ name }) => name), ["secret"]);
  });

  test(
    "what takes a file's place again and again holds nobody up and leaks nothing",
    async (call, { root, outside }) => {
      // A pipe, a device, a folder and a link out, all under one name, as fast as a shell can.
      const swap = `cd '${root}'; mkfifo pipe; ln -s /dev/zero zero; ln -s '${outside}/secret' out; mkdir folder; ` +
        "echo inside > file; : > begun; while :; do for f in pipe zero out folder file; do mv -T $f it; mv -T it $f; done; done";
      const swapper = new Deno.Command("bash", { args: ["-c", `{ ${swap}; } 2>/dev/null`], stdin: "null" }).spawn();
      try {
        await until(() => [...Deno.readDirSync(root)].some(({ name }) => name === "begun"));
        for (let round = 0; round < rounds(20); round++) {
          const answers = await Promise.all([
            call("read", { path: "it" }),
            call("grep", { pattern: ".", path: round % 2 ? "." : "it" }),
            call("edit", { path: "it", edits: [{ oldText: "outside", newText: "taken" }] }),
            call("ls", { path: "it" }),
          ]);
          for (const { text } of answers) assertNotMatch(text, /outside-secret/);
        }
      } finally {
        swapper.kill("SIGKILL");
        await swapper.status;
      }
      assertEquals(Deno.readTextFileSync(`${outside}/secret`), "outside-secret");
    },
  );

  test("a file that grows while it is read comes to an end", async (call, { root }) => {
    const grow = `cd '${root}'; : > log; while :; do printf '%s\\n' "$RANDOM$RANDOM$RANDOM" >> log; done`;
    const grower = new Deno.Command("bash", { args: ["-c", grow], stdin: "null" }).spawn();
    try {
      await until(() => [...Deno.readDirSync(root)].some(({ name }) => name === "log"));
      for (let round = 0; round < 10; round++) {
        await call("read", { path: "log", offset: 1 });
        await call("grep", { pattern: "7", path: "log" });
      }
    } finally {
      grower.kill("SIGKILL");
      await grower.status;
    }
  });

  test("folders without end are searched to an end: circles of links, depth, many names", async (call, { root }) => {
    Deno.mkdirSync(`${root}/a/b`, { recursive: true });
    for (const name of ["up", "a/up", "a/b/up"]) Deno.symlinkSync("..", `${root}/${name}`);
    Deno.symlinkSync("self", `${root}/self`);
    Deno.symlinkSync("/", `${root}/top`);
    // Deeper than a path may be long, so that no single call reaches the ground.
    const script =
      "n=$(printf 'd%.0s' {1..100}); for i in {1..60}; do mkdir $n && cd $n || exit; done; echo needle > f";
    new Deno.Command("bash", { args: ["-c", script], cwd: root }).outputSync();
    for (let at = 0; at < 3_000; at++) Deno.writeTextFileSync(`${root}/a/${at}`, "");
    Deno.writeTextFileSync(`${root}/z`, "needle\n");
    const { text } = await call("grep", { pattern: "needle" });
    assertMatch(text, /^z:1/m);
    assertNotMatch(text, /^(?:up|self|top)/m);
    assert(!(await call("find", { pattern: "**/z" })).isError);
    assert(!(await call("ls", { path: "a" })).isError);
    // What recursion cannot remove.
    new Deno.Command("rm", { args: ["-rf", ...[..."d"].map((char) => `${root}/${char.repeat(100)}`)] }).outputSync();
  });

  test("names of other systems and of other encodings open nothing outside", async (call, { root, outside }) => {
    Deno.writeTextFileSync(`${root}/CON`, "inside");
    const names = [
      ...["C:\\outside\\secret", "\\\\?\\secret", "..\\outside\\secret", "a/..\u2215..\u2215outside/secret"],
      ...["%00", "%2e%2e/outside/secret", "\ufeff../outside/secret", "..\u200b/outside/secret", "..;/outside/secret"],
      ...["\ud800/secret", "\u202e/terces/edistuo/..", `file://localhost${outside}/secret`, `file:${outside}/secret`],
      ...[
        `//${outside}/secret`,
        "~root/secret",
        "~+/../outside/secret",
        "$PWD/../outside/secret",
        "`pwd`/../outside/secret",
      ],
    ];
    for (const path of names) {
      for (const [name, args] of [["read", { path }], ["write", { path, content: "taken" }]] as const) {
        assertNotMatch((await call(name, args)).text, /outside-secret/, `${name} ${path}`);
      }
      assertEquals(Deno.readTextFileSync(`${outside}/secret`), "outside-secret", path);
    }
    assertEquals([...Deno.readDirSync(outside)].map(({ name }) => name), ["secret"]);
  });

  test("names with newlines, escapes and bidi marks come back harmless", async (call, { root }) => {
    const names = ["a\nb", "c\x1b[31md", "e\x9b2Jf", "g\u202eh", "i\rj", "k\x07l"];
    for (const name of names) Deno.writeTextFileSync(`${root}/${name}`, "needle\n");
    for (const [name, args] of [["ls", {}], ["find", { pattern: "*" }], ["grep", { pattern: "needle" }]] as const) {
      const { text } = await call(name, args);
      // deno-lint-ignore no-control-regex -- these are what must not be there
      assertNotMatch(text, /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/, name);
      assertMatch(text, /k.*l/);
    }
  });

  test("arguments of the wrong shape are refused, and the runner lives on", async (call, { root }) => {
    const deep = Array.from({ length: 2_000 }).reduce<JsonObject>((inner) => ({ a: inner }), {});
    const wrong = [
      ...[{}, { path: 7 }, { path: null }, { path: ["a"] }, { path: "" }, { path: "a".repeat(70_000) }],
      ...[JSON.parse(`{"path":"x","__proto__":{"polluted":true}}`), { path: "x", constructor: { prototype: 1 } }, deep],
    ];
    for (const args of wrong) assertEquals((await call("read", args)).isError, true);
    assertEquals("polluted" in {}, false);
    for (const name of ["__proto__", "constructor", "toString", "bash", "eval", "../read"]) {
      assertEquals((await call(name, { path: "a" })).isError, true);
    }
    Deno.writeTextFileSync(`${root}/a`, "alive");
    assertMatch((await call("read", { path: "a" })).text, /alive/);
  });

  test("what steers other programs is not written", async (call, { root }) => {
    const paths = [
      ...[".git/config", ".git/hooks/pre-commit", ".git/config.worktree", ".git/commondir", ".git/info/attributes"],
      ...[".gitmodules", ".vscode/settings.json", ".idea/x", ".envrc", ".mcp.json", ".sandpiper/settings.json"],
      ...["vendor/.git/config", "vendor/.git/hooks/post-checkout", "vendor/.git", "a/b/.GIT/config.worktree"],
      ...[".git/./config", ".git//hooks/pre-push", "x/../.git/config", `${root}/.git/config`],
    ];
    Deno.symlinkSync(".git", `${root}/git`);
    for (const path of [...paths, "git/config", "git/hooks/post-checkout"]) {
      assertEquals({ path, isError: (await call("write", { path, content: "taken" })).isError }, {
        path,
        isError: true,
      });
    }
    assertNotMatch(Deno.readTextFileSync(`${root}/.git/config`), /taken/);
  });
}
