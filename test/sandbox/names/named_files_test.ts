import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import { FileTooLarge, LinkOutside, type NamedFiles } from "../../../src/core/named_files.ts";
import { comparisons, descriptors, openEachName } from "../../../src/sandbox/names/held_directory.ts";
import { createNamedFiles } from "../../../src/sandbox/names/named_files.ts";
import { alsoWithFullPermissions, canHold } from "../../helpers/full_permissions.ts";
import { AT_FDCWD, close, libc } from "../../../src/sandbox/system/ffi.ts";

// Opened once in a process and never closed: the first test that needs it must not be blamed for it.
libc();

interface Arena {
  readonly files: NamedFiles;
  /** Tools can write it. */
  readonly ws: string;
  /** Tools cannot. */
  readonly home: string;
}

const HOLDERS = { "a descriptor": descriptors, "comparisons": { hold: comparisons.hold } } as const;

alsoWithFullPermissions(import.meta.url);

/** Runs a test with each way to hold a directory. */
function test(name: string, work: (arena: Arena) => void): void {
  for (const [kind, holder] of Object.entries(HOLDERS)) {
    Deno.test({ name: `${name} (${kind})`, ignore: holder === descriptors && !canHold }, () => {
      const top = Deno.realPathSync(Deno.makeTempDirSync());
      const [ws, home] = [`${top}/ws`, `${top}/home`];
      Deno.mkdirSync(`${ws}/sub/deep`, { recursive: true });
      Deno.mkdirSync(`${home}/private`, { recursive: true });
      Deno.writeTextFileSync(`${ws}/a`, "a\n");
      Deno.writeTextFileSync(`${ws}/denied`, "DENIED\n");
      Deno.writeTextFileSync(`${home}/key`, "KEY\n");
      Deno.writeTextFileSync(`${home}/private/p`, "PRIVATE\n");
      const whyDenied = (_: string, real: string): string | undefined =>
        real === `${ws}/denied` ? "it was denied" : undefined;
      try {
        work({ files: createNamedFiles({ roots: [`${ws}/sub`, ws], whyDenied }, () => holder), ws, home });
      } finally {
        Deno.removeSync(top, { recursive: true });
      }
    });
  }
}

const text = (files: NamedFiles, path: string, typed = true): string =>
  new TextDecoder().decode(files.read(files.find(path, { access: "read", typed }), 1000));
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);
const put = (files: NamedFiles, path: string, content: string): void =>
  files.replace(files.find(path, { access: "write", typed: true }), bytes(content));

test("a link that leads out of a directory that tools can write is rejected, with its target", ({ files, ws, home }) => {
  const links: readonly (readonly [name: string, target: string, path: string])[] = [
    ["absolute", `${home}/key`, "absolute"],
    ["relative", "../home/key", "relative"],
    ["dangling", `${home}/nothing`, "dangling"],
    ["directory", home, "directory/key"],
    ["sub/deep/up", "../../../home/key", "sub/deep/up"],
    ["one", "two", "one"],
    ["two", "sub/three", "two"],
    ["sub/three", `${home}/key`, "sub/three"],
    ["top", "/", `top${home}/key`],
    ["self", "/proc/self/fd/0", "self"],
    ["root", "/proc/self/root", `root${home}/key`],
    ["cwd", "/proc/self/cwd", "cwd/key"],
    ["tty", "/dev/null", "tty"],
    ["sub/there-and-back", `${home}/../home/key`, "sub/there-and-back"],
    ["many-slashes", `//${home}//key`, "many-slashes"],
    ["slash", `${home}/`, "slash"],
  ];
  for (const [name, target] of links) Deno.symlinkSync(target, `${ws}/${name}`);
  for (const [link, , path] of links) {
    for (const access of ["read", "write"] as const) {
      for (const spelling of [`${ws}/${path}`, `${ws}/${path}/`, `${ws}/./sub/../${path}`]) {
        const error = assertThrows(() => files.find(spelling, { access, typed: true }), LinkOutside);
        assertEquals(error.exitCode, 2, link);
        assertStringIncludes(error.message, Deno.readLinkSync(error.link), link);
      }
    }
  }
  const error = assertThrows(() => files.find(`${ws}/one`, { access: "read", typed: true }), LinkOutside);
  assertEquals([error.link, error.target], [`${ws}/sub/three`, `${home}/key`]);
  assertEquals(Deno.readTextFileSync(`${home}/key`), "KEY\n");
});

