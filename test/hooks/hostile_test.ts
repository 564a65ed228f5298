import { assert, assertEquals, assertLess, assertMatch } from "@std/assert";
import type { Hooks } from "../../src/core/hook.ts";
import { frameText, type HostOp, readFrame } from "../../src/hooks/worker/frame.ts";
import type { LinkListener, StartLink } from "../../src/hooks/worker/link.ts";
import { until } from "../helpers/until.ts";
import { extension, never, openWorld, recordingHost } from "./world.ts";

const GOOD = extension('sp.on("input", ({ text }) => ({ action: "transform", text: text + " good" }));');
/** Shorter than the table's, for tests that wait for the end of it. */
const FAST = { eventMs: 1500 };
/** Where nobody has to answer in time. */
const NO_TIME = { eventMs: 200 };
const CALL = { toolName: "bash", toolCallId: "c1", input: {} };

/** Throws unless the other extension goes on working. */
async function othersWork(hooks: Hooks): Promise<true> {
  const outcome = await hooks.input({ text: "t", source: "interactive" }, never);
  const lost = hooks.extensions().map(({ name, lost }) => `${name}: ${lost ?? "works"}`).join(", ");
  assertEquals([outcome.action, outcome.action === "continue" && outcome.text], ["continue", "t good"], lost);
  return true;
}

const lostOf = (hooks: Hooks, name = "evil"): string | undefined =>
  hooks.extensions().find((each) => each.name === name)?.lost;

Deno.test("an endless loop costs its own worker, after a second", async () => {
  using world = await openWorld({
    "extensions/evil.ts": extension('sp.on("context", () => { for (;;); });'),
    "extensions/good.ts": GOOD,
  });
  const start = performance.now();
  await world.hooks.context([], never);
  assertLess(performance.now() - start, 20_000);
  assertEquals(lostOf(world.hooks), "it did not answer in time (1000 ms)");
  assertEquals(world.problems.map(({ extension, message }) => `${extension} ${message}`), [
    "evil was ended: it did not answer in time (1000 ms)",
    "evil context: it did not answer in time (1000 ms)",
  ]);
  assert(await othersWork(world.hooks));
});

Deno.test("a handler that never settles costs its own worker", async () => {
  using world = await openWorld({
    "extensions/evil.ts": extension('sp.on("context", () => new Promise(() => {}));'),
    "extensions/good.ts": GOOD,
  }, { limits: FAST });
  await world.hooks.context([], never);
  assertMatch(lostOf(world.hooks) ?? "", /did not answer/);
  assert(await othersWork(world.hooks));
});

Deno.test("an endless loop while loading costs its own worker", async () => {
  using world = await openWorld({ "extensions/evil.ts": "for (;;);", "extensions/good.ts": GOOD }, {
    limits: { loadMs: 1500 },
  });
  assertMatch(lostOf(world.hooks) ?? "", /did not answer/);
  assert(await othersWork(world.hooks));
});

Deno.test("a lost guard goes on refusing R227", async () => {
  const files = {
    "extensions/evil.ts": extension('sp.on("tool_call", () => new Promise(() => {}));'),
    "extensions/good.ts": GOOD,
  };
  using world = await openWorld(files, { limits: NO_TIME });
  assertMatch(await world.hooks.toolCall(CALL, never) ?? "", /"evil" has to look at it first and failed/);
  assertMatch(await world.hooks.toolCall(CALL, never) ?? "", /"evil" .* does not run any more/);
});

Deno.test("waiting for the person does not count, looping while one waits does", async () => {
  const host = recordingHost([]);
  const answersAfter = (ms: number) => ({
    ...host,
    ui: { ...host.ui, confirm: () => new Promise<boolean>((done) => setTimeout(() => done(true), ms)) },
  });
  using world = await openWorld({
    "extensions/asks.ts": extension(
      'sp.on("tool_call", async (_e, ctx) => ({ block: await ctx.ui.confirm("t", "m"), reason: "asked" }));',
    ),
  }, { host: answersAfter(2 * FAST.eventMs), limits: FAST });
  assertEquals(await world.hooks.toolCall(CALL, never), "asked");
  assertEquals(lostOf(world.hooks, "asks"), undefined);
  using other = await openWorld({
    "extensions/evil.ts": extension('sp.on("context", (_e, ctx) => { ctx.ui.confirm("t", "m"); for (;;); });'),
  }, { host: answersAfter(2 * NO_TIME.eventMs), limits: NO_TIME });
  await other.hooks.context([], never);
  assertMatch(lostOf(other.hooks) ?? "", /did not answer/);
});

