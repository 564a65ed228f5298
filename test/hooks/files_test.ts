// File functions of extensions: the worker has no permission for files, and the host opens what was granted.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import * as fs from "node:fs";
import * as promises from "node:fs/promises";
import type { ExtensionPermissions } from "../../src/core/hook.ts";
import type { JsonValue } from "../../src/core/json.ts";
import type { Policy } from "../../src/core/policy.ts";
import { readSource } from "../../src/hooks/code/source_files.ts";
import { alsoWithFullPermissions, canHold } from "../helpers/full_permissions.ts";
import { rounds } from "../helpers/rounds.ts";
import { extension, filesIn, never, openWorld, writeFiles } from "./world.ts";

/** Calls a function of `Deno`, `node:fs` or `node:fs/promises` and describes what came of it as JSON text. */
const CALL = `
async function call(modules, module, name, args) {
  const plain = (value) => {
    if (value instanceof Uint8Array) return { bytes: [...value] };
    if (Array.isArray(value)) return value.map(plain).sort((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    if (value === null || typeof value !== "object") return value === undefined ? null : value;
    if (typeof value.isFile === "function") {
      return { file: value.isFile(), directory: value.isDirectory(), link: value.isSymbolicLink(), size: value.size ?? null, name: value.name ?? null };
    }
    if ("mtime" in value) {
      const { isFile, isDirectory, isSymlink, size, mode, mtime } = value;
      return { isFile, isDirectory, isSymlink, size: isDirectory ? 0 : size, mode, isDate: mtime instanceof Date };
    }
    return value;
  };
  try {
    let value = await modules[module][name](...args.map((arg) => arg && arg.bytes ? new Uint8Array(arg.bytes) : arg));
    if (name.startsWith("readDir")) value = await Array.fromAsync(value);
    return JSON.stringify(plain(value));
  } catch (error) {
    return error.name + ": " + error.message + (error.code ? " " + error.code : "");
  }
}`;

alsoWithFullPermissions(import.meta.url);

/** A test that writes below a directory that tools can replace, which needs descriptors. */
function held(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !canHold, fn });
}

type Module = "Deno" | "fs" | "promises";
type Call = (module: Module, name: string, ...args: readonly unknown[]) => Promise<string>;

/** An extension with grants that calls what a test tells it to. */
interface Granted extends Disposable {
  readonly folder: string;
  readonly call: Call;
}

async function openGranted(
  permissions: ExtensionPermissions,
  files: Readonly<Record<string, string>>,
  policy: Partial<Policy> | ((folder: string) => Partial<Policy>) = {},
): Promise<Granted> {
  const text = extension(
    `sp.registerTool({ name: "call", description: "d", parameters: { type: "object" }, execute: (_i, { module, name, args }) =>
      call({ Deno, fs, promises }, module, name, args) });`,
    `import * as fs from "node:fs";\nimport * as promises from "node:fs/promises";\n` +
      `export const permissions = ${JSON.stringify(permissions)};\n${CALL}`,
  );
  const own = writeFiles({ "x.ts": text });
  const folder = writeFiles(files);
  const world = await openWorld({}, {
    extensions: [{ name: "x", path: join(own, "x.ts"), origin: "user" }],
    grants: new Map([[readSource(join(own, "x.ts")).hash, permissions]]),
    files: filesIn(folder, typeof policy === "function" ? policy(folder) : policy),
    facts: { cwd: folder, mode: "text", hasUI: false },
  });
  assertEquals(world.problems, []);
  return {
    folder,
    async call(module, name, ...args) {
      const { content: [part] } = await world.hooks.runTool(
        "call",
        { module, name, args: args as JsonValue[] },
        "c",
        never,
        () => {},
      );
      return part?.type === "text" ? part.text : "";
    },
    [Symbol.dispose]() {
      world[Symbol.dispose]();
      for (const each of [own, folder]) Deno.removeSync(each, { recursive: true });
    },
  };
}

/** The same calls in this process. */
const native: Call = (module, name, ...args) => inThisProcess({ Deno, fs, promises }, module, name, args);
const inThisProcess = new Function(`${CALL}; return call;`)();

