import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { HookProblem, Hooks } from "../../src/core/hook.ts";
import type { HostActions } from "../../src/core/host_actions.ts";
import { openHooks } from "../../src/hooks/open.ts";
import { type StartLink, startWorker } from "../../src/hooks/worker/link.ts";
import { until } from "../helpers/until.ts";
import { extension, filesIn, never, recordingHost, writeFiles } from "./world.ts";

const CALL = { toolName: "bash", toolCallId: "c1", input: { command: "ls" } };
const TOOL = 'sp.registerTool({ name: "late", description: "d", promptSnippet: "s", parameters: { type: "object" }, ' +
  'execute: () => "ran" });';

/** Starts of one extension `a` after each other, with what is kept between them. */
interface Starts extends Disposable {
  readonly folder: string;
  readonly open: (options?: Partial<Parameters<typeof openHooks>[0]>) => Promise<Start>;
}

interface Start extends Disposable {
  readonly hooks: Hooks;
  readonly problems: HookProblem[];
  /** Workers that have been started. */
  readonly workers: () => number;
}

function startsOf(text: string, host: HostActions = recordingHost([])): Starts {
  const folder = writeFiles({ "a.ts": text });
  return {
    folder,
    open: async (options = {}) => {
      let workers = 0;
      const problems: HookProblem[] = [];
      const startLink: StartLink = (...link) => {
        workers++;
        return startWorker(...link);
      };
      const hooks = await openHooks({
        extensions: [{ name: "a", path: join(folder, "a.ts"), origin: "user" }],
        ...{ grants: new Map(), host, files: filesIn(folder), builtinTools: new Set<string>(), startLink },
        facts: { cwd: folder, mode: "text", hasUI: false },
        cacheFolder: join(folder, "cache"),
        report: (problem) => void problems.push(problem),
        ...options,
      });
      return { hooks, problems, workers: () => workers, [Symbol.dispose]: hooks.close };
    },
    [Symbol.dispose]: () => Deno.removeSync(folder, { recursive: true }),
  };
}

/** How many workers a start has at once. */
async function workersAtOnce(starts: Starts, options?: Parameters<Starts["open"]>[0]): Promise<number> {
  using start = await starts.open(options);
  return start.workers();
}

Deno.test("what an extension brought is known at the next start, and its worker starts when it is needed", async () => {
  using starts = startsOf(extension(`
    ${TOOL}
    sp.registerCommand("hello", { description: "says hello", handler: () => {} });
    sp.registerFlag("loud", { type: "boolean" });
    sp.on("tool_call", () => sp.getFlag("loud") === true ? { block: true, reason: "loud" } : undefined);`));
  const brought = ({ hooks }: Start) => [hooks.tools(), hooks.commands(), hooks.flags(), hooks.has("tool_call")];
  using first = await starts.open();
  assertEquals(first.workers(), 1);
  using second = await starts.open();
  assertEquals(second.workers(), 0);
  assertEquals(brought(second), brought(first));
  second.hooks.setFlags({ loud: true });
  assertEquals(await second.hooks.toolCall(CALL, never), "loud");
  assertEquals((await second.hooks.runTool("late", {}, "c2", never, () => {})).content, [{
    type: "text",
    text: "ran",
  }]);
  assertEquals([second.workers(), second.problems.length], [1, 0]);
});

Deno.test("a worker that nothing needs starts all the same, sooner with the first request", async () => {
  using starts = startsOf(extension(TOOL));
  using _first = await starts.open();
  const order: string[] = [];
  const open = (name: string): Promise<Start> =>
    starts.open({
      startLink: (...link) => {
        order.push(name);
        return startWorker(...link);
      },
    });
  // Together, so that their own second passes at the same time.
  const [second, third] = await Promise.all([open("second"), open("third")]);
  using _second = second;
  using _third = third;
  third.hooks.startLate();
  await until(() => order.length === 2);
  assertEquals(order, ["third", "second"]);
});

