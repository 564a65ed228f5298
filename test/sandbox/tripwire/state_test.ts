import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { statusOf } from "../../../src/sandbox/system/statx.ts";
import {
  type PathState,
  protectedChanges,
  sameState,
  STATE_LIMITS,
  type States,
  statesOf,
} from "../../../src/sandbox/tripwire/state.ts";
import { until } from "../../helpers/until.ts";
import { inFolder } from "../folder.ts";

const linux = { ignore: Deno.build.os !== "linux" };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Paths of what changed, from the folder on. */
function changed(root: string, before: States, path = root): string[] {
  return protectedChanges([path], before, statesOf([path], before)).map((change) =>
    `${change.path.slice(root.length + 1)} ${change.before.kind}>${change.now.kind}`
  );
}

Deno.test(
  "statusOf() tells kind, size, mode and identity of what stands at a path, links not followed",
  linux,
  () =>
    inFolder((root) => {
      Deno.writeTextFileSync(`${root}/file`, "12345", { mode: 0o640 });
      Deno.symlinkSync("file", `${root}/link`);
      Deno.linkSync(`${root}/file`, `${root}/hard`);
      new Deno.Command("mkfifo", { args: [`${root}/fifo`] }).outputSync();
      const look = (name: string): unknown => {
        const status = statusOf(`${root}/${name}`);
        return status && [status.kind, status.size, status.mode];
      };
      assertEquals(look("file"), ["file", 5, 0o640]);
      assertEquals([look("link"), look("fifo"), look("")].map((one) => (one as unknown[])[0]), [
        "link",
        "other",
        "folder",
      ]);
      assertEquals([look("nothing"), look("file/x")], [undefined, undefined]);
      assertEquals(statusOf(`${root}/file`)?.identity, statusOf(`${root}/hard`)?.identity);
      assert(statusOf(`${root}/file`)?.identity !== statusOf(`${root}/link`)?.identity);
      const info = Deno.statSync(`${root}/file`);
      assertEquals([statusOf(`${root}/file`)?.uid, statusOf(`${root}/file`)?.gid], [info.uid, info.gid]);
      assert(Math.abs((statusOf(`${root}/file`)?.changedMs ?? 0) - Date.now()) < 60_000);
    }),
);

Deno.test(
  "statusOf() has another stamp after every change, also where the times were set back",
  linux,
  () =>
    inFolder(async (root) => {
      const path = `${root}/file`;
      Deno.writeTextFileSync(path, "one");
      const { mtime, atime } = Deno.statSync(path);
      const stamps = new Set([statusOf(path)?.stamp]);
      const changes = [
        () => Deno.writeTextFileSync(path, "two"),
        () => Deno.chmodSync(path, 0o600),
        () => Deno.linkSync(path, `${root}/hard`),
        () => Deno.renameSync(path, `${root}/away`) ?? Deno.renameSync(`${root}/away`, path),
      ];
      for (const change of changes) {
        await pause(12);
        change();
        Deno.utimeSync(path, atime ?? 0, mtime ?? 0);
        stamps.add(statusOf(path)?.stamp);
      }
      assertEquals(stamps.size, 1 + changes.length);
    }),
);

Deno.test("statesOf() reads again only what has changed", linux, () =>
  inFolder(async (root) => {
    Deno.mkdirSync(`${root}/d`);
    Deno.writeTextFileSync(`${root}/d/a`, "a");
    Deno.writeTextFileSync(`${root}/d/b`, "b");
    await pause(120);
    const before = statesOf([`${root}/d`]);
    Deno.writeTextFileSync(`${root}/d/b`, "c");
    const now = statesOf([`${root}/d`], before);
    assertStrictEquals(now.get(`${root}/d/a`), before.get(`${root}/d/a`));
    assert(now.get(`${root}/d/b`) !== before.get(`${root}/d/b`));
    // Changed a moment ago: another change could bear the same time. A busy machine may make the moment a long one.
    await until(() => {
      Deno.writeTextFileSync(`${root}/d/b`, "c");
      const fresh = statesOf([`${root}/d`]);
      return statesOf([`${root}/d`], fresh).get(`${root}/d/b`) !== fresh.get(`${root}/d/b`);
    });
  }));

Deno.test("statesOf() looks at everything, whatever of it is kept", linux, () =>
  inFolder((root) => {
    for (let at = 0; at < 20; at++) Deno.writeTextFileSync(`${root}/${at}`, "x".repeat(10));
    Deno.mkdirSync(`${root}/deep/er/still`, { recursive: true });
    const count = (limits: Partial<typeof STATE_LIMITS>): number =>
      statesOf([root], new Map(), { ...STATE_LIMITS, ...limits }).size;
    assertEquals([count({}), count({ entries: 5 }), count({ depth: 0 }), count({ depth: 1 })], [24, 24, 1, 22]);
    const kept = (limits: Partial<typeof STATE_LIMITS>): number =>
      [...statesOf([root], new Map(), { ...STATE_LIMITS, ...limits }).values()]
        .filter((state) => state.kind === "file" && state.bytes !== undefined).length;
    assertEquals([kept({}), kept({ entries: 5 }), kept({ totalBytes: 95 }), kept({ fileBytes: 9 })], [20, 4, 9, 0]);
  }));