Deno.test("a result of 100 MB, and one that changes a prototype, are refused", async () => {
  using world = await openWorld({
    "extensions/evil.ts": extension(`
      sp.registerTool({ name: "big", description: "d", parameters: { type: "object" }, execute: () => "x".repeat(100_000_000) });
      sp.on("context", () => JSON.parse('{"messages":[],"__proto__":{"polluted":1}}'));
      sp.on("tool_result", () => ({ get content() { throw new Error("getter") } }));
      sp.on("before_provider_request", () => { const deep: any = {}; let at = deep; for (let i = 0; i < 500; i++) at = at.a = {}; return deep; });`),
    "extensions/good.ts": GOOD,
  });
  const { hooks } = world;
  assertMatch(JSON.stringify(await hooks.runTool("big", {}, "c", never, () => {})), /larger than 8 MB|too much memory/);
  const messages = [{ role: "user", content: "x", timestamp: 1 } as const];
  assertEquals(await hooks.context(messages, never), messages);
  assertEquals(await hooks.beforeProviderRequest({ model: "m" }, never), { model: "m" });
  assertEquals((await hooks.toolResult(CALL, { content: [] }, never)).isError, true);
  assertEquals(({} as { polluted?: number }).polluted, undefined);
  assert(await othersWork(hooks));
});

Deno.test("console output goes nowhere near the terminal, and floods are cut", async () => {
  using world = await openWorld({
    "extensions/evil.ts": extension(`
      sp.on("context", () => { for (let i = 0; i < 20_000; i++) console.log("line " + i, { i }); });`),
    "extensions/good.ts": GOOD,
  });
  const began = Date.now();
  await world.hooks.context([], never);
  assert(await othersWork(world.hooks));
  // Twenty in each second that has begun, and how many were left out: a busy machine takes some seconds for all lines.
  const seconds = 2 + (Date.now() - began) / 1000;
  assertLess(world.problems.length, 21 * seconds + 10);
  assertEquals(world.problems[0], { extension: "evil", level: "info", message: "line 0 { i: 0 }" });
});