const FILES = { "a.txt": "alpha\n", "sub/b.txt": "\ufeffbeta ä", "sub/deep/c.bin": "\0\x01", "full/x": "x" };

/** In this order, with `~` for the workspace; each is done in both, and again with "Sync" in its name. */
const CALLS: readonly (readonly [Module, string, ...unknown[]])[] = [
  ["Deno", "readTextFile", "~/a.txt"],
  ["Deno", "readTextFile", "~/sub/b.txt"],
  ["Deno", "readFile", "~/sub/deep/c.bin"],
  ["Deno", "readDir", "~/sub"],
  ["Deno", "stat", "~/a.txt"],
  ["Deno", "stat", "~/sub"],
  ["Deno", "lstat", "~/link"],
  ["Deno", "stat", "~/link"],
  ["Deno", "readTextFile", "~/link"],
  ["Deno", "realPath", "~/link"],
  ["Deno", "writeTextFile", "~/new.txt", "one"],
  ["Deno", "writeTextFile", "~/new.txt", "two", { append: true }],
  ["Deno", "readTextFile", "~/new.txt"],
  ["Deno", "stat", "~/new.txt"],
  ["Deno", "writeFile", "~/new.bin", { bytes: [0, 255, 10] }, { mode: 0o600 }],
  ["Deno", "stat", "~/new.bin"],
  ["Deno", "mkdir", "~/made/of/many", { recursive: true }],
  ["Deno", "mkdir", "~/made/of/many", { recursive: true }],
  ["Deno", "copyFile", "~/new.bin", "~/made/copy.bin"],
  ["Deno", "readFile", "~/made/copy.bin"],
  ["Deno", "rename", "~/made/copy.bin", "~/made/of/moved.bin"],
  ["Deno", "readDir", "~/made/of"],
  ["Deno", "remove", "~/link"],
  ["Deno", "readTextFile", "~/a.txt"],
  ["Deno", "remove", "~/made", { recursive: true }],
  ["Deno", "readDir", "~"],
  ["promises", "readFile", "~/a.txt"],
  ["promises", "readFile", "~/a.txt", "utf8"],
  ["promises", "readFile", "~/a.txt", { encoding: "base64" }],
  ["promises", "writeFile", "~/n.txt", "6869", { encoding: "hex" }],
  ["promises", "appendFile", "~/n.txt", "!"],
  ["promises", "readFile", "~/n.txt", "utf8"],
  ["promises", "readdir", "~/sub"],
  ["promises", "readdir", "~/sub", { withFileTypes: true }],
  ["promises", "readdir", "~/sub", { recursive: true }],
  ["promises", "mkdir", "~/m", { recursive: true }],
  ["promises", "stat", "~/n.txt"],
  ["promises", "realpath", "~/sub"],
  ["promises", "access", "~/n.txt"],
  ["promises", "copyFile", "~/n.txt", "~/m/n.txt"],
  ["promises", "rename", "~/m/n.txt", "~/m/o.txt"],
  ["promises", "unlink", "~/m/o.txt"],
  ["promises", "rm", "~/none", { force: true }],
  ["promises", "rm", "~/m", { recursive: true }],
  ["promises", "readdir", "~"],
];

/** Each fails; the error's name and code are compared. */
const FAILURES: readonly (readonly [Module, string, ...unknown[]])[] = [
  ["Deno", "readTextFile", "~/none"],
  ["Deno", "readTextFile", "~/sub"],
  ["Deno", "readTextFile", "~/a.txt/x"],
  ["Deno", "writeTextFile", "~/sub", "x"],
  ["Deno", "writeTextFile", "~/none/x", "x"],
  ["Deno", "writeTextFile", "~/none", "x", { create: false }],
  ["Deno", "writeTextFile", "~/a.txt", "x", { createNew: true }],
  ["Deno", "mkdir", "~/sub"],
  ["Deno", "mkdir", "~/none/x"],
  ["Deno", "remove", "~/none"],
  ["Deno", "remove", "~/full"],
  ["Deno", "readDir", "~/none"],
  ["Deno", "stat", "~/none"],
  ["Deno", "realPath", "~/none"],
  ["Deno", "rename", "~/none", "~/x"],
  ["Deno", "copyFile", "~/none", "~/x"],
  ["promises", "readFile", "~/none"],
  ["promises", "readFile", "~/sub"],
  ["promises", "stat", "~/none"],
  ["promises", "access", "~/none"],
  ["promises", "unlink", "~/none"],
  ["promises", "mkdir", "~/sub"],
  ["promises", "writeFile", "~/a.txt", "x", { flag: "wx" }],
  ["promises", "copyFile", "~/a.txt", "~/sub/b.txt", 1],
];