Deno.test("who listens to what comes before the first request is started at once, and not waited for", async () => {
  using starts = startsOf(extension(`
    let n = 0;
    sp.on("session_start", () => { n++; });
    sp.on("input", ({ text }) => ({ action: "transform", text: text + n }));`));
  using _first = await starts.open();
  using second = await starts.open();
  assertEquals(second.workers(), 1);
  // In their order, though both are sent before it is loaded.
  void second.hooks.observe({ type: "session_start", reason: "startup" });
  assertEquals(await second.hooks.input({ text: "t", source: "rpc" }, never), {
    action: "continue",
    text: "t1",
    images: [],
  });
});

for (
  const { name, body } of [
    { name: "asks the program something", body: "await sp.getActiveTools();" },
    { name: "asks without waiting", body: 'void sp.ui.notify("here");' },
    { name: "prints", body: 'console.log("here");' },
    { name: "registers something a moment later", body: 'setTimeout(() => sp.on("agent_end", () => {}), 1);' },
  ]
) {
  Deno.test(`an extension that ${name} while it loads is waited for each time`, async () => {
    using starts = startsOf(extension(`${TOOL}\n${body}`));
    {
      using first = await starts.open();
      if (body.startsWith("setTimeout")) await until(() => first.hooks.has("agent_end"));
    }
    assertEquals(await workersAtOnce(starts), 1);
    assertEquals(await workersAtOnce(starts), 1);
  });
}

Deno.test("whoever was granted something, or is somewhere else, or belongs to another version, is waited for", async () => {
  const text = `export const permissions = { env: ["A_NAME"] };\n${extension(TOOL)}`;
  using starts = startsOf(text);
  using first = await starts.open();
  const hash = first.hooks.extensions()[0]?.hash ?? "";
  const facts = { cwd: starts.folder, mode: "text", hasUI: false } as const;
  const granted = { grants: new Map([[hash, { env: ["A_NAME"] }]]) };
  assertEquals([
    await workersAtOnce(starts),
    await workersAtOnce(starts, granted),
    await workersAtOnce(starts, granted),
    await workersAtOnce(starts, { facts: { ...facts, cwd: "/" } }),
    await workersAtOnce(starts, { facts: { ...facts, mode: "rpc" } }),
    await workersAtOnce(starts, { version: "2" }),
    await workersAtOnce(starts, { version: "2" }),
    await workersAtOnce(starts),
  ], [0, 1, 1, 1, 1, 1, 0, 0]);
});

Deno.test("what is brought now replaces what was kept, and is waited for from then on", async () => {
  using starts = startsOf(extension(`sp.registerTool({ name: "at" + (Date.now() % 100000), description: "d",
    parameters: { type: "object" }, execute: () => "x" });`));
  using _first = await starts.open();
  using second = await starts.open();
  const names = () => second.hooks.tools().map(({ name }) => name);
  const [before] = names();
  let changes = 0;
  second.hooks.onToolsChanged(() => changes++);
  second.hooks.startLate();
  await until(() => changes === 1);
  assertEquals([names().length, names()[0] === before], [1, false]);
  assertEquals([await workersAtOnce(starts), await workersAtOnce(starts)], [1, 1]);
});

/** Changes what is kept of the extension, as somebody could who can write there. */
function forge(folder: string, change: (text: string) => string): string {
  const kept = join(folder, "cache", "brought");
  const [file] = [...Deno.readDirSync(kept)];
  const path = join(kept, file?.name ?? "");
  Deno.writeTextFileSync(path, change(Deno.readTextFileSync(path)));
  return path;
}

Deno.test("no call runs before everybody is loaded: a guard that is not in what was kept is asked too", async () => {
  using starts = startsOf(extension('sp.on("tool_call", () => ({ block: true, reason: "guarded" }));'));
  using _first = await starts.open();
  forge(starts.folder, (text) => text.replace('"tool_call"', ""));
  using second = await starts.open();
  assertEquals([second.workers(), second.hooks.has("tool_call")], [0, true]);
  assertEquals(await second.hooks.toolCall(CALL, never), "guarded");
});