test("a link that stays inside is followed, also by an absolute target", ({ files, ws }) => {
  Deno.symlinkSync("a", `${ws}/relative`);
  Deno.symlinkSync(`${ws}/a`, `${ws}/absolute`);
  Deno.symlinkSync("../../a", `${ws}/sub/deep/up`);
  Deno.symlinkSync("../ws/sub", `${ws}/back`);
  for (const path of ["relative", "absolute", "sub/deep/up", "back/deep/up"]) {
    assertEquals(text(files, `${ws}/${path}`), "a\n", path);
  }
  put(files, `${ws}/relative`, "new\n");
  put(files, `${ws}/back/made`, "made\n");
  assertEquals(Deno.readTextFileSync(`${ws}/a`), "new\n");
  assertEquals(Deno.readTextFileSync(`${ws}/sub/made`), "made\n");
  assert(Deno.lstatSync(`${ws}/relative`).isSymlink);
});

test("a link of the user, where tools cannot write, leads where it leads", ({ files, ws, home }) => {
  Deno.symlinkSync(`${home}/key`, `${home}/link`);
  Deno.symlinkSync(ws, `${home}/project`);
  Deno.symlinkSync(`${home}/key`, `${ws}/out`);
  assertEquals(text(files, `${home}/link`), "KEY\n");
  assertEquals(text(files, `${home}/project/a`), "a\n");
  assertThrows(() => text(files, `${home}/project/out`), LinkOutside);
  put(files, `${home}/written`, "w\n");
  put(files, `${home}/project/b`, "b\n");
  assertEquals(Deno.readTextFileSync(`${ws}/b`), "b\n");
  using null_ = files.open(files.find("/dev/null", { access: "read", typed: true }), { anyKind: true });
  assertEquals(null_.readSync(new Uint8Array(1)), null);
});

test("a denied path is opened only if the user typed it", ({ files, ws }) => {
  Deno.symlinkSync("denied", `${ws}/link`);
  assertEquals(text(files, `${ws}/denied`), "DENIED\n");
  assertThrows(() => text(files, `${ws}/denied`, false), UserError, "it was denied");
  assertThrows(() => text(files, `${ws}/link`), UserError, `a link leads to "${ws}/denied"`);
  assertThrows(() => put(files, `${ws}/link`, "x"), UserError, "it was denied");
  assertEquals(Deno.readTextFileSync(`${ws}/denied`), "DENIED\n");
});

test("a directory that is replaced by a link between the check and the use leads nowhere", ({ files, ws, home }) => {
  const at = (path: string, access: "read" | "write") => files.find(`${ws}/${path}`, { access, typed: true });
  Deno.writeTextFileSync(`${ws}/sub/key`, "inside\n");
  Deno.writeTextFileSync(`${ws}/key`, "inside\n");
  const [deepRead, deepWrite, deepNew, folder] = [
    at("sub/key", "read"),
    at("sub/key", "write"),
    at("sub/new", "write"),
    at("sub", "read"),
  ];
  const [flatRead, flatWrite] = [at("key", "read"), at("key", "write")];
  Deno.renameSync(`${ws}/sub`, `${ws}/aside`);
  Deno.symlinkSync(home, `${ws}/sub`);
  Deno.removeSync(`${ws}/key`);
  Deno.symlinkSync(`${home}/key`, `${ws}/key`);
  const meanwhile = "replaced";
  assertThrows(() => files.read(deepRead, 100), Error, meanwhile);
  assertThrows(() => files.open(deepRead), Error, meanwhile);
  assertThrows(() => files.replace(deepWrite, bytes("x")), Error, meanwhile);
  assertThrows(() => files.append(deepWrite, 0o600), Error, meanwhile);
  assertThrows(() => files.create(deepNew, 0o600), Error, meanwhile);
  assertThrows(() => files.makeDirectory(deepNew, 0o700), Error, meanwhile);
  assertThrows(() => files.remove(deepWrite), Error, meanwhile);
  assertThrows(() => files.list(folder), Error);
  assertThrows(() => files.status(deepRead), Error, meanwhile);
  assertThrows(() => files.read(flatRead, 100), Error, meanwhile);
  assertThrows(() => files.append(flatWrite, 0o600), Error, meanwhile);
  files.replace(flatWrite, bytes("mine\n"));
  assertEquals(Deno.lstatSync(`${ws}/key`).isFile, true);
  assertEquals(Deno.readTextFileSync(`${ws}/key`), "mine\n");
  assertEquals(Deno.readTextFileSync(`${home}/key`), "KEY\n");
  assertEquals([...Deno.readDirSync(home)].map(({ name }) => name).sort(), ["key", "private"]);
});

