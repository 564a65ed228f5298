import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import type { ExtensionPermissions } from "../../src/core/hook.ts";
import { discoverExtensions } from "../../src/hooks/load/discover.ts";
import { readSource } from "../../src/hooks/code/source_files.ts";
import { extension, never, openWorld, writeFiles } from "./world.ts";

/** Each is tried by an extension that was granted nothing. */
const ATTEMPTS: readonly { readonly name: string; readonly expression: string; readonly says?: RegExp }[] = [
  { name: "read a file", expression: 'Deno.readTextFile(folder + "/secret.json")', says: /^REFUSED NotCapable/ },
  { name: "read with node:fs", expression: 'import("node:fs").then((fs) => fs.readFileSync(folder + "/secret.json"))' },
  { name: "write a file", expression: 'Deno.writeTextFile(folder + "/new", "x")', says: /^REFUSED NotCapable/ },
  { name: "list a folder", expression: "Array.fromAsync(Deno.readDir(folder))", says: /^REFUSED NotCapable/ },
  { name: "connect", expression: 'fetch("http://127.0.0.1:8123/")', says: /^REFUSED NotCapable/ },
  { name: "open a socket", expression: "(Deno as any).connect({ port: 8123 })" },
  { name: "start a program", expression: '(Deno as any).Command("true")' },
  { name: "load a library", expression: '(Deno as any).dlopen("libc.so.6", {})' },
  { name: "read the environment", expression: 'Deno.env.get("HOME") ?? process.env.HOME ?? null', says: /^GOT null$/ },
  // Each of these works in a worker without permissions that is not narrowed any further.
  { name: "import JSON", expression: 'import(folder + "/secret.json", { with: { type: "json" } })' },
  {
    name: "import JSON by its URL",
    expression: 'import("file://" + folder + "/secret.json", { with: { type: "json" } })',
  },
  { name: "make code from a text", expression: `eval("import('file:///etc/hostname')")` },
  { name: "make a function from a text", expression: 'new Function("return 1")()' },
  { name: "find the function constructor", expression: '(() => {}).constructor("return 1")()' },
  { name: "find an async one", expression: "(async () => {}).constructor(\"return import('node:fs')\")()" },
  { name: "find a generator's", expression: 'Object.getPrototypeOf(function* () {}).constructor("yield 1")()' },
  { name: "give a timer a text", expression: 'setTimeout("1", 0)' },
  { name: "end the program", expression: "(process as any).kill(1, 9)" },
  { name: "exit", expression: "(Deno as any).exit(3)" },
  { name: "reach the runtime's inside", expression: "(Deno as any)[(Deno as any).internal].core" },
  { name: "start a worker", expression: 'new Worker("data:text/javascript,1", { type: "module" })' },
  { name: "import processes", expression: 'import("node:child_process")' },
  { name: "import node:process", expression: 'import("node:process")' },
  { name: "import node:vm", expression: 'import("node:vm")' },
  { name: "import node:module", expression: 'import("node:module")' },
  { name: "import over the network", expression: 'import("https://example.com/x.js")' },
  { name: "import data", expression: 'import("data:text/javascript,export default 1")' },
  { name: "print on the terminal", expression: "(Deno as any).stdout.writeSync(new Uint8Array(1))" },
  { name: "read from the terminal", expression: "(Deno as any).stdin.readSync(new Uint8Array(1))" },
  { name: "ask the person behind the program's back", expression: "(globalThis as any).prompt('x')" },
  { name: "write to an open file", expression: 'import("node:fs").then((fs) => fs.writeFileSync(1 as any, "x"))' },
  { name: "send the host a message of its own", expression: '(globalThis as any).postMessage("done 1\\n[]")' },
  { name: "keep things on the disk", expression: "(globalThis as any).localStorage.setItem('a', 'b')" },
  { name: "speak with other workers", expression: "new BroadcastChannel('x')" },
];

Deno.test("an extension without grants cannot R232", async (t) => {
  const tools = ATTEMPTS.map(({ expression }, index) => `
    sp.registerTool({ name: "try${index}", description: "d", parameters: { type: "object" }, execute: async (_i, { folder }) => {
      try { const value: any = await (${expression}); return "GOT " + (JSON.stringify(value) ?? String(value)); }
      catch (error) { return "REFUSED " + error; }
    } });`);
  using world = await openWorld({
    "secret.json": '{"secret":"s3cret"}',
    "extensions/x.ts": extension(tools.join("")),
  });
  assertEquals(world.problems, []);
  for (const [index, { name, says = /^REFUSED/ }] of ATTEMPTS.entries()) {
    await t.step(name, async () => {
      const result = await world.hooks.runTool(`try${index}`, { folder: world.folder }, "c", never, () => {});
      const [part] = result.content;
      assertMatch(part?.type === "text" ? part.text : "", says);
    });
  }
});