Deno.test("a guard that does not load late refuses, and is left out by the next start", async () => {
  using starts = startsOf(extension('if (performance.timeOrigin === 0) return;\nsp.on("tool_call", () => {});'));
  using _first = await starts.open();
  using second = await starts.open({
    startLink: () => {
      throw new Error("no worker");
    },
  });
  assertStringIncludes(await second.hooks.toolCall(CALL, never) ?? "", "has to look at it first and failed");
  assertMatch(second.problems[0]?.message ?? "", /^was ended: it did not load: no worker$/);
  assertEquals(await workersAtOnce(starts), 1);
});

Deno.test("who is needed early and fails at once is reported once", async () => {
  using starts = startsOf(extension('sp.on("input", () => ({ action: "handled" }));'));
  assertEquals(await workersAtOnce(starts), 1);
  using second = await starts.open({
    startLink: () => {
      throw new Error("no worker");
    },
  });
  const outcome = await second.hooks.input({ text: "t", source: "rpc" }, never);
  assertEquals([outcome.action, second.hooks.extensions()[0]?.lost], ["continue", "it did not load: no worker"]);
  assertEquals(second.problems.map(({ message }) => message), ["was ended: it did not load: no worker"]);
});

Deno.test("close() ends a worker that is still loading, and what waits for it", async () => {
  using starts = startsOf(extension("await new Promise((done) => setTimeout(done, 300));\n" + TOOL));
  using _first = await starts.open();
  using second = await starts.open();
  const running = second.hooks.runTool("late", {}, "c", never, () => {});
  assertEquals(second.workers(), 1);
  second.hooks.close();
  assertEquals((await running).isError, true);
  assertEquals(second.problems, []);
});

for (
  const { name, spoil } of [
    { name: "that others can write", spoil: (path: string) => Deno.chmodSync(path, 0o622) },
    { name: "in a folder that others can write", spoil: (path: string) => Deno.chmodSync(join(path, ".."), 0o770) },
    { name: "that is a link", spoil: relink },
    { name: "that is no list", spoil: (path: string) => Deno.writeTextFileSync(path, "{") },
    { name: "of another shape", spoil: reshape },
  ]
) {
  Deno.test(`what is kept does not count in a file ${name}`, async () => {
    using starts = startsOf(extension(TOOL));
    assertEquals([await workersAtOnce(starts), await workersAtOnce(starts)], [1, 0]);
    spoil(forge(starts.folder, (text) => text));
    assertEquals(await workersAtOnce(starts), 1);
  });
}

function relink(path: string): void {
  Deno.renameSync(path, `${path}.real`);
  Deno.symlinkSync(`${path}.real`, path);
}

function reshape(path: string): void {
  Deno.writeTextFileSync(path, Deno.readTextFileSync(path).replace('"type":"object"', '"type":"text"'));
}

Deno.test("heard() waits for what was told last, of an extension too that is loaded for it, and no longer than it may", async () => {
  const asked: [string, ...unknown[]][] = [];
  using starts = startsOf(
    extension(`sp.on("agent_settled", async () => { await sp.ui.notify("settled"); });
    sp.on("agent_end", () => new Promise(() => {}));`),
    recordingHost(asked),
  );
  const totals = {
    turns: 1,
    toolCalls: 0,
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cost: 0,
    totalTokens: 0,
    durationMs: 0,
  };
  {
    using _first = await starts.open();
  }
  const second = await starts.open();
  assertEquals(second.workers(), 0);
  void second.hooks.observe({ type: "agent_settled", aborted: false, totals });
  await second.hooks.heard(30_000);
  second.hooks.close();
  assertEquals([second.problems, asked.map(([name]) => name)], [[], ["notify"]]);

  const third = await starts.open();
  void third.hooks.observe({ type: "agent_end", messages: [], ending: "done" });
  await third.hooks.heard(1);
  third.hooks.close();
  await third.hooks.heard(30_000);
  assertMatch(third.problems.map(({ message }) => message).join(), /^agent_end: .*it is closed/);
});
