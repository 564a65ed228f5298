import {
  assert,
  assertEquals,
  assertLessOrEqual,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import { fromFileUrl } from "@std/path";
import type { JsonObject } from "../../../src/core/json.ts";
import { textOf } from "../../../src/core/message.ts";
import type { Policy } from "../../../src/core/policy.ts";
import type { ToolResult } from "../../../src/core/tool_result.ts";
import type { Self } from "../../../src/sandbox/confine/self.ts";
import type { Runner } from "../../../src/sandbox/runner_client/runner_client.ts";
import { openRunner } from "../../helpers/open_runner.ts";
import { pendingCall, type Watch } from "../../../src/sandbox/runner_client/session.ts";
import { textResult } from "../../../src/core/tool.ts";
import { until } from "../../helpers/until.ts";

const nothing = { all: false, list: [] };
const POLICY: Policy = {
  root: Deno.cwd(),
  home: "/home/nobody",
  tmp: "/nowhere",
  cache: "/nowhere",
  read: { all: true, list: [] },
  write: nothing,
  run: nothing,
  net: nothing,
  env: {},
  denyRead: [],
  denyWrite: [],
  protected: [],
  limits: {
    bashTimeoutMs: 1,
    bashMaxTimeoutMs: 1,
    outputBytes: 1,
    outputLines: 1,
    fileBytes: 1,
    openFiles: 1,
    processes: 1,
    memoryBytes: 1,
  },
  sandbox: "off",
};

const SCRIPT = new URL("../../../src/runner/worker.ts", import.meta.url);
const CONFIG = fromFileUrl(new URL("../../../deno.json", import.meta.url));

function programAt(script: string): Self {
  const env = { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", DENO_DIR: Deno.env.get("DENO_DIR") ?? "", HOME: "/" };
  const args = ["run", "-A", "--no-prompt", "--cached-only", "--no-lock", "--config", CONFIG, script];
  return {
    program: Deno.execPath(),
    args,
    env: env.DENO_DIR ? env : { ...env, HOME: Deno.env.get("HOME") ?? "/" },
    readPaths: [],
    standalone: false,
  };
}

const LIAR = programAt(fromFileUrl(new URL("./lying_runner.ts", import.meta.url)));

async function withRunner(watch: Partial<Watch>, work: (runner: Runner) => Promise<void>, self = LIAR): Promise<void> {
  const runner = openRunner(POLICY, self, SCRIPT, watch);
  try {
    await work(runner);
  } finally {
    await runner.close();
  }
}

const forever = new AbortController().signal;

function call(runner: Runner, name: string, args: JsonObject = {}, signal = forever): Promise<ToolResult> {
  return runner.call({ name, args }, { signal, onUpdate: () => {} });
}

const isAlive = (pid: number): boolean => {
  try {
    Deno.kill(pid, "SIGCONT");
    return true;
  } catch {
    return false;
  }
};

const TRUE: ToolResult = { content: [{ type: "text", text: "true" }] };

// Each lie, what the call at hand becomes of it, and whether the same process may go on.
const LIES: readonly { readonly lie: string; readonly says: RegExp | ToolResult; readonly survives: boolean }[] = [
  { lie: "honest", says: TRUE, survives: true },
  { lie: "forged", says: TRUE, survives: true },
  { lie: "twice", says: TRUE, survives: true },
  { lie: "strays", says: /answers that nobody asked for/, survives: false },
  { lie: "garbage", says: /broke the protocol: not JSON/, survives: false },
  { lie: "binary", says: /broke the protocol: the line is not UTF-8/, survives: false },
  { lie: "huge", says: /broke the protocol: the line is too long/, survives: false },
  { lie: "endless", says: /broke the protocol: the message is too large/, survives: false },
  { lie: "deep", says: /broke the protocol: the message is nested too deeply/, survives: false },
  { lie: "proto", says: /broke the protocol: the message holds the key "__proto__"/, survives: false },
  { lie: "constructorKey", says: /broke the protocol: the message holds the key "constructor"/, survives: false },
  { lie: "shape", says: /broke the protocol: not an answer/, survives: false },
  { lie: "empty", says: /broke the protocol: not an answer/, survives: false },
  { lie: "asks", says: /broke the protocol: not an answer/, survives: false },
  { lie: "exits", says: /it ended with code 9 \(out of luck\)/, survives: false },
  {
    lie: "unconfined",
    says: /sandbox could not be set up \(step landlock: EOPNOTSUPP\), so nothing was run/,
    survives: false,
  },
  { lie: "answersThenExits", says: TRUE, survives: false },
  { lie: "wider", says: /broke the protocol: the message holds too many values/, survives: false },
  { lie: "infinite", says: /broke the protocol: the message holds a number/, survives: false },
  // JSON.parse takes the last of two fields; there is no other reader that could take the first.
  { lie: "doubled", says: TRUE, survives: true },
  { lie: "surrogate", says: { content: [{ type: "text", text: "a\ud800bcd" }] }, survives: true },
  { lie: "picture", says: /broke the protocol: not a content part/, survives: false },
  { lie: "failure", says: /broke the protocol: isError is no boolean/, survives: false },
  { lie: "version", says: /broke the protocol: not a message of version 1/, survives: false },
  { lie: "idless", says: /broke the protocol: a message without an id/, survives: false },
  { lie: "longId", says: /broke the protocol: a message without an id/, survives: false },
  { lie: "nested", says: /broke the protocol: a message inside another/, survives: false },
  { lie: "halfPart", says: /it ended with code 0/, survives: false },
  { lie: "marked", says: /broke the protocol: not JSON/, survives: false },
  { lie: "extra", says: TRUE, survives: true },
  // Only a bash call may ask for programs, and only while it lasts.
  { lie: "runs", says: TRUE, survives: true },
  { lie: "runsLater", says: TRUE, survives: true },
];

Deno.test("openRunner() takes nothing but true answers, and replaces a runner that lies", async (t) => {
  for (const { lie, says, survives } of LIES) {
    await t.step(lie, () =>
      withRunner({}, async (runner) => {
        const before = runner.pid ?? 0;
        const result = await call(runner, lie);
        if (says instanceof RegExp) {
          assertEquals(result.isError, true);
          assertMatch(textOf(result.content), says);
        } else assertEquals(result, says);
        if (lie === "answersThenExits") await until(() => runner.pid !== before);
        assertEquals(await call(runner, "honest"), TRUE);
        assertEquals(runner.pid === before, survives);
        // A process that was killed is there until the kernel has removed it.
        if (!survives) await until(() => !isAlive(before));
        assertEquals(isAlive(before), survives);
        assertEquals(Object.keys(Object.prototype), []);
      }));
  }
});

Deno.test("openRunner() starts no program that a lying runner asks for outside of a bash call", async () => {
  const asked: string[] = [];
  const runProgram = (program: { readonly argv: readonly string[] }): Promise<never> => {
    asked.push(program.argv.join(" "));
    return Promise.reject(new Error("no"));
  };
  await withRunner({ runProgram }, async (runner) => {
    for (const lie of ["runs", "runsLater", "honest"]) assertEquals(await call(runner, lie), TRUE);
  });
  assertEquals(asked, []);
});

Deno.test("openRunner() lets a runner mix up calls of its own and nothing beyond: each settles once, nothing hangs", () =>
  withRunner({ deadlineMs: 3_000 }, async (runner) => {
    // A runner that answers one call with another's id lies in a tool's result, which it always can.
    const [waiting, thief] = await Promise.all([call(runner, "silent"), call(runner, "steals")]);
    assertEquals(waiting, { content: [{ type: "text", text: "stolen" }] });
    assertMatch(textOf(thief.content), /did not answer within/);
    assertEquals(await call(runner, "honest"), TRUE);
  }));

Deno.test("call() drops an answer that comes after the call was aborted", () =>
  withRunner({}, async (runner) => {
    const ending = new AbortController();
    const late = call(runner, "late", {}, ending.signal);
    await call(runner, "honest");
    ending.abort();
    assertEquals(await late, { content: [{ type: "text", text: "Operation aborted" }], isError: true });
    await new Promise((resolve) => setTimeout(resolve, 250));
    assertEquals(await call(runner, "honest"), TRUE);
  }));

Deno.test("call() forgets the time limit of an aborted call when the runner answers it", async () => {
  const GRACE_MS = 123_456;
  const { setTimeout, clearTimeout } = globalThis;
  const limits = new Set<number>();
  const set = ((work: () => void, ms?: number) => {
    const timer = setTimeout(work, ms);
    if (ms === GRACE_MS) limits.add(Number(timer));
    return timer;
  }) as typeof globalThis.setTimeout;
  globalThis.setTimeout = set;
  globalThis.clearTimeout = (timer) => {
    if (timer !== undefined) limits.delete(Number(timer));
    clearTimeout(timer);
  };
  try {
    await withRunner({ abortGraceMs: GRACE_MS }, async (runner) => {
      const ending = new AbortController();
      await call(runner, "honest");
      const late = call(runner, "late", {}, ending.signal);
      await call(runner, "honest");
      ending.abort();
      assertEquals(textOf((await late).content), "Operation aborted");
      assertEquals(limits.size, 1);
      // A limit that stays would end the runner in the middle of a later call.
      await until(() => limits.size === 0);
      // So would one that begins when the signal of a call that is over aborts.
      const over = new AbortController();
      assertEquals(await call(runner, "honest", {}, over.signal), TRUE);
      over.abort();
      assertEquals(limits.size, 0);
      const open = new AbortController();
      const silent = call(runner, "silent", {}, open.signal);
      await call(runner, "honest");
      open.abort();
      await silent;
      assertEquals(limits.size, 1);
    });
    assertEquals(limits.size, 0, "a runner that is closed has no limit left");
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
});

Deno.test("a runner that has not yet heard of an abort may send much for the aborted call, and goes on", async (t) => {
  for (const name of ["lateUpdates", "lateAsks"]) {
    await t.step(name, () =>
      withRunner({ abortGraceMs: 60_000 }, async (runner) => {
        const ending = new AbortController();
        await call(runner, "honest");
        const { pid } = runner;
        const late = call(runner, name, {}, ending.signal);
        await call(runner, "honest");
        ending.abort();
        assertEquals(textOf((await late).content), "Operation aborted");
        // All of it has come when a call that was begun later is answered.
        assertEquals(textOf((await call(runner, "late")).content), "late");
        assertEquals(runner.pid, pid);
      }));
  }
});

Deno.test("an abort tells the runner, which can then stop its work", () =>
  withRunner({ abortGraceMs: 60_000 }, async (runner) => {
    const ending = new AbortController();
    const silent = call(runner, "silent", {}, ending.signal);
    assertEquals(textOf((await call(runner, "cancels")).content), "0");
    ending.abort();
    await silent;
    assertEquals(textOf((await call(runner, "cancels")).content), "1");
  }));

Deno.test("the programs of a bash call end with the call", async () => {
  const ended = Promise.withResolvers<void>();
  const runProgram = (_program: unknown, signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) =>
      signal.addEventListener("abort", () => {
        ended.resolve();
        reject(new Error("aborted"));
      }, { once: true })
    );
  await withRunner({ runProgram }, async (runner) => {
    assertEquals(await call(runner, "bash"), TRUE);
    await ended.promise;
  });
});

Deno.test("call() that may write settles after an abort only when the runner cannot write any more", () =>
  withRunner({ abortGraceMs: 300 }, async (runner) => {
    await call(runner, "honest");
    const before = runner.pid ?? 0;
    for (const name of ["late", "spins"]) {
      const ending = new AbortController();
      const options = { signal: ending.signal, onUpdate: () => {} };
      const writing = runner.call({ name, args: {}, mayWrite: true }, options);
      let isSettled = false;
      const settled = writing.then(() => void (isSettled = true));
      ending.abort();
      // A call that only reads, on the other hand, is over at once.
      const reading = new AbortController();
      const read = call(runner, "silent", {}, reading.signal);
      reading.abort();
      assertEquals(textOf((await read).content), "Operation aborted");
      assertEquals(isSettled, false);
      await settled;
      assertEquals(textOf((await writing).content), "Operation aborted");
    }
    await until(() => !isAlive(before));
    assertEquals(await call(runner, "honest"), TRUE);
  }));

Deno.test("call() joins an answer above a line from its parts", () =>
  withRunner({}, async (runner) => {
    assertEquals(textOf((await call(runner, "large")).content).length, 5_000_000);
  }));

Deno.test("call() throttles updates, takes control sequences out and gives none after the end", () =>
  withRunner({}, async (runner) => {
    const seen: string[] = [];
    const onUpdate = (partial: ToolResult): void => void seen.push(textOf(partial.content));
    const result = await runner.call({ name: "updates", args: {} }, { signal: forever, onUpdate });
    const count = seen.length;
    assertEquals(result, { content: [{ type: "text", text: "abc\n" }] });
    assertEquals(seen[0], "0");
    assertLessOrEqual(count, 20);
    await new Promise((resolve) => setTimeout(resolve, 120));
    assertEquals(seen.length, count);
  }));

Deno.test("call() replaces a runner that misses the deadline, also one whose thread is blocked", async (t) => {
  for (const name of ["silent", "spins"]) {
    await t.step(name, () =>
      withRunner({ deadlineMs: 700 }, async (runner) => {
        await call(runner, "honest");
        const before = runner.pid ?? 0;
        const [slow, other] = await Promise.all([call(runner, name), call(runner, "silent")]);
        const texts = [slow, other].map(({ content }) => textOf(content));
        assert(texts.some((text) => text.includes("did not answer within 0.7 s and was ended")), texts.join());
        assertEquals(await call(runner, "honest"), TRUE);
        assertNotEquals(runner.pid, before);
        await until(() => !isAlive(before));
      }));
  }
});

Deno.test("call() replaces a runner that an aborted call keeps busy", () =>
  withRunner({ abortGraceMs: 100 }, async (runner) => {
    const ending = new AbortController();
    await call(runner, "honest");
    const before = runner.pid ?? 0;
    const busy = call(runner, "spins", {}, ending.signal);
    ending.abort();
    assertEquals(textOf((await busy).content), "Operation aborted");
    await until(() => runner.pid !== before && !isAlive(before));
    assertEquals(await call(runner, "honest"), TRUE);
  }));

Deno.test("call() with a signal that has aborted, or arguments that cannot travel, asks nobody", () =>
  withRunner({}, async (runner) => {
    assertEquals(textOf((await call(runner, "honest", {}, AbortSignal.abort())).content), "Operation aborted");
    const poisoned = JSON.parse('{"__proto__":{"a":1}}');
    assertStringIncludes(textOf((await call(runner, "honest", poisoned)).content), 'the key "__proto__"');
    assertStringIncludes(textOf((await call(runner, "honest", { text: "x".repeat(65 << 20) })).content), "too large");
    assertEquals(await call(runner, "honest"), TRUE);
  }));

Deno.test("call() survives kill -9 of the runner at any moment: every call settles, the next one works", () =>
  withRunner({}, async (runner) => {
    for (let round = 0; round < 8; round++) {
      const pid = runner.pid;
      const calls = [call(runner, "honest"), call(runner, "silent"), call(runner, "large")];
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 120));
      if (pid !== undefined) Deno.kill(pid, "SIGKILL");
      for (const result of await Promise.all(calls)) {
        if (result.isError) assertMatch(textOf(result.content), /did not finish this call: it was ended by SIGKILL/);
      }
      assertEquals(await call(runner, "honest"), TRUE);
    }
  }));

