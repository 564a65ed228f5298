// What an import may cost, and which objects it takes: everything in a layer was written by a command.
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { openHostGit } from "../../../src/sandbox/git_layer/host_git.ts";
import { LimitReached, openPause, timeLimit } from "../../../src/sandbox/git_layer/limit.ts";
import { sharedModes } from "../../../src/sandbox/git_layer/shared_modes.ts";
import { importObjects } from "../../../src/sandbox/git_layer/objects.ts";
import { refChanges } from "../../../src/sandbox/git_layer/refs.ts";
import { readUpper } from "../../../src/sandbox/git_layer/upper.ts";
import { until } from "../../helpers/until.ts";
import { makeWorld, type World } from "../confined_world.ts";
import { git, repository } from "../guarded_world.ts";
import { makeFresh, putObject, takeLayer } from "./import_world.ts";

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

interface Room {
  readonly world: World;
  readonly root: string;
  readonly upper: string;
  readonly fresh: string;
}

function at(name: string, work: (room: Room) => Promise<void>): void {
  Deno.test(name, async () => {
    using world = makeWorld();
    repository(world.root);
    const upper = `${world.base}/upper`;
    Deno.mkdirSync(`${upper}/objects/pack`, { recursive: true });
    await work({ world, root: world.root, upper, fresh: makeFresh(world.base) });
  });
}

/** A tree with one entry for each name. */
function treeOf(entries: readonly (readonly [mode: string, name: string, object: string])[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    entries.flatMap(([mode, name, object]) => [...bytes(`${mode} ${name}\0`), ...Uint8Array.fromHex(object)]),
  );
}

const BAD_NAMES = [".git", ".GIT", "..", ".", "git~1", ".g\u200cit", ".git ", "a/b", ""];

for (const how of ["loose", "packed"]) {
  at(`objects that git would not make are not taken (${how})`, async ({ world, root, upper, fresh }) => {
    const blob = git(root, "rev-parse", "HEAD:a").trim();
    const url = '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch\n';
    const trees: Record<string, Uint8Array<ArrayBuffer>> = {
      ...Object.fromEntries(BAD_NAMES.map((name) => [`name "${name}"`, treeOf([["100644", name, blob]])])),
      "twice": treeOf([["100644", "a", blob], ["100644", "a", blob]]),
      "not in order": treeOf([["100644", "b", blob], ["100644", "a", blob]]),
      "settings of submodules as a link": treeOf([["120000", ".gitmodules", blob]]),
      "cut": treeOf([["100644", "a", blob]]).subarray(0, -1),
    };
    const objects = `${root}/.git/objects`;
    const before = [...Deno.readDirSync(objects)].length;
    const attempt = async (parts: readonly (readonly [kind: string, content: Uint8Array])[]): Promise<string> => {
      const names = [];
      for (const [kind, content] of parts) names.push(putObject(upper, kind, content));
      if (how === "packed") pack(world.base, upper, names);
      const notes = await takeLayer(root, fresh, upper);
      for (const { name } of Deno.readDirSync(`${upper}/objects`)) {
        Deno.removeSync(`${upper}/objects/${name}`, { recursive: true });
      }
      return notes.join("\n");
    };
    for (const [name, tree] of Object.entries(trees)) {
      assertMatch(await attempt([["tree", tree]]), /^Not taken: (?:new objects|objects\/pack)/, name);
    }
    const settings = createHash("sha1").update(`blob ${url.length}\0${url}`).digest("hex");
    const named = treeOf([["100644", ".gitmodules", settings]]);
    assertMatch(await attempt([["blob", bytes(url)], ["tree", named]]), /gitmodulesUrl/);
    assertEquals([...Deno.readDirSync(objects)].length, before);
    // A file is looked at whether it comes before or after what names it: of some pairs one does.
    for (let turn = 0; turn < 8; turn++) {
      const good = bytes(`[submodule "x"]\n\tpath = x\n\turl = https://h.test/${turn}\n`);
      const name = createHash("sha1").update(`blob ${good.length}\0`).update(good).digest("hex");
      assertEquals(await attempt([["blob", good], ["tree", treeOf([["100644", ".gitmodules", name]])]]), "");
    }
    const taken = [...Deno.readDirSync(objects)].length;
    // Not in two steps either.
    assertMatch(await attempt([["tree", named]]), /a \.gitmodules in them is missing/);
    assertMatch(await attempt([["commit", bytes("tree x\n\n")]]), /bogus commit object/);
    assertEquals([...Deno.readDirSync(objects)].length, taken);
    assertEquals(await attempt([["blob", bytes("x")]]), "");
    git(root, "fsck", "--strict");
  });
}

/** Puts loose objects of a layer into a pack there. */
function pack(base: string, upper: string, names: readonly string[]): void {
  const made = new Deno.Command("sh", {
    args: [
      "-c",
      `printf '%s\\n' ${names.join(" ")} | git --git-dir=fresh pack-objects -q "$0/objects/pack/pack"`,
      upper,
    ],
    cwd: base,
    env: { GIT_OBJECT_DIRECTORY: `${upper}/objects` },
  }).outputSync();
  // What git itself cannot read stays loose.
  if (!made.success) return;
  for (const name of names) Deno.removeSync(`${upper}/objects/${name.slice(0, 2)}/${name.slice(2)}`);
}

