import { assertEquals, assertThrows } from "@std/assert";
import { recordExtensionGrant, recordGrant, recordSetting } from "../../../src/engine/tools/grants.ts";
import { UserError } from "../../../src/core/error.ts";

const ROOT = "/home/ann/project";
const READ = { kind: "read", grant: "/srv/data" } as const;

/** A user's folder, perhaps with settings in it. */
function inFolder(text: string | undefined, work: (folder: string, path: string) => void): void {
  const top = Deno.makeTempDirSync();
  const folder = `${top}/agent`;
  const path = `${folder}/settings.json`;
  if (text !== undefined) {
    Deno.mkdirSync(folder);
    Deno.writeTextFileSync(path, text);
    Deno.chmodSync(path, 0o644);
  }
  try {
    work(folder, path);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}

const modeOf = (path: string): number => (Deno.statSync(path).mode ?? 0) & 0o777;
const namesIn = (folder: string): string[] => Array.from(Deno.readDirSync(folder), ({ name }) => name);

Deno.test("recordGrant() makes folder and file for the user alone", () => {
  inFolder(undefined, (folder, path) => {
    recordGrant(folder, ROOT, READ);
    assertEquals(
      Deno.readTextFileSync(path),
      `{\n  "projects": {\n    "${ROOT}": {\n      "permissions": {\n        "read": [\n          "/srv/data"\n        ]\n      }\n    }\n  }\n}\n`,
    );
    assertEquals([modeOf(folder), modeOf(path), namesIn(folder)], [0o700, 0o600, ["settings.json"]]);
  });
});

Deno.test("recordExtensionGrant() keeps all else, replaces what stood there, and touches no file that is none of its", () => {
  const others =
    `{\n    "model": "m",\n    "extensions": {\n        "shadow": ["read"],\n        "grants": { "h0": {}, "h1": { "net": ["a"] } }\n    }\n}\n`;
  inFolder(others, (folder, path) => {
    recordExtensionGrant(folder, "h1", { read: ["a.md"] });
    recordExtensionGrant(folder, "h2", { env: ["E"] });
    assertEquals(JSON.parse(Deno.readTextFileSync(path)), {
      model: "m",
      extensions: { shadow: ["read"], grants: { h0: {}, h1: { read: ["a.md"] }, h2: { env: ["E"] } } },
    });
    assertEquals([modeOf(path), namesIn(folder)], [0o644, ["settings.json"]]);
  });
  inFolder(`{"extensions": []}`, (folder, path) => {
    assertThrows(() => recordExtensionGrant(folder, "h", { read: ["a"] }), UserError, "holds no JSON object");
    assertEquals(Deno.readTextFileSync(path), `{"extensions": []}`);
  });
});

const KEPT: readonly (readonly [claim: string, before: string, after: string])[] = [
  [
    "unknown keys, their order and the indentation",
    '{\n\t"zebra": {"a": [1]},\n\t"model": "m"\n}\n',
    '{\n\t"zebra": {\n\t\t"a": [\n\t\t\t1\n\t\t]\n\t},\n\t"model": "m",\n\t"projects": {\n\t\t"/home/ann/project": {\n\t\t\t"permissions": {\n' +
    '\t\t\t\t"read": [\n\t\t\t\t\t"/srv/data"\n\t\t\t\t]\n\t\t\t}\n\t\t}\n\t}\n}\n',
  ],
  [
    "what was granted before, here and elsewhere",
    '{"projects":{"/other":{"permissions":{"net":true},"x":1},"/home/ann/project":{"permissions":{"read":["/a"],"write":false}}}}',
    '{"projects":{"/other":{"permissions":{"net":true},"x":1},"/home/ann/project":{"permissions":{"read":["/a","/srv/data"],"write":false}}}}',
  ],
  [
    "a grant that is there already",
    '{"projects":{"/home/ann/project":{"permissions":{"read":["/srv/data"] }}}}',
    '{"projects":{"/home/ann/project":{"permissions":{"read":["/srv/data"] }}}}',
  ],
  [
    "a grant of everything",
    '{"projects":{"/home/ann/project":{"permissions":{"read":true }}}}',
    '{"projects":{"/home/ann/project":{"permissions":{"read":true }}}}',
  ],
  [
    "a key that could reach a prototype",
    '{"__proto__":{"x":1}}',
    '{"__proto__":{"x":1},"projects":{"/home/ann/project":{"permissions":{"read":["/srv/data"]}}}}',
  ],
];

for (const [claim, before, after] of KEPT) {
  Deno.test(`recordGrant() keeps ${claim}`, () => {
    inFolder(before, (folder, path) => {
      recordGrant(folder, ROOT, READ);
      assertEquals([Deno.readTextFileSync(path), modeOf(path), namesIn(folder)], [after, 0o644, ["settings.json"]]);
    });
  });
}

Deno.test("recordGrant() writes a grant to write as the two scopes that it is", () => {
  inFolder("{}", (folder, path) => {
    recordGrant(folder, ROOT, READ);
    recordGrant(folder, ROOT, { kind: "write", grant: "/srv/data" });
    recordGrant(folder, ROOT, { kind: "run", grant: "git" });
    const permissions = { read: ["/srv/data"], write: ["/srv/data/"], run: ["git"] };
    assertEquals(JSON.parse(Deno.readTextFileSync(path)), { projects: { [ROOT]: { permissions } } });
  });
});

Deno.test("recordGrant() writes the bare option as true, and through a link to where it leads", () => {
  inFolder("{}", (folder, path) => {
    Deno.renameSync(path, `${folder}/elsewhere.json`);
    Deno.symlinkSync("elsewhere.json", path);
    recordGrant(folder, ROOT, { kind: "net", grant: "*" });
    assertEquals(Deno.lstatSync(path).isSymlink, true);
    assertEquals(JSON.parse(Deno.readTextFileSync(`${folder}/elsewhere.json`)), {
      projects: { [ROOT]: { permissions: { net: true } } },
    });
  });
});

for (
  const [claim, text] of [
    ["is no JSON", '{"a": 1,}'],
    ["has comments", '// mine\n{"a": 1}'],
    ["is a list", "[]"],
    ["is empty", ""],
    ["has projects that are none", '{"projects": []}'],
    ["has a project that is none", `{"projects": {"${ROOT}": 1}}`],
    ["has permissions that are none", `{"projects": {"${ROOT}": {"permissions": "all"}}}`],
    ["has a scope that is none", `{"projects": {"${ROOT}": {"permissions": {"read": [1]}}}}`],
  ] as const
) {
  Deno.test(`recordGrant() does not touch a file that ${claim}`, () => {
    inFolder(text, (folder, path) => {
      assertThrows(() => recordGrant(folder, ROOT, READ), UserError, "Cannot keep the answer");
      assertEquals([Deno.readTextFileSync(path), namesIn(folder)], [text, ["settings.json"]]);
    });
  });
}

Deno.test("recordSetting() writes one setting and takes it out again, and keeps all else", () => {
  inFolder('{"model": "m"}', (folder, path) => {
    recordSetting(folder, "theme", "light");
    assertEquals(JSON.parse(Deno.readTextFileSync(path)), { model: "m", theme: "light" });
    recordSetting(folder, "theme", undefined);
    assertEquals(JSON.parse(Deno.readTextFileSync(path)), { model: "m" });
  });
});
