import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { readLiteral } from "../../../src/hooks/load/literal.ts";
import { readManifest } from "../../../src/hooks/load/manifest.ts";
import { readSource } from "../../../src/hooks/code/source_files.ts";
import { grantedOf, missingOf, workerPermissions } from "../../../src/hooks/worker/permissions.ts";
import { writeFiles } from "../world.ts";

for (
  const { text, value } of [
    { text: '{ net: ["a", \'b\'], "read": [], }', value: { net: ["a", "b"], read: [] } },
    { text: '{ // comment }\n net: /* ] */ ["a"] } as const', value: { net: ["a"] } },
    { text: "{}", value: {} },
    { text: '"it\\"s \\u0041"', value: 'it"s A' },
    { text: "{ net: hosts }", value: undefined },
    { text: "{ net: [`a`] }", value: undefined },
    { text: '{ net: ["a"].concat(more) }', value: undefined },
    { text: "{ ...others }", value: undefined },
    { text: '{ get net() { return ["a"] } }', value: undefined },
    { text: '{ "__proto__": [] }', value: undefined },
    { text: '{ net: ["a" }', value: undefined },
    { text: "makePermissions()", value: undefined },
  ]
) {
  Deno.test(`readLiteral() ${value === undefined ? "does not take" : "takes"} ${text}`, () => {
    assertEquals(readLiteral(`x = ${text}`, 4), value);
  });
}

/** What the manifest of these files says, or why it cannot be read. */
function manifestOf(files: Readonly<Record<string, string>>): unknown {
  const folder = writeFiles(files);
  try {
    return readManifest(readSource(join(folder, "index.ts")));
  } catch (error) {
    return error instanceof Error ? error.message : error;
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

for (
  const { name, files, says } of [
    {
      name: "the entry's own",
      files: { "index.ts": 'import "x";\nexport const permissions: P = { net: ["a.example"] };' },
      says: { net: ["a.example"] },
    },
    {
      name: "package.json's",
      files: { "index.ts": "", "package.json": '{"sandpiper":{"permissions":{"read":["./data"]}}}' },
      says: { read: ["./data"] },
    },
    {
      name: "a provider",
      files: {
        "index.ts": 'export const permissions = { providers: ["acme chat https://api.acme.test/v1 ACME_KEY"] };',
      },
      says: { providers: ["acme chat https://api.acme.test/v1 ACME_KEY"] },
    },
    ...[
      "acme chat http://api.acme.test/v1 ACME_KEY",
      "acme chat https://{HOST}/v1 ACME_KEY",
      "acme chat https://u:p@api.acme.test ACME_KEY",
      "acme chat https://api.acme.test/v1  ACME_KEY",
      "Acme chat https://api.acme.test/v1",
      "acme soap https://api.acme.test/v1",
    ].map((line) => ({
      name: `no provider in ${line}`,
      files: { "index.ts": `export const permissions = { providers: ["${line}"] };` },
      says: `its provider ${JSON.stringify(line)} must be "NAME API URL" or "NAME API URL VARIABLE", ` +
        "the API chat, responses or anthropic, the address with https",
    })),
    { name: "none", files: { "index.ts": "const permissions = {};", "package.json": "{}" }, says: {} },
    {
      name: "one that would have to be run",
      files: { "index.ts": "export const permissions = ask();" },
      says: "its permissions must be a plain object of lists of texts",
    },
    ...["a\\u202Etxt", "a\\u200bb", "a\\nb", ""].map((path) => ({
      name: `one whose path would be shown otherwise than it is: ${path}`,
      files: { "index.ts": `export const permissions = { read: ["${path}"] };` },
      says: 'its permission "read" must be a list of texts without control and invisible characters',
    })),
    {
      name: "one that asks for programs",
      files: { "index.ts": 'export const permissions = { run: ["git"] };' },
      says: 'its permissions name "run", which is not one of read, write, net, env, providers; ' +
        "programs run through exec(), in the tools' scope",
    },
  ]
) {
  Deno.test(`readManifest() reads ${name}`, () => assertEquals(manifestOf(files), says));
}

Deno.test("readSource() takes what is imported and nothing else; the hash follows every byte and not the place", () => {
  const files = {
    "index.ts": 'import "./a";\nexport * from "./b/c.js";',
    "a.ts": "",
    "b/c.ts": 'import "../a.ts"',
    "d.ts": "",
  };
  const read = (more: Readonly<Record<string, string>> = {}) => {
    const folder = writeFiles({ ...files, ...more });
    const { files: found, hash } = readSource(join(folder, "index.ts"));
    Deno.removeSync(folder, { recursive: true });
    return { paths: found.map(({ path }) => path.slice(folder.length)).sort(), hash };
  };
  const first = read();
  assertEquals(first.paths, ["/a.ts", "/b/c.ts", "/index.ts"]);
  assertEquals(read({ "d.ts": "not imported" }), first);
  for (const more of [{ "a.ts": " " }, { "package.json": '{"sandpiper":{"permissions":{"net":["x"]}}}' }]) {
    assertEquals(read(more).hash === first.hash, false);
  }
});

Deno.test("readSource() does not follow links out of the extension's folder", () => {
  const folder = writeFiles({ "secret.ts": "", "x/index.ts": 'import "./link.ts";' });
  Deno.symlinkSync(join(folder, "secret.ts"), join(folder, "x/link.ts"));
  assertThrows(() => readSource(join(folder, "x/index.ts")), Error, "outside");
  Deno.removeSync(folder, { recursive: true });
});

Deno.test("workerPermissions() hold what was asked for and granted, and nothing else", () => {
  const wants = { read: ["./data", "~/d"], net: ["a.example", "b.example"] };
  const granted = grantedOf(wants, { read: ["./data", "~/d", "/"], net: ["b.example"], write: ["/"] });
  assertEquals(granted, { read: ["./data", "~/d"], net: ["b.example"] });
  assertEquals(missingOf(wants, granted), ["net a.example"]);
  assertEquals(workerPermissions(granted), {
    net: ["b.example"],
    // The worker reaches no file by itself: the host opens what was granted.
    ...{ read: false, write: false, env: false, run: false, ffi: false, sys: false, import: false },
  });
});

Deno.test("readLiteral() reads comments in one way alone: thousands before something else cost one pass", () => {
  assertEquals(readLiteral(`{${"/* a **//**/".repeat(5000)} \x01`, 0), undefined);
  assertEquals(readLiteral(`{ net: /***/ [/* * / */ "a" /**//* b ***/] }`, 0), { net: ["a"] });
});