test("a directory that is replaced by a link to another one inside is not followed either", ({ files, ws }) => {
  Deno.mkdirSync(`${ws}/other`);
  Deno.writeTextFileSync(`${ws}/other/a`, "DENIED\n");
  Deno.writeTextFileSync(`${ws}/sub/a`, "a\n");
  const [read, write] = (["read", "write"] as const).map((access) =>
    files.find(`${ws}/sub/a`, { access, typed: true })
  );
  assert(read && write);
  Deno.renameSync(`${ws}/sub`, `${ws}/aside`);
  Deno.symlinkSync("other", `${ws}/sub`);
  assertThrows(() => files.read(read, 100), Error, "replaced");
  assertThrows(() => files.replace(write, bytes("x")), Error, "replaced");
  assertEquals(Deno.readTextFileSync(`${ws}/other/a`), "DENIED\n");
});

Deno.test("a held directory is never outside of the one that it is held below", () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.mkdirSync(`${top}/ws/sub`, { recursive: true });
    descriptors.hold(`${top}/ws`, "sub")[Symbol.dispose]();
    for (const below of ["..", "sub/../..", "../ws"]) {
      assertThrows(() => descriptors.hold(`${top}/ws`, below), Error, "replaced");
    }
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

test("a pipe and a device are not opened, and nothing waits for them", ({ files, ws }) => {
  new Deno.Command("mkfifo", { args: [`${ws}/pipe`] }).outputSync();
  const pipe = (access: "read" | "write") => files.find(`${ws}/pipe`, { access, typed: true });
  assertThrows(() => files.read(pipe("read"), 100), Error, "not a regular file");
  assertThrows(() => files.open(pipe("read"), { anyKind: true }), Error, "not a regular file");
  assertThrows(() => files.append(pipe("write"), 0o600), Error, "not a regular file");
  assertThrows(() => text(files, "/dev/zero"), Error, "not a regular file");
  assertThrows(() => text(files, `${ws}/sub`), Deno.errors.IsADirectory, `${ws}/sub is a directory`);
  assertThrows(() => put(files, `${ws}/sub`, ""), Deno.errors.IsADirectory);
});

test("files are created, appended to, replaced, listed and removed", ({ files, ws }) => {
  const at = (path: string) => files.find(`${ws}/${path}`, { access: "write", typed: true });
  {
    using created = files.create(at("sub/new"), 0o640);
    created.writeSync(bytes("1"));
  }
  assertThrows(() => files.create(at("sub/new"), 0o600), Deno.errors.AlreadyExists, `${ws}/sub/new`);
  for (const path of ["sub/new", "log"]) {
    using opened = files.append(at(path), 0o600);
    opened.writeSync(bytes("2"));
  }
  assertEquals(text(files, `${ws}/sub/new`), "12");
  assertEquals((Deno.statSync(`${ws}/log`).mode ?? 0) & 0o777, 0o600);
  Deno.chmodSync(`${ws}/log`, 0o755);
  files.replace(at("log"), (file) => void file.writeSync(bytes("3")));
  assertEquals(text(files, `${ws}/log`), "3");
  assertEquals((Deno.statSync(`${ws}/log`).mode ?? 0) & 0o777, 0o755);
  files.makeDirectory(at("sub/made"), 0o700);
  files.makeDirectory(at("sub/made"), 0o700);
  assertEquals(files.status(at("sub/made"))?.isDirectory, true);
  for (const path of ["sub/nothing", "none/x", "a/x"]) assertEquals(files.status(at(path)), undefined);
  const names = (path: string) => files.list(files.find(path, { access: "read", typed: true })).map(({ name }) => name);
  assertEquals(names(`${ws}/sub`).sort(), ["deep", "made", "new"]);
  files.remove(at("sub/made"));
  files.remove(at("sub/new"));
  assertEquals(names(`${ws}/sub/`), ["deep"]);
  assertEquals(names(ws).sort(), ["a", "denied", "log", "sub"]);
  assertThrows(() => text(files, `${ws}/nothing`), Deno.errors.NotFound, `${ws}/nothing`);
  assertThrows(() => files.read(files.find(`${ws}/a`, { access: "read", typed: true }), 1), FileTooLarge);
});

test("what fails in the middle leaves the old file and no other", ({ files, ws }) => {
  const file = files.find(`${ws}/sub/a`, { access: "write", typed: true });
  files.replace(file, bytes("old"), 0o644);
  assertThrows(
    () =>
      files.replace(file, (open) => {
        open.writeSync(bytes("half"));
        throw new Error("no more");
      }),
    Error,
    "no more",
  );
  assertEquals(text(files, `${ws}/sub/a`), "old");
  assertEquals([...Deno.readDirSync(`${ws}/sub`)].map(({ name }) => name).sort(), ["a", "deep"]);
});

test("links in a circle end", ({ files, ws }) => {
  Deno.symlinkSync("y", `${ws}/x`);
  Deno.symlinkSync("x", `${ws}/y`);
  assertThrows(() => text(files, `${ws}/x`), Deno.errors.FilesystemLoop);
});

Deno.test("without descriptors nothing is created, changed or removed in a directory that tools can replace", () => {
  const ws = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.mkdirSync(`${ws}/sub`);
    Deno.writeTextFileSync(`${ws}/sub/a`, "a\n");
    Deno.symlinkSync("sub/a", `${ws}/link`);
    const files = createNamedFiles({ roots: [ws], whyDenied: () => undefined }, () => comparisons);
    for (const path of ["sub/a", "sub/new", "sub/sub/new", "link"]) {
      const error = assertThrows(() => put(files, `${ws}/${path}`, "new"), UserError, "cannot hold a directory");
      assertEquals(error.exitCode, 2);
    }
    put(files, `${ws}/top`, "top\n");
    assertEquals([text(files, `${ws}/top`), text(files, `${ws}/link`), text(files, `${ws}/sub/a`)], [
      "top\n",
      "a\n",
      "a\n",
    ]);
  } finally {
    Deno.removeSync(ws, { recursive: true });
  }
});