Deno.test("statesOf() looks into nothing that was added, and sees a crowd", linux, () =>
  inFolder((root) => {
    Deno.mkdirSync(`${root}/d`);
    Deno.writeTextFileSync(`${root}/d/mine`, "x");
    const before = statesOf([`${root}/d`]);
    Deno.mkdirSync(`${root}/d/new/inner`, { recursive: true });
    const now = statesOf([`${root}/d`], before, STATE_LIMITS, before);
    assertEquals([...now.keys()].map((path) => path.slice(root.length)), ["/d", "/d/mine", "/d/new"]);
    assertEquals(changed(root, before, `${root}/d`), ["d/new absent>folder"]);
    for (let at = 0; at < 1_001; at++) Deno.writeTextFileSync(`${root}/d/${at}`, "");
    const crowd = statesOf([`${root}/d`], before, STATE_LIMITS, before);
    assertEquals(protectedChanges([`${root}/d`], before, crowd).map(({ path }) => path), [`${root}/d`]);
  }));

Deno.test("protectedChanges() names the outermost thing that differs", linux, () =>
  inFolder((root) => {
    Deno.mkdirSync(`${root}/d/inner`, { recursive: true });
    Deno.writeTextFileSync(`${root}/d/file`, "one");
    Deno.writeTextFileSync(`${root}/d/inner/x`, "x");
    Deno.symlinkSync("x", `${root}/d/link`);
    let before = statesOf([root]);
    const step = (change: () => void): string[] => {
      change();
      const found = changed(root, before);
      before = statesOf([root]);
      return found;
    };
    assertEquals(step(() => {}), []);
    assertEquals(step(() => Deno.writeTextFileSync(`${root}/d/file`, "two")), ["d/file file>file"]);
    assertEquals(step(() => Deno.utimeSync(`${root}/d/file`, 1, 1)), []);
    assertEquals(step(() => Deno.chmodSync(`${root}/d/inner/x`, 0o600)), ["d/inner/x file>file"]);
    assertEquals(step(() => Deno.removeSync(`${root}/d/link`)), ["d/link link>absent"]);
    assertEquals(step(() => Deno.symlinkSync("y", `${root}/d/link`)), ["d/link absent>link"]);
    assertEquals(
      step(() => {
        Deno.removeSync(`${root}/d/link`);
        Deno.symlinkSync("z", `${root}/d/link`);
      }),
      ["d/link link>link"],
    );
    assertEquals(step(() => Deno.removeSync(`${root}/d/inner`, { recursive: true })), ["d/inner folder>absent"]);
    assertEquals(step(() => Deno.chmodSync(`${root}/d`, 0o700)), ["d folder>folder"]);
    assertEquals(
      step(() => {
        Deno.removeSync(`${root}/d`, { recursive: true });
        Deno.writeTextFileSync(`${root}/d`, "");
      }),
      ["d folder>file"],
    );
  }));

Deno.test("sameState() compares what a reader would see", () => {
  const owned = { stamp: "1", fresh: false, mode: 0o644, uid: 1, gid: 1 };
  const file = (text: string, more = {}): PathState => ({
    kind: "file",
    bytes: new TextEncoder().encode(text),
    ...owned,
    ...more,
  });
  const cases: readonly (readonly [PathState, PathState, boolean])[] = [
    [{ kind: "absent" }, { kind: "absent" }, true],
    [{ kind: "absent" }, file("a"), false],
    [file("a"), file("b"), true], // the same stamp: nobody wrote
    [file("a"), file("b", { fresh: true }), true],
    [file("a", { fresh: true }), file("b"), false],
    [file("a"), file("a", { stamp: "2" }), true],
    [file("a"), file("b", { stamp: "2" }), false],
    [file("a"), file("a", { stamp: "2", mode: 0o755 }), false],
    [file("a"), file("a", { stamp: "2", uid: 2 }), false],
    [{ kind: "file", ...owned }, { kind: "file", ...owned, stamp: "2" }, false], // too large to be compared
    [{ kind: "link", target: "a", ...owned }, { kind: "link", target: "a", ...owned, stamp: "2" }, true],
    [{ kind: "link", target: "a", ...owned }, { kind: "link", target: "b", ...owned, stamp: "2" }, false],
    [{ kind: "folder", names: [], ...owned }, { kind: "folder", names: ["a"], ...owned, stamp: "2" }, true],
    [{ kind: "other", ...owned }, { kind: "other", ...owned, stamp: "2" }, false],
    [{ kind: "link", target: "a", ...owned }, { ...file("a"), stamp: "2" } as PathState, false],
  ];
  cases.forEach(([a, b, same], at) => assertEquals([at, sameState(a, b)], [at, same]));
});
