import { assertEquals } from "@std/assert";
import type { ExtensionApi } from "../../../src/hooks/api/api.ts";
import { never, openWorld } from "../world.ts";

const PARAMETERS = { type: "object", properties: { n: { type: "number" } } };
const tool = (name: string) => ({ name, description: name, parameters: PARAMETERS, execute: () => name });

Deno.test("tools() carry snippet and guidelines; the first of a name wins, built-in names are refused R231", async () => {
  const factory = (sp: ExtensionApi): void => {
    sp.registerTool({ ...tool("query"), promptSnippet: "ask", promptGuidelines: ["Ask first"] });
    sp.registerTool(tool("bash"));
    sp.registerTool(tool("read"));
  };
  using world = await openWorld({}, {
    mayShadow: new Set(["read"]),
    inProcess: [{ name: "a", factory }, { name: "b", factory: (sp) => void sp.registerTool(tool("query")) }],
  });
  assertEquals(world.hooks.tools(), [
    {
      ...{ extension: "a", name: "query", description: "query", parameters: PARAMETERS },
      ...{ promptSnippet: "ask", promptGuidelines: ["Ask first"] },
    },
    { extension: "a", name: "read", description: "read", parameters: PARAMETERS },
  ]);
  assertEquals(world.problems, [
    {
      extension: "a",
      level: "warning",
      message: 'its tool "bash" is left out: it would stand in for the built-in one',
    },
    { extension: "b", level: "warning", message: 'its tool "query" is left out: "a" brought one before' },
  ]);
});

Deno.test("onToolsChanged() is told of tools that come and go R444", async () => {
  let api: ExtensionApi | undefined;
  using world = await openWorld({}, { inProcess: [{ name: "a", factory: (sp) => void (api = sp) }] });
  const seen: string[][] = [];
  world.hooks.onToolsChanged(() => seen.push(world.hooks.tools().map(({ name }) => name)));
  const remove = api?.registerTool(tool("late"));
  api?.on("context", () => {}); // no tool: not told
  remove?.();
  assertEquals(seen, [["late"], []]);
});

Deno.test("runTool() gives results, and errors that the model can act on", async () => {
  using world = await openWorld({}, {
    inProcess: [{
      name: "a",
      factory: (sp) => {
        sp.registerTool({ ...tool("ok"), execute: (id, { n }) => `${id}:${n}` });
        sp.registerTool({
          ...tool("bad"),
          execute: () => {
            throw new Error("no database");
          },
        });
      },
    }],
  });
  const run = (name: string) => world.hooks.runTool(name, { n: 2 }, "c1", never, () => {});
  assertEquals(await run("ok"), { content: [{ type: "text", text: "c1:2" }] });
  assertEquals(await run("bad"), {
    content: [{ type: "text", text: 'Tool "bad" of extension "a" failed: no database' }],
    isError: true,
  });
  assertEquals((await run("gone")).isError, true);
});

Deno.test("runCommand() runs one handler; names that are taken get a number R167", async () => {
  const ran: string[] = [];
  const factory = (name: string) => (sp: ExtensionApi): void => {
    sp.registerCommand("go", { description: name, handler: (args) => void ran.push(`${name} ${args}`) });
  };
  using world = await openWorld({}, {
    inProcess: [{ name: "a", factory: factory("a") }, { name: "b", factory: factory("b") }],
  });
  assertEquals(world.hooks.commands(), [
    { extension: "a", name: "go", description: "a" },
    { extension: "b", name: "go:2", description: "b" },
  ]);
  assertEquals(await world.hooks.runCommand("go:2", "x y", never), true);
  assertEquals(await world.hooks.runCommand("nothing", "", never), false);
  assertEquals(ran, ["b x y"]);
});

Deno.test("flags() have defaults until the command line says otherwise", async () => {
  let api: ExtensionApi | undefined;
  using world = await openWorld({}, {
    inProcess: [{
      name: "a",
      factory: (sp) => {
        api = sp;
        sp.registerFlag("plan", { type: "boolean", default: false, description: "plan first" });
      },
    }],
  });
  assertEquals(world.hooks.flags(), [
    { extension: "a", name: "plan", type: "boolean", default: false, description: "plan first" },
  ]);
  const before = api?.getFlag("plan");
  world.hooks.setFlags({ plan: true });
  assertEquals([before, api?.getFlag("plan"), api?.getFlag("toString")], [false, true, undefined]);
});
