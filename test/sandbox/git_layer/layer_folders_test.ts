// Folders of layers: taken again where nothing was written, in memory where there is enough.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { dirname } from "@std/path";
import type { Policy } from "../../../src/core/policy.ts";
import { type LayerFolders, openLayerFolders } from "../../../src/sandbox/git_layer/layer_folders.ts";
import { memoryBelow } from "../../../src/sandbox/process/memory_files.ts";
import { AT_FDCWD, close, cString, open, systemCall } from "../../../src/sandbox/system/ffi.ts";
import { DEFAULT_LIMITS } from "../../../src/sandbox/policy/limits.ts";
import { makeWorld, type World, worldPolicy } from "../confined_world.ts";
import { inWorld, repository } from "../guarded_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";

const linux = Deno.build.os !== "linux";
const O_CREAT = 0o100;
/** Without it Deno opens nothing below /dev. */
const HAS_ALL = (["read", "write", "run", "env", "net", "sys", "ffi", "import"] as const)
  .every((name) => Deno.permissions.querySync({ name }).state === "granted");
const MIB = 1024 * 1024;

const policyOf = (world: World): Policy => ({ ...worldPolicy(world, "kernel+"), limits: DEFAULT_LIMITS });

/** Folders on a disk. */
function onDisk(world: World): LayerFolders {
  const folders = openLayerFolders(policyOf(world), true, () => true);
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

const MEMORY:
  readonly (readonly [name: string, change: (policy: Policy) => Policy, isLarge: boolean, wanted: boolean])[] = [
    ["there is enough", (policy) => policy, false, true],
    ["a repository is large", (policy) => policy, true, false],
    ["a command may use more than there is", (policy) => withMemory(policy, 2 ** 50), false, false],
    ["it is granted to be read", (policy) => ({ ...policy, read: { all: false, list: ["/dev/shm"] } }), false, false],
    [
      "it is granted to be written",
      (policy) => ({ ...policy, write: { all: false, list: ["/dev/shm"] } }),
      false,
      false,
    ],
    ["some of it is granted", (policy) => ({ ...policy, read: { all: false, list: ["/dev/shm/x"] } }), false, false],
  ];
for (const [name, change, isLarge, wanted] of MEMORY) {
  Deno.test(
    { name: `layers lie ${wanted ? "in memory" : "on the disk"} where ${name}`, ignore: linux || !HAS_ALL },
    () => {
      using world = makeWorld();
      const folders = openLayerFolders(withMemory(change(policyOf(world)), MIB, true), isLarge, () => true);
      assertEquals([folders?.isMemory, folders?.base.startsWith("/dev/shm/")], [wanted, wanted]);
      assertEquals((Deno.statSync(folders?.base ?? "").mode ?? 0) & 0o777, 0o700);
      folders?.close();
      assertEquals(exists(folders?.base ?? "/"), false);
    },
  );
}

Deno.test({ name: "layers lie on the disk where none can be mounted in memory", ignore: linux || !HAS_ALL }, () => {
  using world = makeWorld();
  const tried: string[] = [];
  const folders = openLayerFolders(withMemory(policyOf(world), MIB), false, ({ base, isMemory }) => {
    tried.push(base);
    return !isMemory;
  });
  assertEquals([tried.length, folders?.isMemory, exists(tried[0] ?? "/")], [2, false, false]);
  folders?.close();
});

Deno.test({
  name: "a command that fills its layer in memory is ended, and the memory is free again",
  ignore: !HAS_OWN || !HAS_ALL,
  fn: () =>
    inWorld("kernel+", repository, async ({ run }) => {
      const fill = "for i in 1 2 3 4; do head -c 40M /dev/zero > .git/$i; done; sleep 20";
      const { ending, limit, notes } = await run(fill);
      assertEquals(ending, "limit");
      assertMatch(limit ?? "", /^the command used [\d.]+MB of memory, more than the 100.0MB it may use$/);
      assertMatch(notes.join("\n"), /Not taken/);
      const own = [...Deno.readDirSync("/dev/shm")].find(({ name }) => name.startsWith(`sandpiper-git-${Deno.pid}-`));
      assert(own !== undefined && memoryBelow(`/dev/shm/${own.name}`, 1_000) < MIB);
      assertEquals((await run("ls .git/1")).exitCode, 2);
    }, { limits: { ...DEFAULT_LIMITS, memoryBytes: 100 * MIB } }),
});

Deno.test({ name: "layers work in memory as they do on a disk", ignore: !HAS_OWN || HAS_ALL }, async () => {
  const files = ["layer_folders_test.ts", "layers_test.ts"].map((name) => new URL(name, import.meta.url).pathname);
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--no-prompt", "--cached-only", ...files],
    env: { NO_COLOR: "1" },
  }).output();
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assertEquals(code, 0, said.slice(-4_000));
});

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

function withMemory(policy: Policy, memoryBytes: number, isLess = false): Policy {
  const own = policy.limits.memoryBytes;
  const bytes = isLess && own !== DEFAULT_LIMITS.memoryBytes ? own : memoryBytes;
  return { ...policy, limits: { ...policy.limits, memoryBytes: bytes } };
}

function exists(path: string): boolean {
  return systemCall("newfstatat", AT_FDCWD, cString(path), new Uint8Array(256), 0) === 0;
}
