import { assertEquals } from "@std/assert";
import { openWalk, WALK_LIMITS, type WalkFindings } from "../../../src/sandbox/tripwire/walk.ts";
import { inFolder as inNewFolder } from "../folder.ts";

const linux = { ignore: Deno.build.os !== "linux" };
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150));

function inFolder(
  work: (root: string, make: (...paths: readonly string[]) => void) => void | Promise<void>,
): Promise<void> {
  return inNewFolder((root) =>
    work(root, (...paths) => {
      for (const path of paths) Deno.mkdirSync(`${root}/${path}`, { recursive: true });
    })
  );
}

/** What was found, below the folder, of each list that is not empty. */
function told(root: string, found: WalkFindings): Record<string, string[]> {
  const short = (path: string): string => path.slice(root.length + 1);
  const lists: Record<string, string[]> = {
    pointing: found.pointing.map(short),
    repositories: found.repositories.map(short),
    odd: found.odd.map(short),
    unseen: found.unseen.map(({ path, why }) => `${short(path)} ${why}`),
    closed: found.closed.map(({ path, mode }) => `${short(path)} ${mode.toString(8)}`),
  };
  return Object.fromEntries(
    Object.entries(lists).filter(([, list]) => list.length > 0).map(([key, list]) => [key, list.sort()]),
  );
}

Deno.test(
  "openWalk() finds every .git and every bare repository, through no link",
  linux,
  () =>
    inFolder((root, make) => {
      make("a/.git", "b/c/d/.git/modules/x/.git", "plain/objects", "bare/objects", "bare/refs", "bare/sub/.git", "e");
      make(
        "shared",
        "away/.git",
        "node_modules/x/.git",
        ...Array.from({ length: 400 }, (_, at) => `many/${at}`),
        "many/z/.git",
      );
      for (const path of ["bare/HEAD", "plain/HEAD", "e/.git", "shared/HEAD", "shared/commondir"]) {
        Deno.writeTextFileSync(`${root}/${path}`, "");
      }
      Deno.symlinkSync("../away", `${root}/a/door`);
      Deno.symlinkSync("away/.git", `${root}/many/z/1`);
      Deno.mkdirSync(`${root}/l`);
      Deno.symlinkSync("../away/.git", `${root}/l/.git`);
      const walk = openWalk([{ path: root, inGit: false }]);
      const expected = {
        pointing: ["e", "l"],
        repositories: [
          ...["a/.git", "away/.git", "b/c/d/.git", "b/c/d/.git/modules/x/.git", "bare", "bare/sub/.git", "many/z/.git"],
          ...["node_modules/x/.git", "shared"],
        ],
      };
      assertEquals(told(root, walk.arm()), expected);
      assertEquals(told(root, walk.look()), expected);
    }),
);

Deno.test(
  "openWalk() sees what is made, moved, deleted and swapped between two looks",
  linux,
  () =>
    inFolder(async (root, make) => {
      make("a/b", "c");
      await pause();
      const walk = openWalk([{ path: root, inGit: false }]);
      const found = (): readonly string[] => walk.look().repositories.map((path) => path.slice(root.length + 1));
      walk.arm();
      assertEquals(found(), []);
      make("a/b/.git");
      assertEquals(found(), ["a/b/.git"]);
      await pause();
      Deno.renameSync(`${root}/a`, `${root}/c/a`);
      assertEquals(found(), ["c/a/b/.git"]);
      // A time that is set back hides nothing: the kernel's own cannot be.
      const { mtime } = Deno.statSync(`${root}/c`);
      make("c/.git");
      Deno.utimeSync(`${root}/c`, new Date(), mtime ?? new Date());
      assertEquals(found(), ["c/.git", "c/a/b/.git"]);
      Deno.removeSync(`${root}/c/a/b/.git`);
      assertEquals(found(), ["c/.git"]);
      // Another change right after a look, within one tick of the clock.
      for (let at = 0; at < 50; at++) {
        make(`t/${at}/x`);
        walk.look();
        make(`t/${at}/x/.git`);
        assertEquals(found().at(-1), `t/${at}/x/.git`);
        Deno.removeSync(`${root}/t`, { recursive: true });
      }
    }),
);

