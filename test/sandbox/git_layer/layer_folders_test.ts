// Folders of layers: taken again where nothing was written.
import { assert, assertEquals } from "@std/assert";
import { dirname } from "@std/path";
import type { Policy } from "../../../src/core/policy.ts";
import { type LayerFolders, openLayerFolders } from "../../../src/sandbox/git_layer/layer_folders.ts";
import { AT_FDCWD, close, cString, open, systemCall } from "../../../src/sandbox/system/ffi.ts";
import { DEFAULT_LIMITS } from "../../../src/sandbox/policy/limits.ts";
import { makeWorld, type World, worldPolicy } from "../confined_world.ts";

const linux = Deno.build.os !== "linux";
const O_CREAT = 0o100;

const policyOf = (world: World): Policy => ({ ...worldPolicy(world, "kernel+"), limits: DEFAULT_LIMITS });

/** Folders on a disk. */
function onDisk(world: World): LayerFolders {
  const folders = openLayerFolders(policyOf(world), () => true);
  assert(folders !== undefined);
  assert(folders.base.startsWith(world.base));
  return folders;
}

/** What a mount leaves, as the kernel closes it. */
function asMounted(work: string): void {
  Deno.mkdirSync(`${work}/work/incompat/volatile`, { recursive: true });
  Deno.chmodSync(`${work}/work`, 0);
}

Deno.test(
  { name: "a layer to which nothing was written is taken again, whoever held its old folder", ignore: linux },
  () => {
    using world = makeWorld();
    const folders = onDisk(world);
    const layer = folders.take();
    asMounted(layer.work);
    const held = open(layer.upper, 0);
    folders.give(layer, true);
    const again = folders.take();
    assertEquals(again, layer);
    assertEquals([...Deno.readDirSync(again.upper), ...Deno.readDirSync(again.work)], []);
    assert(systemCall("openat", held, cString("late"), O_CREAT | 1, 0o600) < 0);
    close(held);
    assertEquals([...Deno.readDirSync(again.upper)], []);
    assertEquals((Deno.statSync(again.upper).mode ?? 0) & 0o777, 0o700);
    folders.close();
  },
);

const USED: readonly (readonly [name: string, use: (upper: string, work: string) => void, isOver: boolean])[] = [
  ["something was written", (upper) => Deno.writeTextFileSync(`${upper}/config`, "x"), true],
  ["the kernel left something", (_upper, work) => Deno.writeTextFileSync(`${work}/work/#1`, "x"), true],
  ["something else lies beside", (_upper, work) => Deno.mkdirSync(`${work}/work/incompat/other`), true],
  ["its processes could not be ended", () => {}, false],
];
for (const [name, use, isOver] of USED) {
  Deno.test({ name: `a layer is removed and not taken again: ${name}`, ignore: linux }, () => {
    using world = makeWorld();
    const folders = onDisk(world);
    const layer = folders.take();
    Deno.mkdirSync(`${layer.work}/work/incompat/volatile`, { recursive: true });
    use(layer.upper, layer.work);
    folders.give(layer, isOver);
    assertEquals(exists(dirname(layer.upper)), false);
    const next = folders.take();
    assert(next.upper !== layer.upper);
    assertEquals([...Deno.readDirSync(next.upper)], []);
    folders.close();
    assertEquals(exists(folders.base), false);
  });
}

Deno.test(
  { name: "what a session left that was ended hard is removed by the next, and nothing else", ignore: linux },
  () => {
    using world = makeWorld();
    const make = (name: string): string => {
      Deno.mkdirSync(`${world.base}/${name}/1/upper/folder`, { recursive: true });
      return `${world.base}/${name}`;
    };
    const [left, used, bare, other] = [
      make("sandpiper-git-1-00000000"),
      make("sandpiper-git-2-00000000"),
      make("sandpiper-git-3-00000000"),
      make("sandpiper-git-x"),
    ];
    for (const folder of [left, used, other]) Deno.writeTextFileSync(`${folder}/lock`, "");
    Deno.chmodSync(`${left}/1/upper/folder`, 0);
    using held = Deno.openSync(`${used}/lock`, { write: true });
    assert(held.tryLockSync(true));
    const first = onDisk(world);
    assertEquals([left, used, bare, other, first.base].map(exists), [false, true, true, true, true]);
    const second = onDisk(world);
    assert(exists(first.base));
    first.close();
    second.close();
    assertEquals([first.base, second.base].map(exists), [false, false]);
  },
);

function exists(path: string): boolean {
  return systemCall("newfstatat", AT_FDCWD, cString(path), new Uint8Array(256), 0) === 0;
}