Deno.test("call() says why a runner could not be started", async () => {
  await withRunner({}, async (runner) => {
    const result = await call(runner, "honest");
    assertEquals(result.isError, true);
    assertMatch(textOf(result.content), /could not be started/);
  }, { ...LIAR, program: "/nowhere/sandpiper" });
});

Deno.test("close() ends the process at once, settles open calls and may be called twice", async () => {
  const runner = openRunner(POLICY, LIAR, SCRIPT);
  await call(runner, "honest");
  const pid = runner.pid ?? 0;
  const open = call(runner, "spins");
  const started = performance.now();
  await Promise.all([runner.close(), runner.close()]);
  // It takes milliseconds; a wait for the call that is open would take its whole time.
  assertLessOrEqual(performance.now() - started, 30_000);
  assertEquals(isAlive(pid), false);
  assertMatch(textOf((await open).content), /did not finish this call: the session ended/);
  assertMatch(textOf((await call(runner, "honest")).content), /The session is over/);
});

Deno.test("close() right after the start leaves nothing behind", async () => {
  const runner = openRunner(POLICY, LIAR, SCRIPT);
  const pid = runner.pid ?? 0;
  await runner.close();
  assertEquals([isAlive(pid), runner.pid], [false, undefined]);
});

Deno.test("pendingCall() shows no update that comes after the result, and settles once", () => {
  const [shown, results]: [string[], string[]] = [[], []];
  const call = pendingCall(
    (partial) => void shown.push(textOf(partial.content)),
    (result) => void results.push(textOf(result.content)),
  );
  call.settle(textResult("done"));
  // The first update of a call is shown at once.
  call.update("late");
  call.settle(textResult("again"));
  assertEquals([shown, results], [[], ["done"]]);
});
