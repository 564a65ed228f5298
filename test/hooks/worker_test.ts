import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { extension, filesIn, never, openWorld, recordingHost } from "./world.ts";

const CALL = { toolName: "bash", toolCallId: "c1", input: { command: "ls" } };

Deno.test("an extension of several TypeScript files runs in a worker, with imports of every kind", async () => {
  using world = await openWorld({
    "extensions/multi/index.ts": `
      import { defineExtension, type ExtensionApi } from "sandpiper";
      import { join } from "node:path";
      import first, { Kind } from "./lib/first.ts";
      import data from "./data.json" with { type: "json" };
      export const permissions = { } as const;
      const waited: number = await Promise.resolve(2);
      export default defineExtension((sp: ExtensionApi) => {
        sp.on("input", async ({ text }) => {
          const { late } = await import("./lib/late.ts");
          return { action: "transform", text: [text, first(), Kind.B, data.k, waited, late, join("a", "b"),
            import.meta.url.endsWith("/multi/index.ts")].join(" ") };
        });
      });`,
    "extensions/multi/lib/first.ts": `
      import { other } from "./other.ts";
      export enum Kind { A = 4, B }
      export const name = "first";
      export default function first(): string { return name + other() }`,
    "extensions/multi/lib/other.ts": `
      import { name } from "./first.ts"; // a circle
      export const other = (): string => "/" + name.length;`,
    "extensions/multi/lib/late.ts": `export const late = "late" satisfies string;`,
    "extensions/multi/data.json": `{ "k": "json" }`,
  });
  assertEquals(world.problems, []);
  assertEquals(await world.hooks.input({ text: "t", source: "interactive" }, never), {
    action: "continue",
    text: "t first/5 5 json 2 late a/b true",
    images: [],
  });
});

Deno.test("a failing handler is reported with file and line of its TypeScript R227", async () => {
  using world = await openWorld({
    "extensions/bad.ts": extension(
      'sp.on("context", () => {\n  const x: number = 1;\n  throw new TypeError("boom " + x);\n});',
    ),
  });
  await world.hooks.context([{ role: "user", content: "x", timestamp: 1 }], never);
  const path = join(world.folder, "extensions/bad.ts");
  assertEquals(world.problems, [
    { extension: "bad", level: "error", message: `context: TypeError: boom 1 (${path}:6:9)` },
  ]);
});