Deno.test("what is thrown outside a call is reported and ends nothing", async () => {
  using world = await openWorld({
    "extensions/evil.ts": extension(`
      setTimeout(() => { throw new Error("late") }, 1);
      Promise.reject(new Error("nobody waits"));
      sp.on("input", async ({ text }) => { await new Promise((done) => setTimeout(done, 50)); return { action: "transform", text }; });`),
    "extensions/good.ts": GOOD,
  });
  assert(await othersWork(world.hooks));
  assertEquals(lostOf(world.hooks), undefined);
  assertEquals(world.problems.map(({ message }) => message.replace(/ \(.*/, "")).sort(), [
    "failed outside a call: late",
    "failed outside a call: nobody waits",
  ]);
});

/** A worker that answers as the test says, whatever it is asked. */
function forged(answer: (frame: { op: string; id: number }, listener: LinkListener) => void): StartLink {
  return (_permissions, listener) => ({
    wake: () => {},
    send: (text) => {
      const frame = readFrame(text);
      if (!frame) return;
      const op = frame.op as HostOp; // the host writes no others
      const say = (kind: "compiled" | "loaded", body: string) =>
        queueMicrotask(() => listener.onMessage(frameText({ op: kind, id: frame.id, body })));
      const registration = JSON.stringify({ events: ["context"], tools: [], commands: [], flags: [] });
      if (op === "load") say("compiled", "");
      else if (op === "run") say("loaded", registration);
      else queueMicrotask(() => answer(frame, listener));
    },
    end: () => {},
  });
}

for (
  const { name, data, why } of [
    { name: "an id that nobody gave out", data: "done 999\n[]", why: /nobody had asked/ },
    { name: "an answer of another kind", data: "loaded ID\n[]", why: /nobody had asked/ },
    { name: "no message at all", data: { op: "done", id: 1 }, why: /no message/ },
    { name: "text that is no JSON", data: "done ID\n{", why: undefined },
    { name: "an answer that is no list", data: "done ID\n7", why: undefined },
    { name: "100 MB", data: `done ID\n${"x".repeat(100_000_000)}`, why: /too large/ },
    { name: "a broken registration", data: 'registered 0\n{"events":["none"]}', why: /registration is incomplete/ },
    { name: "an id twice", data: ["action 5\n[]", "action 5\n[]"], why: /in a way that its API does not/ },
    { name: "a flood", data: Array.from({ length: 6000 }, () => "log 0\ninfo\nx"), why: /too many messages/ },
  ]
) {
  Deno.test(`a worker that sends ${name} ${why ? "is ended" : "is not believed"}`, async () => {
    using world = await openWorld({ "extensions/evil.ts": extension("") }, {
      // However long a busy machine takes for them, what is sent here is sent within a second.
      now: () => 0,
      startLink: forged(({ id }, { onMessage }) => {
        for (const item of Array.isArray(data) ? data : [data]) {
          onMessage(typeof item === "string" ? item.replace("ID", String(id)) : item);
        }
      }),
    });
    const messages = [{ role: "user", content: "x", timestamp: 1 } as const];
    assertEquals(await world.hooks.context(messages, never), messages);
    if (why) assertMatch(lostOf(world.hooks) ?? "", why);
    assert(world.problems.some((problem) => problem.extension === "evil" && problem.level === "error"));
  });
}

Deno.test("answers are no flood, however fast an extension is asked", async () => {
  using world = await openWorld({ "extensions/quick.ts": extension("") }, {
    now: () => 0,
    startLink: forged(({ op, id }, { onMessage }) =>
      onMessage(frameText({ op: "done", id, body: `[{"ok":${op === "emit"}}]` }))
    ),
  });
  const messages = [{ role: "user", content: "x", timestamp: 1 } as const];
  for (let i = 0; i < 12_000; i++) await world.hooks.context(messages, never);
  assertEquals([lostOf(world.hooks), world.problems], [undefined, []]);
});

Deno.test("messages after the end of a worker are not heard", async () => {
  let late: LinkListener | undefined;
  const asked: [string, ...unknown[]][] = [];
  using world = await openWorld({ "extensions/evil.ts": extension("") }, {
    host: recordingHost(asked),
    startLink: forged((_frame, listener) => {
      late = listener;
      listener.onMessage("done 999\n[]");
    }),
  });
  await world.hooks.context([], never);
  const before = world.problems.length;
  late?.onMessage('action 1\n["abort"]');
  late?.onMessage('registered 0\n{"events":[],"tools":[],"commands":[],"flags":[]}');
  late?.onEnd("once more");
  await Promise.resolve();
  assertEquals([asked, world.problems.length], [[], before]);
});

// Last, because what they took is given back slowly. Heaps that fill to the last are in heap_hogs_test.ts.

Deno.test("memory that grows without end costs its own worker", async () => {
  using world = await openWorld({
    // Buffers that are touched; of plain objects the runtime's own heap limit would be near.
    "extensions/evil.ts": extension(`
      sp.on("context", () => { const kept: unknown[] = []; for (let i = 0; ; i++) {
        kept.push(new Uint8Array(4_000_000).fill(i)); for (let n = 0; n < 3e7; n++); } });`),
    "extensions/good.ts": GOOD,
  });
  await world.hooks.context([], never);
  assertMatch(lostOf(world.hooks) ?? "", /too much memory|did not answer/);
  assert(await othersWork(world.hooks));
});

Deno.test("memory that grows between events costs its own worker", async () => {
  using world = await openWorld({
    "extensions/evil.ts": extension(`
      const kept: unknown[] = [];
      sp.on("session_start", () => { setInterval(() => kept.push(new Uint8Array(8_000_000).fill(1)), 5); });`),
    "extensions/good.ts": GOOD,
  });
  await world.hooks.observe({ type: "session_start", reason: "startup" });
  await until(() => lostOf(world.hooks) !== undefined);
  assertEquals(lostOf(world.hooks), "it took too much memory");
  assert(await othersWork(world.hooks));
});
