import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { deframer, frame } from "../../../src/core/framing.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { textOf } from "../../../src/core/message.ts";
import type { SandboxLevel } from "../../../src/core/policy.ts";
import { messageText, readAnswer } from "../../../src/core/protocol.ts";
import { confinedCommand, execFrame, firstFrames } from "../../../src/sandbox/confine/launch.ts";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { spawnConfined } from "../../../src/sandbox/launcher/executable.ts";
import { openRunner } from "../../helpers/open_runner.ts";
import { policyFor, world } from "../../runner/world.ts";
import { HAS_NAMESPACES } from "../namespaces_here.ts";

const SCRIPT = new URL("../../../src/runner/worker.ts", import.meta.url);
const SELF = thisProgram();
const signal = new AbortController().signal;

const LEVELS: readonly { readonly level: SandboxLevel; readonly ignore: boolean }[] = [
  { level: "kernel", ignore: Deno.build.os !== "linux" },
  { level: "kernel+", ignore: !HAS_NAMESPACES },
];

for (const { level, ignore } of LEVELS) {
  Deno.test({
    name:
      `openRunner() at level ${level} works in the scope, is refused outside, and comes back after kill -9 R451 R453`,
    ignore,
    fn: async () => {
      using place = world();
      const runner = openRunner(policyFor(place.root, { sandbox: level }), SELF, SCRIPT, { checkPaths: false });
      const call = async (name: string, args: JsonObject): Promise<string> =>
        textOf((await runner.call({ name, args }, { signal, onUpdate: () => {} })).content);
      try {
        assertMatch(await call("read", { path: "a.txt" }), /inside/);
        assertMatch(await call("write", { path: "b.txt", content: "new" }), /b\.txt/);
        assertEquals(Deno.readTextFileSync(`${place.root}/b.txt`), "new");
        assertMatch(await call("read", { path: `${place.outside}/secret.txt` }), /outside the read scope/);
        const before = runner.pid;
        assert(before !== undefined);
        Deno.kill(before, "SIGKILL");
        // What stands behind bwrap may live on for a moment and even answer.
        while (runner.pid === before) await new Promise((resolve) => setTimeout(resolve, 10));
        assertMatch(await call("read", { path: "a.txt" }), /inside/);
        assertNotEquals(runner.pid, before);
      } finally {
        await runner.close();
      }
    },
  });

  Deno.test({
    name: `at level ${level} the kernel alone refuses what Deno would let through R452 R454`,
    ignore,
    fn: async () => {
      using place = world();
      const probe = fromFileUrl(new URL("../../runner/probe_process.ts", import.meta.url));
      const tests = fromFileUrl(new URL("../../runner", import.meta.url));
      const self = { ...SELF, readPaths: [...SELF.readPaths, tests] };
      const policy = policyFor(place.root, { sandbox: level });
      const argv = [self.program, ...self.args.slice(0, -1), probe];
      const child = spawnConfined(confinedCommand(policy, self, { isRunner: true }));
      const writer = child.stdin.getWriter();
      await writer.write(firstFrames(policy, self, { isRunner: true }));
      await writer.write(execFrame({ argv, env: self.env, cwd: place.root, stdin: "keep", mergeOutput: false }));
      const request = messageText({ v: 1, id: "a", op: "tool", name: "probe", args: { outside: place.outside } });
      for (const line of frame(request)) await writer.write(line);
      await writer.close();
      const { stdout, stderr } = await child.output();
      const answer = readAnswer(deframer()(stdout)[0] ?? new TextDecoder().decode(stderr));
      const found = JSON.parse("ok" in answer ? textOf(answer.ok.content) : "{}");
      // Deno lets this process do everything, so these are the kernel's own words.
      for (const name of ["readOutside", "readLinked", "writeOutside", "linkOutside", "netConnect", "netFetch"]) {
        assertMatch(found[name], /^(PermissionDenied|NotFound|TypeError|ConnectionRefused|Error|NotCapable)\b/, name);
        assertNotEquals(found[name], "allowed", name);
      }
      assertEquals(found["envOne"], "allowed");
      assertEquals([...Deno.readDirSync(place.outside)].map(({ name }) => name), ["secret.txt"]);
      assertEquals([...Deno.readDirSync(place.root)].map(({ name }) => name), ["a.txt"]);
    },
  });
}

Deno.test({
  name: "openRunner() names the step that could not be confined, and runs nothing",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    using place = world();
    const policy = policyFor(place.root, { sandbox: "kernel" });
    const broken = { ...policy, limits: { ...policy.limits, openFiles: -1 } };
    const runner = openRunner(broken, SELF, SCRIPT);
    try {
      for (let attempt = 0; attempt < 2; attempt++) {
        const args = { path: "b.txt", content: "x" };
        const { content, isError } = await runner.call({ name: "write", args }, { signal, onUpdate: () => {} });
        assertEquals(isError, true);
        assertMatch(textOf(content), /sandbox could not be set up \(step policy: .*openFiles.*\), so nothing was run/);
      }
      assertEquals([...Deno.readDirSync(place.root)].map(({ name }) => name), ["a.txt"]);
    } finally {
      await runner.close();
    }
  },
});
