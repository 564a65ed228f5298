import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { ToolError } from "../../../src/core/error.ts";
import { textOf } from "../../../src/core/message.ts";
import type { ProgramOutcome, ProgramRequest } from "../../../src/core/runner.ts";
import { ProtocolError, readRequest, type RunnerRequest } from "../../../src/core/protocol.ts";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { openRunner } from "../../helpers/open_runner.ts";
import { callPrograms } from "../../../src/sandbox/runner_client/session.ts";
import { until } from "../../helpers/until.ts";
import { policyFor, scope, world } from "../../runner/world.ts";
import { CONFINED } from "../shell_fixture.ts";

const SCRIPT = new URL("../../../src/runner/worker.ts", import.meta.url);
const PROGRAM: ProgramRequest = { argv: ["git"], cwd: "/", stdin: new Uint8Array() };
const DONE: ProgramOutcome = { exitCode: 0, stdout: new Uint8Array([1]), stderr: new Uint8Array(), notes: [] };
const asked = (id: string, exec: string) => ({ v: 1, id, op: "exec", exec, program: PROGRAM }) as const;
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

Deno.test("callPrograms() runs a program for a call that may ask, and sends how it ended R457", async () => {
  const sent: RunnerRequest[] = [];
  const programs = callPrograms(() => Promise.resolve(DONE), (text) => void sent.push(readRequest(text)));
  programs.allow("a");
  assert(programs.take(asked("a", "1")));
  await until(() => sent.length > 0);
  assertEquals(sent.map(({ id: _id, ...rest }) => rest), [{ v: 1, op: "ended", exec: "1", outcome: DONE }]);
});

Deno.test("callPrograms() tells why a program was refused", async () => {
  const sent: RunnerRequest[] = [];
  const programs = callPrograms(() => Promise.reject(new ToolError("no")), (text) => void sent.push(readRequest(text)));
  programs.allow("a");
  programs.take(asked("a", "1"));
  await until(() => sent.length > 0);
  assertEquals(sent.map(({ id: _id, ...rest }) => rest), [{ v: 1, op: "refused", exec: "1", why: "no" }]);
});

Deno.test("callPrograms() runs nothing for calls that may not ask, are over or never were", () => {
  const run = () => Promise.reject(new Error("it ran"));
  const programs = callPrograms(run, () => assert(false));
  programs.allow("a");
  programs.end("a");
  for (const id of ["a", "b", "__proto__", ""]) {
    assertEquals(programs.take(asked(id, "1")), false);
    assertEquals(programs.take({ v: 1, id, op: "stop", exec: "1" }), false);
  }
});

Deno.test("callPrograms() takes names that repeat and too many at once for lies", () => {
  const programs = callPrograms(() => new Promise(() => {}), () => {});
  programs.allow("a");
  programs.take(asked("a", "1"));
  assertThrows(() => programs.take(asked("a", "1")), ProtocolError, "the name of another");
  for (let exec = 2; exec <= 8; exec++) programs.take(asked("a", String(exec)));
  assertThrows(() => programs.take(asked("a", "9")), ProtocolError, "too many");
});

Deno.test("callPrograms() ends programs that are stopped or whose call is over, and sends nothing for those", async () => {
  const sent: string[] = [];
  const ended: string[] = [];
  const programs = callPrograms(({ argv }, signal) =>
    new Promise((resolve) =>
      signal.addEventListener("abort", () => {
        ended.push(argv[1] ?? "");
        resolve(DONE);
      })
    ), (text) => void sent.push(text));
  programs.allow("a");
  for (const exec of ["1", "2"]) {
    programs.take({ ...asked("a", exec), program: { ...PROGRAM, argv: ["git", exec] } });
  }
  programs.take({ v: 1, id: "a", op: "stop", exec: "1" });
  programs.take({ v: 1, id: "a", op: "stop", exec: "unknown" });
  await soon();
  assertEquals([ended, sent.length], [["1"], 1]);
  programs.end("a");
  await soon();
  assertEquals([ended, sent.length], [["1", "2"], 1]);
});

for (const sandbox of [...CONFINED, "permissions"] as const) {
  Deno.test(`openRunner() at ${sandbox} runs bash scripts in process, and asks the host for listed programs R456 R457`, async () => {
    using place = world();
    const requests: ProgramRequest[] = [];
    const policy = policyFor(place.root, { sandbox, run: scope("git") });
    const runner = openRunner(policy, thisProgram(), SCRIPT, {
      runProgram: (request, signal) => {
        requests.push(request);
        if (request.argv[1] !== "hang") return Promise.resolve(DONE);
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new ToolError("ended"))));
      },
    });
    const call = async (command: string, signal = new AbortController().signal): Promise<string> =>
      textOf((await runner.call({ name: "bash", args: { command } }, { signal, onUpdate: () => {} })).content);
    try {
      const shown = await call(
        "cat a.txt | tr a-z A-Z > b.txt; cat b.txt; find . -name '*.txt' | sort; tar c a.txt | tar t",
      );
      assertEquals(shown, "INSIDE\n./a.txt\n./b.txt\na.txt");
      assertMatch(await call(`cat ${place.outside}/secret.txt`), /Denied: read .*outside the read scope/);
      assertStringIncludes(await call("env; echo ${#PATH}"), "PATH=/bin:/usr/bin");
      assertEquals(await call("git x | wc -c"), "1");
      const ending = new AbortController();
      const hung = call("git hang; git never", ending.signal);
      await until(() => requests.some(({ argv }) => argv[1] === "hang"));
      ending.abort();
      assertEquals(await hung, "Operation aborted");
      assertEquals(requests.map(({ argv }) => argv.join(" ")), ["git x", "git hang"]);
      assertMatch(await call("timeout 0.2 git hang; echo after"), /^after/);
    } finally {
      await runner.close();
    }
  });
}

Deno.test("openRunner() ends a script that never lets go of its thread, and the next call gets a fresh process", async () => {
  const [sandbox] = CONFINED;
  if (sandbox === undefined) return;
  using place = world();
  const runner = openRunner(policyFor(place.root, { sandbox }), thisProgram(), SCRIPT);
  const run = async (command: string, deadlineMs: number): Promise<string> => {
    const options = { signal: new AbortController().signal, onUpdate: () => {}, deadlineMs };
    return textOf((await runner.call({ name: "bash", args: { command } }, options)).content);
  };
  try {
    await run("true", 20_000);
    assertMatch(await run("while true; do sleep 1; done", 500), /did not answer within 0\.5 s and was ended/);
    assertEquals(await run("cat a.txt", 20_000), "inside");
  } finally {
    await runner.close();
  }
});
