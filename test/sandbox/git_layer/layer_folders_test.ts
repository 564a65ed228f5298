// Folders of layers: each is one process's alone, and gone after it.
import { assert, assertEquals } from "@std/assert";
import { basename, dirname } from "@std/path";
import type { Policy } from "../../../src/core/policy.ts";
import { type LayerFolders, openLayerFolders } from "../../../src/sandbox/git_layer/layer_folders.ts";
import { AT_FDCWD, close, cString, open, systemCall } from "../../../src/sandbox/system/ffi.ts";
import { readProc } from "../../../src/sandbox/system/procfs.ts";
import { DEFAULT_LIMITS } from "../../../src/sandbox/policy/limits.ts";
import { until } from "../../helpers/until.ts";
import { makeWorld, type World, worldPolicy } from "../confined_world.ts";

const linux = Deno.build.os !== "linux";

const policyOf = (world: World): Policy => ({ ...worldPolicy(world, "kernel+"), limits: DEFAULT_LIMITS });

/** Folders on a disk. */
function onDisk(world: World): LayerFolders {
  const folders = openLayerFolders(policyOf(world), () => true);
  assert(folders !== undefined);
  assert(folders.base.startsWith(world.base));
  return folders;
}

const USED: readonly (readonly [name: string, use: (upper: string, work: string) => void])[] = [
  ["nothing was written", () => {}],
  ["something was written", (upper) => Deno.writeTextFileSync(`${upper}/config`, "x")],
  ["a command closed a folder in it", (upper) => Deno.mkdirSync(`${upper}/folder/inner`, { recursive: true, mode: 0 })],
  // As the kernel closes it.
  ["the kernel left something", (_upper, work) => {
    Deno.mkdirSync(`${work}/work/incompat/volatile`, { recursive: true });
    Deno.writeTextFileSync(`${work}/work/incompat/volatile/dirty`, "");
    Deno.chmodSync(`${work}/work`, 0);
  }],
];
for (const [name, use] of USED) {
  Deno.test({ name: `a layer is removed and the next is another one: ${name}`, ignore: linux }, async () => {
    using world = makeWorld();
    const folders = onDisk(world);
    const seen = new Set<string>();
    for (let round = 0; round < 3; round++) {
      const layer = folders.take();
      assert(!seen.has(layer.upper));
      seen.add(layer.upper);
      assertEquals([...Deno.readDirSync(layer.upper), ...Deno.readDirSync(layer.work)], []);
      assertEquals([layer.upper, layer.work].map((path) => (Deno.statSync(path).mode ?? 0) & 0o777), [0o700, 0o700]);
      use(layer.upper, layer.work);
      folders.give(layer);
      await until(() => !exists(dirname(layer.upper)));
    }
    await folders.close();
    assertEquals(exists(folders.base), false);
  });
}

Deno.test({ name: "a layer is removed when its mounts are gone, and not before", ignore: linux }, async () => {
  using world = makeWorld();
  const folders = onDisk(world);
  const [mounted, other] = [folders.take(), folders.take()];
  const unmounted = Promise.withResolvers<void>();
  folders.give(mounted, unmounted.promise);
  folders.give(other);
  await until(() => !exists(dirname(other.upper)));
  assert(exists(mounted.upper));
  unmounted.resolve();
  await until(() => !exists(dirname(mounted.upper)));
  await folders.close();
  assertEquals(exists(folders.base), false);
});

Deno.test(
  { name: "layers are spread over a disk that is ext4 without a journal, and over no other", ignore: linux },
  async () => {
    using world = makeWorld();
    const folders = onDisk(world);
    const { stdout } = new Deno.Command("findmnt", { args: ["-no", "SOURCE", "-T", folders.base] }).outputSync();
    const device = basename(new TextDecoder().decode(stdout).trim());
    const journal = readProc(`/sys/fs/ext4/${device}/journal_task`);
    const attributes = new Uint8Array(8);
    const fd = open(folders.base, 0);
    systemCall("ioctl", fd, 0x80086601, /* FS_IOC_GETFLAGS */ attributes);
    close(fd);
    assertEquals((attributes[2] ?? 0) & 2, /* FS_TOPDIR_FL */ journal === "<none>\n" ? 2 : 0);
    await folders.close();
  },
);

Deno.test({ name: "closing removes layers that are just made or removed", ignore: linux }, async () => {
  using world = makeWorld();
  const folders = onDisk(world);
  const layer = folders.take();
  Deno.mkdirSync(`${layer.upper}/a/b/c`, { recursive: true });
  folders.give(layer);
  folders.take();
  await folders.close();
  assertEquals([...Deno.readDirSync(dirname(folders.base))].filter(({ name }) => name.startsWith("sandpiper-git")), []);
});

Deno.test(
  { name: "what a session left that was ended hard is removed by the next, and nothing else", ignore: linux },
  async () => {
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
    await first.close();
    await second.close();
    assertEquals([first.base, second.base].map(exists), [false, false]);
  },
);

function exists(path: string): boolean {
  return systemCall("newfstatat", AT_FDCWD, cString(path), new Uint8Array(256), 0) === 0;
}