Deno.test(
  "openWalk() finds links and the like in what git writes, and only there",
  linux,
  () =>
    inFolder((root, make) => {
      make(
        ".git/objects/ab",
        ".git/rr-cache/1",
        ".git/lfs/objects/a/b",
        ".git/refs",
        "src",
        "bare/objects/cd",
        "bare/refs",
      );
      Deno.writeTextFileSync(`${root}/bare/HEAD`, "");
      for (
        const path of [
          "src/l",
          ".git/objects/ab/l",
          ".git/rr-cache/1/l",
          ".git/lfs/objects/a/b/l",
          "bare/l",
          "bare/objects/l",
          "bare/index",
        ]
      ) {
        Deno.symlinkSync("/nowhere", `${root}/${path}`);
      }
      Deno.symlinkSync("refs/heads/main", `${root}/.git/HEAD`);
      new Deno.Command("mkfifo", { args: [`${root}/.git/COMMIT_EDITMSG`] }).outputSync();
      assertEquals(told(root, openWalk([{ path: root, inGit: false }]).arm())["odd"], [
        ...[".git/COMMIT_EDITMSG", ".git/lfs/objects/a/b/l", ".git/objects/ab/l", ".git/rr-cache/1/l", "bare/index"],
        "bare/objects/l",
      ]);
      assertEquals(told(root, openWalk([{ path: `${root}/src`, inGit: true }]).arm())["odd"], ["src/l"]);
    }),
);

Deno.test(
  "openWalk() names what it did not look into: the outermost folder that is new",
  linux,
  () =>
    inFolder((root, make) => {
      make("mine", `old/${"d/".repeat(140)}`);
      const walk = openWalk([{ path: root, inGit: false }], { limits: { ...WALK_LIMITS, fresh: 4_000 } });
      assertEquals(walk.arm().isPartial, true);
      // What was too deep before is the user's own, and said once.
      assertEquals(told(root, walk.look()), {});
      make(`mine/x/${"d/".repeat(140)}.git`);
      assertEquals(told(root, walk.look())["unseen"], ["mine/x lies too deep"]);
      Deno.removeSync(`${root}/mine/x`, { recursive: true });
      make(...Array.from({ length: 300 }, (_, at) => `mine/y/${at}`));
      assertEquals(told(root, walk.look())["unseen"], ["mine/y came with too many others"]);
      Deno.removeSync(`${root}/mine/y`, { recursive: true });
      assertEquals(told(root, walk.look()), {});
    }),
);

Deno.test("openWalk() names folders that are no text when there is something in them", linux, () =>
  inFolder((root) => {
    const shell = (script: string): void =>
      void new Deno.Command("bash", { args: ["-c", script], cwd: root }).outputSync();
    const walk = openWalk([{ path: root, inGit: false }]);
    shell("mkdir -p $'plain\\xff/x' é/.git $'mine\\xff'");
    const own = walk.arm();
    assertEquals(own.repositories, [`${root}/é/.git`]);
    shell("mkdir -p new/$'s\\xff'/r/.git; echo > $'mine\\xff/.git'");
    assertEquals(walk.look().unseen.map(({ why }) => why), Array(2).fill("has a name that is no text"));
  }));

Deno.test("openWalk() names what its owner closed, with the mode that it had", {
  ignore: Deno.build.os !== "linux" || Deno.uid() === 0,
}, () =>
  inFolder((root, make) => {
    make("mine/inner", "new");
    const walk = openWalk([{ path: root, inGit: false }]);
    Deno.removeSync(`${root}/new`);
    Deno.chmodSync(`${root}/mine`, 0o750);
    walk.arm();
    make("new/.git", "mine/.git");
    Deno.chmodSync(`${root}/mine`, 0o600);
    Deno.chmodSync(`${root}/new`, 0o111);
    assertEquals(told(root, walk.look()), { closed: ["mine 750"], unseen: ["new cannot be listed"] });
    Deno.chmodSync(`${root}/mine`, 0o750);
    Deno.chmodSync(`${root}/new`, 0o700);
    assertEquals(told(root, walk.look()), { repositories: ["mine/.git", "new/.git"] });
  }));