for (
  const { name, text, says } of [
    {
      name: "throws while it loads",
      text: 'const x: string = "no";\nthrow new Error(x);',
      says: /no \(.*\/x\.ts:2:7\)$/,
    },
    { name: "has a syntax error", text: "const a = 1;\nconst b = = 2;", says: /Unexpected token \(.*\/x\.ts:2:11\)$/ },
    { name: "has no default export", text: "export const a = 1;", says: /no function as its default export$/ },
    {
      name: "imports what is not there",
      text: 'import "./none.ts";',
      says: /Cannot import "\.\/none\.ts": no such file \(.*x\.ts:1:/,
    },
    {
      name: "imports a package",
      text: 'import x from "left-pad";\nx();',
      says: /Cannot import "left-pad": extensions can import "sandpiper", node:/,
    },
    { name: "imports from outside its folder", text: 'import "../settings.json";', says: /is outside/ },
  ]
) {
  Deno.test(`openHooks() reports and leaves out an extension that ${name}`, async () => {
    using world = await openWorld({
      "settings.json": "{}",
      "extensions/x.ts": text,
      "extensions/y.ts": extension('sp.on("input", () => ({ action: "handled" }));'),
    });
    assertMatch(world.problems[0]?.message ?? "", says);
    assertEquals(world.problems.length, 1);
    assertEquals((await world.hooks.input({ text: "t", source: "interactive" }, never)).action, "handled");
    assertMatch(world.hooks.extensions().find((each) => each.name === "x")?.lost ?? "", says);
  });
}

Deno.test("tools run in the worker: updates, results, abort R231", async () => {
  using world = await openWorld({
    "extensions/tools.ts": extension(`
      sp.registerTool({ name: "count", description: "Counts", parameters: { type: "object" },
        async execute(id, { n }: { n: number }, signal, onUpdate, ctx) {
          onUpdate("half of " + n);
          const { stdout } = await ctx.exec("git", ["status"], { timeoutMs: 500 });
          return { content: [{ type: "text", text: id + n + stdout }], details: { n } };
        } });
      sp.registerTool({ name: "wait", description: "Waits", parameters: { type: "object" },
        execute: (_id, _params, signal) => new Promise((done) => signal.addEventListener("abort", () => done("stopped"))) });
    `),
  });
  const updates: unknown[] = [];
  assertEquals(await world.hooks.runTool("count", { n: 4 }, "c9", never, (partial) => updates.push(partial)), {
    content: [{ type: "text", text: "c94out" }],
    details: { n: 4 },
  });
  assertEquals(updates, [{ content: [{ type: "text", text: "half of 4" }] }]);
  assertEquals(world.asked, [["exec", "git", ["status"], { timeoutMs: 500 }, "tools"]]);
  const stop = new AbortController();
  const waiting = world.hooks.runTool("wait", {}, "c10", stop.signal, () => {});
  stop.abort();
  assertEquals(await waiting, { content: [{ type: "text", text: "stopped" }] });
});

Deno.test("every method of the API arrives at the host, its texts without terminal controls R229 R230", async () => {
  using world = await openWorld({
    "extensions/all.ts": extension(`
      sp.registerCommand("all", { handler: async (args, ctx) => {
        await sp.sendMessage({ customType: "t", content: "c" }, { deliverAs: "nextTurn" });
        await sp.sendUserMessage("hello", { deliverAs: "steer" });
        await sp.appendEntry("state", { n: 1 });
        await sp.setActiveTools(await sp.getActiveTools());
        await sp.setModel("m"); await sp.setThinkingLevel("high");
        await sp.setSessionName("n\\u001b]0;x\\u0007"); await sp.setLabel("e1", "l");
        await ctx.compact({ customInstructions: "i" });
        await ctx.ui.notify("red \\u001b[31m", "warning");
        await ctx.ui.setStatus("k", args);
        const answers = [await ctx.ui.confirm("t", "m"), await ctx.ui.select("t", ["a"]), await ctx.ui.input("t")];
        await sp.appendEntry("answers", [answers, await sp.getAllTools(), await sp.getThinkingLevel(),
          await ctx.getSystemPrompt(), await ctx.getContextUsage(), await sp.getSessionName(), await ctx.isIdle(),
          await ctx.getModel(), await ctx.getEntries()]);
        await ctx.abort();
      } });`),
  });
  assertEquals(await world.hooks.runCommand("all", "s", never), true);
  assertEquals(world.problems, []);
  const own = world.asked.filter(([name]) => !/^(get|isIdle|select|confirm|input)/.test(name));
  assertEquals(own, [
    ["sendMessage", { customType: "t", content: "c", display: true }, { deliverAs: "nextTurn" }, "all"],
    ["sendUserMessage", "hello", { deliverAs: "steer" }, "all"],
    ["appendEntry", "state", { n: 1 }, "all"],
    ["setActiveTools", ["read"], "all"],
    ["setModel", "m", "all"],
    ["setThinkingLevel", "high", "all"],
    ["setSessionName", "n", "all"],
    ["setLabel", "e1", "l", "all"],
    ["compact", { customInstructions: "i" }, "all"],
    ["notify", "red ", "warning", "all"],
    ["setStatus", "k", "s", "all"],
    ["appendEntry", "answers", [
      [false, null, null],
      [{ name: "read", description: "Reads" }],
      ...["off", "prompt", { tokens: 1, contextWindow: 100, percent: 1 }, "name", true],
      ...[{ provider: "openai", id: "m" }, []],
    ], "all"],
    ["abort", "all"],
  ]);
});

Deno.test("a refusal of the host and wrong arguments reach the extension as errors", async () => {
  const asked: [string, ...unknown[]][] = [];
  const host = recordingHost(asked, { setActiveTools: () => Promise.reject(new Error("no tool x")) });
  using world = await openWorld({
    "extensions/a.ts": extension(`
      sp.registerCommand("go", { handler: async () => {
        const said: string[] = [];
        for (const work of [() => sp.setActiveTools(["x"]), () => sp.setModel(4 as any), () => sp.ui.notify("x", "loud" as any)]) {
          await work().catch((error: Error) => said.push(error.message));
        }
        await sp.appendEntry("said", said);
      } });`),
  }, { host });
  await world.hooks.runCommand("go", "", never);
  assertEquals(asked, [["appendEntry", "said", [
    "no tool x",
    "an argument must be a text",
    "an argument must be one of info, warning, error",
  ], "a"]]);
});

Deno.test("tools registered later appear, removed ones vanish R444", async () => {
  using world = await openWorld({
    "extensions/a.ts": extension(`
      let remove = () => {};
      const tool = { name: "late", description: "d", parameters: { type: "object" }, execute: () => "x" };
      sp.registerCommand("on", { handler: () => { remove = sp.registerTool(tool); } });
      sp.registerCommand("off", { handler: () => remove() });`),
  });
  const seen: string[][] = [];
  world.hooks.onToolsChanged(() => seen.push(world.hooks.tools().map(({ name }) => name)));
  await world.hooks.runCommand("on", "", never);
  await world.hooks.runCommand("off", "", never);
  assertEquals(seen, [["late"], []]);
});

Deno.test("flags of the command line are known in the worker", async () => {
  using world = await openWorld({
    "extensions/a.ts": extension(`
      sp.registerFlag("plan", { type: "boolean" });
      sp.on("tool_call", () => ({ block: sp.getFlag("plan") === true }));`),
  });
  assertEquals(await world.hooks.toolCall(CALL, never), undefined);
  world.hooks.setFlags({ plan: true });
  assertStringIncludes(await world.hooks.toolCall(CALL, never) ?? "", "blocked by extension");
});

Deno.test("a compiled extension is kept by the hash of its files, and compiled again when one changes", async () => {
  const body = (text: string) => extension(`sp.on("input", () => ({ action: "transform", text: "${text}" }));`);
  using world = await openWorld({ "extensions/a.ts": body("one") });
  const cacheFolder = join(world.folder, "cache");
  const run = async (): Promise<string> => {
    const { openHooks } = await import("../../src/hooks/open.ts");
    const hooks = await openHooks({
      extensions: [{ name: "a", path: join(world.folder, "extensions/a.ts"), origin: "user" }],
      ...{ grants: new Map(), host: recordingHost([]), files: filesIn(world.folder), builtinTools: new Set<string>() },
      facts: { cwd: world.folder, mode: "text", hasUI: false },
      ...{ cacheFolder, report: () => {} },
    });
    const outcome = await hooks.input({ text: "t", source: "interactive" }, never);
    hooks.close();
    return outcome.action === "continue" ? outcome.text : "";
  };
  assertEquals(await run(), "one");
  const files = () => [...Deno.readDirSync(cacheFolder)].filter(({ isFile }) => isFile).map(({ name }) => name);
  const [kept] = files();
  assert(kept !== undefined);
  assertEquals((Deno.statSync(cacheFolder).mode ?? 0) & 0o777, 0o700);
  // What is kept is what runs: the second start does not compile.
  const path = join(cacheFolder, kept);
  Deno.writeTextFileSync(path, Deno.readTextFileSync(path).replace("one", "kept"));
  assertEquals(await run(), "kept");
  Deno.writeTextFileSync(join(world.folder, "extensions/a.ts"), body("two"));
  assertEquals(await run(), "two");
  // A broken file is nothing that was kept.
  for (const name of files()) Deno.writeTextFileSync(join(cacheFolder, name), "{");
  assertEquals(await run(), "two");
});

Deno.test("openHooks() starts no worker when there is no extension", async () => {
  let started = 0;
  using world = await openWorld({}, {
    startLink: () => {
      started++;
      throw new Error("not to be started");
    },
  });
  assertEquals(started, 0);
  const messages = [{ role: "user", content: "x", timestamp: 1 } as const];
  assertEquals(await world.hooks.context(messages, never) === messages, true);
});