for (const form of ["", "Sync"]) {
  held(`file functions of an extension do what those of the runtime do, form "${form}"`, async () => {
    using granted = await openGranted({ read: ["."], write: ["."] }, FILES);
    const own = writeFiles(FILES);
    for (const folder of [granted.folder, own]) Deno.symlinkSync("a.txt", join(folder, "link"));
    const done = async (
      call: Call,
      folder: string,
      [module, name, ...args]: (typeof CALLS)[number],
    ): Promise<string> => {
      const [from, named] = form === "Sync" && module === "promises"
        ? ["fs" as const, `${name}Sync`]
        : [module, name + form];
      const given = args.map((arg) => typeof arg === "string" ? arg.replace(/^~/, folder) : arg);
      return (await call(from, named, ...given)).replaceAll(folder, "~");
    };
    for (const each of CALLS) {
      assertEquals(await done(granted.call, granted.folder, each), await done(native, own, each), String(each));
    }
    for (const each of FAILURES) {
      const [ours, theirs] = [await done(granted.call, granted.folder, each), await done(native, own, each)];
      assertEquals(ours.split(":")[0], theirs.split(":")[0], `${each}: ${ours}`);
      // Deno gives not every error of node its code.
      const [code = ""] = each[0] === "Deno" ? [] : /E[A-Z]+$/.exec(theirs) ?? [];
      assert(ours.endsWith(code), `${each}: ${ours}`);
    }
    // As in Node.js; Deno says something else.
    assertMatch(await done(granted.call, granted.folder, ["promises", "unlink", "~/sub"]), /EISDIR$/);
    assertEquals(await granted.call("fs", "existsSync", `${granted.folder}/a.txt`), "true");
    assertEquals(await granted.call("fs", "existsSync", `${granted.folder}/none`), "false");
    assertEquals(await granted.call("fs", "statSync", `${granted.folder}/none`, { throwIfNoEntry: false }), "null");
    Deno.removeSync(own, { recursive: true });
  });
}

