import { assert, assertEquals, assertThrows } from "@std/assert";
import { emptyRecords, lengthIn, nameIn, shownPath, statusIn, type Tree } from "../../../src/core/support/tree.ts";
import { libc, shortCall } from "../../../src/sandbox/system/ffi.ts";
import { openFolderTree } from "../../../src/sandbox/system/tree.ts";

// Opened once in a process and never closed: the first test that needs it must not be blamed for it.
libc();
shortCall();

/** A tree with `a` and `folder/b` in it, and a folder beside it. */
function withTree(
  work: (place: { readonly tree: Tree; readonly root: string; readonly outside: string }) => void,
): void {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  const [root, outside] = [`${top}/root`, `${top}/outside`];
  Deno.mkdirSync(`${root}/folder`, { recursive: true });
  Deno.mkdirSync(outside);
  Deno.writeTextFileSync(`${root}/a`, "a\n");
  Deno.writeTextFileSync(`${root}/folder/b`, "b\n");
  Deno.writeTextFileSync(`${outside}/b`, "outside\n");
  const tree = openFolderTree(root);
  try {
    if (tree === undefined) throw new Error("no tree");
    work({ tree, root, outside });
  } finally {
    tree?.close();
    Deno.removeSync(top, { recursive: true });
  }
}

function namesIn(tree: Tree, folder: string): string[] {
  const scan = tree.scan(folder);
  const records = emptyRecords(64);
  while (scan?.next(records));
  scan?.close();
  const names: string[] = [];
  for (let at = 0; at < records.length; at += lengthIn(records.bytes, at)) {
    names.push(`${shownPath(nameIn(records.bytes, at))} ${statusIn(records, at).size}`);
  }
  return names.sort();
}

Deno.test("a tree lists names with their status, and puts, changes and removes what lies in it", () =>
  withTree(({ tree, root }) => {
    Deno.writeTextFileSync(`${root}/ü`, "12345");
    assertEquals(namesIn(tree, "").map((name) => name.replace(/^folder .*/, "folder")), ["a 2", "folder", "ü 5"]);
    assertEquals(namesIn(tree, "folder"), ["b 2"]);
    assertEquals(tree.scan("a"), undefined);
    tree.putFile("folder/c", new TextEncoder().encode("c\n"), 0o640);
    tree.putFile("folder/b", new TextEncoder().encode("new\n"), 0o600);
    tree.putLink("a", "folder/b");
    tree.makeFolder("folder/deep", 0o700);
    tree.setMode("folder/c", 0o444);
    assertEquals(Deno.readTextFileSync(`${root}/folder/b`), "new\n");
    assertEquals([Deno.readLinkSync(`${root}/a`), tree.readLink("a")], ["folder/b", "folder/b"]);
    assertEquals((tree.status("folder/c")?.mode ?? 0) & 0o7777, 0o444);
    tree.remove("folder/deep", true);
    tree.remove("folder/c", false);
    assertEquals(namesIn(tree, "folder"), ["b 4"]);
  }));

Deno.test("a tree lists every name as its bytes are, and says of each what the system does", () =>
  withTree(({ tree, root }) => {
    const names = ["...", "..a", ".a", "\x80\x81", "\xff\xff\xff\x80"];
    // Each length at each place of a word, with bytes that are no text; together more than is listed at once.
    for (let length = 1; length < 256; length++) {
      for (const first of [0x61, 0x80, 0xff]) {
        names.push(
          String.fromCharCode(...Array.from({ length }, (_, at) => (at * 7 + length + first) % 254 + 1))
            .replaceAll("/", "_"),
        );
      }
    }
    tree.makeFolder("names", 0o700);
    const distinct = [...new Set(names)].sort();
    for (const [at, name] of distinct.entries()) tree.putFile(`names/${name}`, new Uint8Array(at), 0o640);
    const scan = tree.scan("names");
    const records = emptyRecords(64);
    let listings = 0;
    while (scan?.next(records)) listings++;
    scan?.close();
    const found = new Map<string, number>();
    for (let at = 0; at < records.length; at += lengthIn(records.bytes, at)) {
      const name = nameIn(records.bytes, at);
      found.set(name, at);
      assertEquals(lengthIn(records.bytes, at), 40 + Math.ceil(name.length / 4) * 4);
      assertEquals(statusIn(records, at), tree.status(`names/${name}`));
    }
    assertEquals([...found.keys()].sort(), distinct);
    assert(listings > 1, "one listing had all names");
    for (const [size, name] of [...distinct.entries()].filter(([, name]) => /^[ -~]+$/.test(name))) {
      const info = Deno.lstatSync(`${root}/names/${name}`);
      const status = statusIn(records, found.get(name) ?? 0);
      assertEquals([status.size, status.inode, status.mode], [size, String(info.ino), info.mode]);
      // The runtime gives this time in whole seconds.
      assertEquals(Math.floor(status.changedMs / 1_000), Math.floor((info.ctime?.getTime() ?? 0) / 1_000));
    }
  }));