Deno.test(
  { name: "where openat2 is missing, each name of a path is opened by itself, and no link", ignore: !canHold },
  () => {
    const top = Deno.realPathSync(Deno.makeTempDirSync());
    try {
      Deno.mkdirSync(`${top}/a/b/c`, { recursive: true });
      Deno.symlinkSync("a", `${top}/link`);
      Deno.symlinkSync("b", `${top}/a/last`);
      Deno.writeTextFileSync(`${top}/a/file`, "");
      const open = (from: number, path: string): number => openEachName(from, path, path);
      const fds = [open(AT_FDCWD, top)];
      try {
        fds.push(open(fds[0] ?? -1, "a/b/c"));
        assertEquals(Deno.readLinkSync(`/proc/self/fd/${fds[1]}`), `${top}/a/b/c`);
        const before = [...Deno.readDirSync("/proc/self/fd")].length;
        for (const path of ["link/b", "a/last", "a/file", "a/none/c"]) assertThrows(() => open(fds[0] ?? -1, path));
        assertThrows(() => open(AT_FDCWD, `${top}/link/b`));
        assertEquals([...Deno.readDirSync("/proc/self/fd")].length, before);
      } finally {
        fds.forEach(close);
      }
    } finally {
      Deno.removeSync(top, { recursive: true });
    }
  },
);

Deno.test("where tools can write everything, a link still leads to no denied file and to none of the kernel", () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.writeTextFileSync(`${top}/key`, "KEY\n");
    Deno.writeTextFileSync(`${top}/open`, "open\n");
    Deno.symlinkSync(`${top}/key`, `${top}/link`);
    Deno.symlinkSync(`${top}/open`, `${top}/fine`);
    Deno.symlinkSync("/proc/self/environ", `${top}/environ`);
    const files = createNamedFiles({
      roots: ["/"],
      whyDenied: (_, real) => real === `${top}/key` ? "it was denied" : undefined,
    });
    assertEquals(text(files, `${top}/fine`), "open\n");
    assertThrows(() => text(files, `${top}/link`), UserError, "it was denied");
    assertThrows(() => text(files, `${top}/environ`), LinkOutside);
    files.open(files.find("/dev/null", { access: "read", typed: true }), { anyKind: true }).close();
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});