/** The names of a link that a command plants, and what the extension then does. `OUT` is a folder outside, `~` the workspace. */
const PLANTED: readonly {
  readonly name: string;
  readonly link: readonly [target: string, path: string];
  readonly calls: readonly (readonly [Module, string, ...unknown[]])[];
}[] = [
  {
    name: "a link in the place of a granted file",
    link: ["OUT/secret", "~/given/file"],
    calls: [
      ["Deno", "readTextFile", "~/given/file"],
      ["Deno", "readTextFileSync", "~/given/file"],
      ["Deno", "stat", "~/given/file"],
      ["Deno", "realPath", "~/given/file"],
      ["Deno", "copyFile", "~/given/file", "~/given/copy"],
      ["Deno", "writeTextFile", "~/given/file", "spoilt"],
      ["Deno", "writeTextFile", "~/given/file", "spoilt", { append: true }],
      ["Deno", "copyFile", "~/given/mine", "~/given/file"],
      ["fs", "readFileSync", "~/given/file"],
      ["fs", "appendFileSync", "~/given/file", "spoilt"],
      ["promises", "writeFile", "~/given/file", "spoilt"],
    ],
  },
  {
    name: "a link in the place of a granted folder",
    link: ["OUT", "~/given"],
    calls: [
      ["Deno", "readTextFile", "~/given/secret"],
      ["Deno", "readDir", "~/given"],
      ["Deno", "writeTextFile", "~/given/secret", "spoilt"],
      ["Deno", "writeTextFile", "~/given/new", "spoilt"],
      ["Deno", "mkdir", "~/given/new/er", { recursive: true }],
      ["Deno", "remove", "~/given/secret"],
      ["Deno", "rename", "~/given/secret", "~/given/taken"],
      ["promises", "rm", "~/given/inner", { recursive: true, force: true }],
      ["promises", "readdir", "~/given", { recursive: true }],
    ],
  },
  {
    name: "a link to a file of the workspace that was not granted",
    link: ["../private", "~/given/file"],
    calls: [["Deno", "readTextFile", "~/given/file"], ["Deno", "writeTextFile", "~/given/file", "spoilt"]],
  },
  {
    name: "a granted folder that is a link to another folder of the workspace",
    link: [".", "~/given"],
    calls: [["Deno", "readTextFile", "~/given/private"], ["Deno", "writeTextFile", "~/given/private", "spoilt"]],
  },
  {
    name: "a link to a link, with a way back",
    link: ["../hop/../hop/secret", "~/given/file"],
    calls: [["Deno", "readTextFile", "~/given/file"], ["Deno", "writeTextFile", "~/given/file", "spoilt"]],
  },
  {
    name: "a link that leads nowhere yet",
    link: ["OUT/new", "~/given/file"],
    calls: [
      ["Deno", "writeTextFile", "~/given/file", "spoilt"],
      ["Deno", "mkdir", "~/given/file"],
      ["Deno", "writeTextFile", "~/given/file", "spoilt", { createNew: true }],
    ],
  },
  {
    name: "a link to a file that the policy denies",
    link: ["../.env", "~/given/file"],
    calls: [["Deno", "readTextFile", "~/given/file"], ["Deno", "readTextFile", "~/given/.env"]],
  },
  {
    name: "a link to the program's own files of the kernel",
    link: ["/proc/self/environ", "~/given/file"],
    calls: [["Deno", "readTextFile", "~/given/file"]],
  },
];

for (const { name, link: [target, path], calls } of PLANTED) {
  Deno.test(`an extension does not follow ${name}`, async () => {
    const out = writeFiles({ "secret": "s3cret", "inner/kept": "s3cret" });
    using granted = await openGranted(
      { read: ["given", "given/file"], write: ["given", "given/file"] },
      { "given/mine": "mine", "given/.env": "s3cret", "private": "s3cret", ".env": "s3cret" },
      (folder) => ({ denyRead: [join(folder, ".env"), join(folder, "given/.env")] }),
    );
    const place = (text: string): string => text.replace("~", granted.folder).replace("OUT", out);
    Deno.symlinkSync(out, place("~/hop"));
    if (path === "~/given") Deno.removeSync(place(path), { recursive: true });
    Deno.symlinkSync(place(target), place(path));
    for (const [module, function_, ...args] of calls) {
      const given = args.map((arg) => typeof arg === "string" ? place(arg) : arg);
      const said = await granted.call(module, function_, ...given);
      assertMatch(said, /^(NotCapable|Error|NotFound|AlreadyExists|NotADirectory): /, `${function_} ${args}`);
      assert(!said.includes("s3cret"));
    }
    // Nothing outside was read, changed or made.
    assertEquals(Deno.readTextFileSync(join(out, "secret")), "s3cret");
    assertEquals([...Deno.readDirSync(out)].map((entry) => entry.name).sort(), ["inner", "secret"]);
    assertEquals(Deno.readTextFileSync(join(out, "inner/kept")), "s3cret");
    assertEquals(Deno.readTextFileSync(place("~/private")), "s3cret");
    Deno.removeSync(out, { recursive: true });
  });
}

Deno.test("an error about a link names the link's target", async () => {
  using granted = await openGranted({ read: ["rules.md"] }, {});
  Deno.symlinkSync("/etc/hostname", join(granted.folder, "rules.md"));
  const said = await granted.call("Deno", "readTextFile", "rules.md");
  assertStringIncludes(said, "/etc/hostname");
  assertStringIncludes(said, `${granted.folder}/rules.md`);
});