Deno.test("an import that the transpiler takes for a comment does not reach the loader", async () => {
  // For the runtime the first line ends in a comment; the transpiler reads on from "/*".
  const trick = 'let x = 1; const y = x <!-- /*\nglobalThis.stolen = import("/etc/hostname");\n/* */ 1;';
  using world = await openWorld({ "extensions/x.ts": `${trick}\nexport default () => {};` });
  assertMatch(world.problems[0]?.message ?? "", /^is not loaded: .*(escaped|Unexpected|HTML|Invalid)/);
});

Deno.test("what a manifest asks for is granted to exactly these files, and to no others", async () => {
  const text = extension(
    `sp.registerTool({ name: "try", description: "d", parameters: { type: "object" }, execute: async (_i, { path }) => {
      try { return "GOT " + await Deno.readTextFile(path) + " " + Deno.env.get("HOME") } catch (error) { return "REFUSED " + error.name } } });`,
    'export const permissions = { read: ["./data", "~/more"], env: ["HOME"], net: ["127.0.0.1:9"] };',
  );
  const files = { "data/a.txt": "a", "more/b.txt": "b", "other/c.txt": "c", "extensions/x.ts": text };
  const folder = writeFiles(files);
  const { hash } = readSource(join(folder, "extensions/x.ts"));
  Deno.removeSync(folder, { recursive: true });
  const wants = { read: ["./data", "~/more"], net: ["127.0.0.1:9"], env: ["HOME"] };
  const grants = new Map<string, ExtensionPermissions>([[hash, {
    read: ["./data", "~/more", "/"], // "/" was never asked for
    env: ["HOME"],
  }]]);
  using world = await openWorld(files, { grants });
  const read = async (path: string) =>
    JSON.stringify(
      (await world.hooks.runTool("try", { path: join(world.folder, path) }, "c", never, () => {})).content,
    );
  assertMatch(await read("data/a.txt"), new RegExp(`GOT a ${Deno.env.get("HOME")}`));
  assertMatch(await read("more/b.txt"), /GOT b/);
  assertMatch(await read("other/c.txt"), /REFUSED NotCapable/);
  assertEquals(world.problems, [{
    extension: "x",
    level: "warning",
    message: "runs without what it asks for and was not granted: net 127.0.0.1:9. To grant all that it asks for, put " +
      `this into your own settings.json: ${JSON.stringify({ extensions: { grants: { [hash]: wants } } })}`,
  }]);
  using changed = await openWorld({ ...files, "extensions/x.ts": `${text}// changed` }, { grants });
  const state = changed.hooks.extensions()[0];
  assertEquals([state?.granted, state?.wants.read], [{}, ["./data", "~/more"]]);
});

Deno.test("discoverExtensions() finds files and folders, in load order; the first of a name wins", () => {
  const folder = writeFiles({
    "user/extensions/b.ts": "",
    "user/extensions/a.ts": "",
    "user/extensions/folder/index.ts": "",
    "user/extensions/empty/other.ts": "",
    "user/extensions/types.d.ts": "",
    "user/extensions/a_test.ts": "",
    "project/extensions/a.ts": "",
    "own/index.ts": "",
    "b.ts": "",
  });
  const find = (options: { readonly trusted: boolean; readonly enabled?: boolean }) => {
    const { found, diagnostics } = discoverExtensions({
      projectFolder: join(folder, "project"),
      userFolder: join(folder, "user"),
      explicit: ["own", "b.ts", "none.ts"],
      cwd: folder,
      enabled: true,
      ...options,
    });
    return { found: found.map(({ path }) => path.slice(folder.length)), diagnostics: diagnostics.length };
  };
  try {
    assertEquals(find({ trusted: true }), {
      found: ["/own/index.ts", "/b.ts", "/project/extensions/a.ts", "/user/extensions/folder/index.ts"],
      diagnostics: 3, // none.ts, and the names a and b once more
    });
    assertEquals(find({ trusted: false }), {
      found: ["/own/index.ts", "/b.ts", "/user/extensions/a.ts", "/user/extensions/folder/index.ts"],
      diagnostics: 3, // none.ts, the project, and b once more
    });
    assertEquals(find({ trusted: true, enabled: false }).found, ["/own/index.ts", "/b.ts"]);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