at("objects that unpack to more than the limit are refused before anything is unpacked", async (room) => {
  const { root, upper, fresh } = room;
  // 41 times 50 MiB of zeros, each other by its last byte.
  const size = 50 * 1024 * 1024;
  const content = new Uint8Array(size);
  const head = bytes(`blob ${size}\0`);
  const one = new Uint8Array(head.length + size);
  one.set(head);
  one.set(content, head.length);
  const packed = deflateSync(one, { level: 1 });
  for (let count = 0; count < 41; count++) {
    const name = count.toString(16).padStart(40, "a");
    Deno.mkdirSync(`${upper}/objects/${name.slice(0, 2)}`, { recursive: true });
    Deno.writeFileSync(`${upper}/objects/${name.slice(0, 2)}/${name.slice(2)}`, packed);
  }
  const error = await assertRejects(() => takeLayer(root, fresh, upper), LimitReached);
  assertEquals(error.message, "unpacked its objects are more than 2 GiB");
  assertEquals([...Deno.readDirSync(`${root}/.git/objects`)].filter(({ name }) => name.startsWith("tmp_")), []);
});

at("a pack of few bytes that stands for an object of many gets no more memory than the limit", async (room) => {
  const { root, upper, fresh } = room;
  Deno.writeFileSync(`${upper}/objects/pack/pack-${"a".repeat(40)}.pack`, deltaBomb(16 * 1024 * 1024, 256));
  const notes = await takeLayer(root, fresh, upper);
  assertMatch(notes.join("\n"), /^Not taken: new objects: .*Out of memory/);
});

/** A blob of zeros and a delta that copies it again and again: 7 bytes for each time. */
function deltaBomb(size: number, times: number): Uint8Array<ArrayBuffer> {
  const number = (value: number): number[] =>
    value < 128 ? [value] : [value % 128 | 128, ...number(Math.floor(value / 128))];
  const header = (kind: number, length: number): number[] =>
    length < 16 ? [kind << 4 | length] : [kind << 4 | length % 16 | 128, ...number(Math.floor(length / 16))];
  const base = new Uint8Array(size);
  const name = createHash("sha1").update(`blob ${size}\0`).update(base).digest();
  // Copies of 0xffffff bytes from the start, gitformat-pack(5).
  const copies = Array.from({ length: times }, () => [0xf0, 0xff, 0xff, 0xff]).flat();
  const delta = new Uint8Array([...number(size), ...number(0xffffff * times), ...copies]);
  const body = new Uint8Array([
    ...bytes("PACK"),
    ...[0, 0, 0, 2, 0, 0, 0, 2],
    ...header(3, size),
    ...deflateSync(base),
    ...header(7, delta.length),
    ...name,
    ...deflateSync(delta),
  ]);
  return new Uint8Array([...body, ...createHash("sha1").update(body).digest()]);
}

at("git that goes on past the limit of time is ended with all that it started, and nothing is taken", async (room) => {
  const { world, root, upper, fresh } = room;
  // A git that holds its pipes, with a child that does so too and hears no SIGTERM.
  const slow = `${world.base}/slow`;
  Deno.writeTextFileSync(
    slow,
    `#!/bin/sh\ntrap '' TERM\nsh -c 'trap "" TERM; while :; do sleep 1; done' &\necho $! > ${slow}.child\nwait\nwhile :; do sleep 1; done\n`,
    { mode: 0o755 },
  );
  putObject(upper, "blob", bytes("x"));
  const look = await readUpper(upper);
  if ("flood" in look) throw new Error(look.flood);
  const before = git(root, "count-objects", "-v");
  using limit = timeLimit(500);
  const places = {
    real: `${root}/.git`,
    upper,
    fresh,
    hashBytes: 20 as const,
    git: openHostGit(slow),
    shared: sharedModes(""),
  };
  const error = await assertRejects(() => importObjects(places, look.entries, limit), LimitReached);
  assertEquals(error.message, "looking at it took longer than 0.5 s");
  const child = Deno.readTextFileSync(`${slow}.child`).trim();
  await until(() => !isRunning(child));
  assertEquals(git(root, "count-objects", "-v"), before);
});

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function isRunning(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

Deno.test("refChanges() takes time with the references, not with their square, and lets others go on", async () => {
  const object = "1".repeat(40);
  const names = Array.from({ length: 100_000 }, (_, at) => `refs/heads/f${at % 300}/b${at}`);
  const begun = { loose: new Map(names.map((name) => [name, object])), packed: new Map() };
  const entries = new Map(names.map((name) => [name, "gone"] as const));
  entries.set("packed-refs", "gone");
  const text = names.map((name) => `${object} ${name}\n`).join("");
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const packed = new Map([...entries, ["packed-refs", "file"] as const]);
  assertEquals((await refChanges(begun, packed, () => text)).changes, []);
  clearInterval(timer);
  assert(ticks > 0);
  await assertRejects(() => refChanges(begun, entries, () => undefined), LimitReached, "more than 20000 references");
});

Deno.test("openPause() stops where its signal was aborted", async () => {
  const control = new AbortController();
  const pause = openPause(control.signal);
  const start = performance.now();
  control.abort(new LimitReached("x"));
  await assertRejects(async () => {
    while (performance.now() - start < 10_000) await pause();
  }, LimitReached);
});

at("what an import left that was ended hard is removed when it is old, and by nobody before", async (room) => {
  const { root, upper, fresh } = room;
  const left = `${root}/.git/objects/tmp_objdir-incoming-sandpiper-01234567`;
  Deno.mkdirSync(`${left}/packed/pack`, { recursive: true });
  putObject(upper, "blob", bytes("x"));
  assertEquals(await takeLayer(root, fresh, upper), []);
  assertEquals(Deno.statSync(left).isDirectory, true);
  Deno.utimeSync(left, 1, 1);
  putObject(upper, "blob", bytes("y"));
  assertEquals(await takeLayer(root, fresh, upper), []);
  assertEquals(isThere(left), false);
});