Deno.test("a link is removed, renamed and looked at as itself", async () => {
  const out = writeFiles({ "secret": "s3cret" });
  using granted = await openGranted({ read: ["."], write: ["."] }, {});
  Deno.symlinkSync(join(out, "secret"), join(granted.folder, "link"));
  assertStringIncludes(await granted.call("Deno", "lstat", "link"), '"isSymlink":true');
  assertEquals(await granted.call("Deno", "rename", "link", "moved"), "null");
  assertEquals(await granted.call("Deno", "remove", "moved"), "null");
  assertEquals([...Deno.readDirSync(granted.folder)], []);
  assertEquals(Deno.readTextFileSync(join(out, "secret")), "s3cret");
  Deno.removeSync(out, { recursive: true });
});

Deno.test("what the policy denies or protects is closed to an extension that was granted the workspace", async () => {
  using granted = await openGranted(
    { read: ["."], write: ["."] },
    { ".env": "s3cret", ".git/config": "[core]", "kept/x": "x", "AGENTS.md": "a" },
    (folder) => ({
      denyRead: [join(folder, ".env")],
      denyWrite: [join(folder, "kept")],
      protected: [join(folder, "AGENTS.md")],
    }),
  );
  const denied: readonly (readonly [Module, string, ...unknown[]])[] = [
    ["Deno", "readTextFile", ".env"],
    ["Deno", "copyFile", ".env", "copy"],
    ["Deno", "rename", ".env", "copy"],
    ["Deno", "writeTextFile", "kept/x", "y"],
    ["Deno", "writeTextFile", "kept/y", "y"],
    ["Deno", "remove", "kept", { recursive: true }],
    ["Deno", "rename", "kept", "other"],
    ["Deno", "writeTextFile", "AGENTS.md", "y"],
    ["Deno", "remove", "AGENTS.md"],
    ["Deno", "writeTextFile", ".git/config", "y"],
    ["Deno", "writeTextFile", "sub/.git/hooks/pre-commit", "y"],
    ["Deno", "remove", ".git", { recursive: true }],
  ];
  for (const [module, name, ...args] of denied) {
    assertMatch(await granted.call(module, name, ...args), /^NotCapable: /, `${name} ${args}`);
  }
  assertEquals(await granted.call("Deno", "readTextFile", ".git/config"), '"[core]"');
});

held("a directory around a denied or protected file keeps its name", async () => {
  using granted = await openGranted(
    { read: ["."], write: ["."] },
    { "a/b/secret": "s", "c/fixed/x": "f", "d/own/x": "p", "free/x": "x" },
    (folder) => ({
      denyRead: [join(folder, "a/b/secret")],
      denyWrite: [join(folder, "c/fixed")],
      protected: [join(folder, "d/own")],
    }),
  );
  for (const name of ["a", "a/b", "c", "d"]) {
    assertMatch(await granted.call("Deno", "rename", name, `${name}2`), /^NotCapable: .*cannot be renamed: it holds /);
    assertMatch(await granted.call("fs", "renameSync", name, "free/y"), /cannot be renamed: it holds /);
  }
  assertEquals(await granted.call("Deno", "rename", "free", "moved"), "null");
  assertMatch(await granted.call("Deno", "readTextFile", "a/b/secret"), /^NotCapable: /);
});

Deno.test("a place outside of the workspace can be granted, also through a link of the user's own", async () => {
  const out = writeFiles({ "notes/a": "a", "other/b": "b" });
  Deno.symlinkSync(join(out, "notes"), join(out, "mine"));
  using granted = await openGranted({ read: [join(out, "mine")], write: [join(out, "mine")] }, {});
  assertEquals(await granted.call("Deno", "readTextFile", join(out, "mine/a")), '"a"');
  assertEquals(await granted.call("Deno", "writeTextFile", join(out, "mine/c/../new"), "n"), "null");
  assertEquals(Deno.readTextFileSync(join(out, "notes/new")), "n");
  assertMatch(await granted.call("Deno", "readTextFile", join(out, "mine/../other/b")), /^NotCapable: /);
  Deno.symlinkSync(join(out, "other/b"), join(out, "notes/b"));
  assertMatch(await granted.call("Deno", "readTextFile", join(out, "mine/b")), /^NotCapable: /);
  Deno.removeSync(out, { recursive: true });
});