Deno.test("nothing of a tree is reached through a link, nor outside of it", () =>
  withTree(({ tree, root, outside }) => {
    Deno.symlinkSync(outside, `${root}/link`);
    Deno.symlinkSync("folder", `${root}/inner`);
    for (const folder of ["link", "inner", "..", "../outside", outside]) {
      assertEquals([folder, tree.scan(folder)], [folder, undefined]);
      for (const path of [`${folder}/b`, `${folder}/new`]) {
        assertEquals([path, tree.status(path), tree.read(path, 100), tree.readLink(path)], [
          path,
          undefined,
          undefined,
          undefined,
        ]);
        assertThrows(() => tree.putFile(path, new Uint8Array(), 0o644), Error);
        assertThrows(() => tree.putLink(path, "x"), Error);
        assertThrows(() => tree.makeFolder(path, 0o755), Error);
        assertThrows(() => tree.setMode(path, 0o777), Error);
        assertThrows(() => tree.remove(path, false), Error);
      }
    }
    assertThrows(() => tree.setMode("link", 0o777), Error);
    assertEquals(tree.read("link", 100), undefined);
    assertEquals([...Deno.readDirSync(outside)].map(({ name }) => name), ["b"]);
    assertEquals(Deno.readTextFileSync(`${outside}/b`), "outside\n");
    // A link itself is a thing in the tree: putting a file there replaces it, and not what it leads to.
    tree.putFile("link", new TextEncoder().encode("mine"), 0o644);
    assertEquals(Deno.readTextFileSync(`${outside}/b`), "outside\n");
    assertEquals(Deno.lstatSync(`${root}/link`).isFile, true);
  }));

Deno.test("a file is read only if it is as its record says, and a pipe in its place is not waited for", () =>
  withTree(({ tree, root, outside }) => {
    const files: Readonly<Record<string, string>> = {
      a: "a\n",
      empty: "",
      large: "x".repeat(600_000),
      "folder/b": "b\n",
    };
    for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(`${root}/${name}`, text);
    const recordOf = (path: string) => {
      const scan = tree.scan(path.includes("/") ? "folder" : "");
      const records = emptyRecords(64);
      while (scan?.next(records));
      scan?.close();
      let at = 0;
      while (nameIn(records.bytes, at) !== path.replace("folder/", "")) at += lengthIn(records.bytes, at);
      return [records, at] as const;
    };
    const kept = Object.keys(files).map((path) => [path, recordOf(path)] as const);
    for (const [path, record] of kept) {
      assertEquals(new TextDecoder().decode(tree.readSame(path, ...record)), files[path]);
    }
    const changes: Readonly<Record<string, () => void>> = {
      a: () => Deno.writeTextFileSync(`${root}/a`, "A\n"),
      empty: () => Deno.chmodSync(`${root}/empty`, 0o600),
      large: () => {
        Deno.removeSync(`${root}/large`);
        assert(new Deno.Command("mkfifo", { args: [`${root}/large`] }).outputSync().success);
      },
      "folder/b": () => {
        Deno.removeSync(`${root}/folder`, { recursive: true });
        Deno.symlinkSync(outside, `${root}/folder`);
      },
    };
    for (const [path, record] of kept) {
      changes[path]?.();
      assertEquals(tree.readSame(path, ...record), undefined, path);
    }
  }));