Deno.test("reading alone is granted", async () => {
  using granted = await openGranted({ read: ["."] }, FILES);
  for (
    const [name, ...args] of [
      ["writeTextFile", "a.txt", "x"],
      ["mkdir", "new"],
      ["remove", "a.txt"],
      ["rename", "a.txt", "b"],
      ["copyFile", "a.txt", "b"],
    ] as const
  ) {
    assertMatch(await granted.call("Deno", name, ...args), /^NotCapable: this extension has no permission to write/);
  }
});

Deno.test("a function that extensions do not have says which they have", async () => {
  using granted = await openGranted({ read: ["."] }, FILES);
  const cases: readonly (readonly [Module, string])[] = [
    ["Deno", "open"],
    ["Deno", "symlinkSync"],
    ["fs", "createReadStream"],
    ["fs", "openSync"],
    ["fs", "readFile"],
    ["promises", "open"],
  ];
  for (const [module, name] of cases) {
    const said = await granted.call(module, name, "a.txt");
    assertMatch(said, /^TypeError: .*is not available to extensions\. These are: .*read/, `${module} ${name}`);
  }
});

Deno.test("a file that is too large, a pipe and a number are refused in words", async () => {
  using granted = await openGranted({ read: ["."], write: ["."] }, {});
  using file = Deno.createSync(join(granted.folder, "large"));
  file.truncateSync(6_000_000);
  assertMatch(await granted.call("Deno", "readFile", "large"), /6000000 bytes/);
  assertMatch(await granted.call("Deno", "writeFile", "new", { bytes: new Array(5_300_000).fill(0) }), /more bytes/);
  await new Deno.Command("mkfifo", { args: [join(granted.folder, "pipe")] }).output();
  assertMatch(await granted.call("Deno", "readFile", "pipe"), /not a regular file/);
  assertMatch(await granted.call("Deno", "writeTextFile", "pipe", "x"), /not a regular file/);
  assertMatch(await granted.call("fs", "readFileSync", 0), /^TypeError/);
});

Deno.test("many reads at once are all answered", async () => {
  const permissions = { read: ["."] };
  const text = extension(
    `sp.registerTool({ name: "all", description: "d", parameters: { type: "object" }, execute: async () => {
      const texts = await Promise.all(Array.from({ length: 3000 }, () => Deno.readTextFile("a.txt")));
      let length = 0;
      for (let at = 0; at < 3000; at++) length += Deno.readTextFileSync("a.txt").length;
      return texts.length + " " + length; } });`,
    `export const permissions = ${JSON.stringify(permissions)};`,
  );
  const own = writeFiles({ "x.ts": text, "a.txt": "12345" });
  using world = await openWorld({}, {
    extensions: [{ name: "x", path: join(own, "x.ts"), origin: "user" }],
    grants: new Map([[readSource(join(own, "x.ts")).hash, permissions]]),
    files: filesIn(own),
    facts: { cwd: own, mode: "text", hasUI: false },
  });
  const { content: [part] } = await world.hooks.runTool("all", {}, "c", never, () => {});
  assertEquals(part, { type: "text", text: "3000 15000" });
  Deno.removeSync(own, { recursive: true });
});

Deno.test("a swap of file and link at full speed never shows what is outside, nor changes it", async () => {
  const out = writeFiles({ "secret": "s3cret" });
  using granted = await openGranted({ read: ["given"], write: ["given"] }, { "given/file": "inside" });
  const at = join(granted.folder, "given/file");
  const swapper = new Deno.Command("bash", {
    args: [
      "-c",
      `while :; do ln -sfn "${out}/secret" "${at}.l"; mv -T "${at}.l" "${at}"; echo inside > "${at}.f"; mv -T "${at}.f" "${at}"; done`,
    ],
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    for (let round = 0; round < rounds(300); round++) {
      assert(!(await granted.call("Deno", "readTextFileSync", at)).includes("s3cret"));
      await granted.call("Deno", "writeTextFileSync", at, "spoilt");
      await granted.call("Deno", "writeTextFileSync", at, "spoilt", { append: true });
    }
  } finally {
    swapper.kill("SIGKILL");
    await swapper.status;
  }
  assertEquals(Deno.readTextFileSync(join(out, "secret")), "s3cret");
  Deno.removeSync(out, { recursive: true });
});
