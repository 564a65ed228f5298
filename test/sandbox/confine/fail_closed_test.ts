import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import type { Policy } from "../../../src/core/policy.ts";
import {
  confinedCommand,
  confineRequest,
  execFrame,
  firstFrames,
  namespacesFor,
  policyFrame,
} from "../../../src/sandbox/confine/launch.ts";
import { namespaceRequest } from "../../../src/sandbox/confine/namespaces.ts";
import { probeSandbox } from "../../../src/sandbox/confine/probe.ts";
import { encodeNamespaces, encodePolicy, sumOf } from "../../../src/sandbox/launcher/frames.ts";
import { CONFINED, type NamespaceRequest } from "../../../src/sandbox/launcher/request.ts";
import { disk } from "../../../src/sandbox/system/disk.ts";
import { CALLS } from "../../../src/sandbox/system/ffi.ts";
import { readProcLink } from "../../../src/sandbox/system/procfs.ts";
import { makeWorld, programFor, runConfined, runFrames, worldPolicy } from "../confined_world.ts";
import { HAS_BUBBLEWRAP, HAS_OWN } from "../namespaces_here.ts";
import { wordsWithout } from "../without_call.ts";

const ignore = Deno.build.os !== "linux" || probeSandbox().landlockAbi < 6;
/** Levels, and the ways to the namespaces of the highest. */
const WAYS: readonly (readonly [name: string, level: "kernel" | "kernel+", way: Pick<Policy, "bubblewrap">])[] = [
  ["kernel", "kernel", {}],
  ...(HAS_OWN ? [["kernel+", "kernel+", { bubblewrap: false }] as const] : []),
  ...(HAS_BUBBLEWRAP ? [["kernel+ by bubblewrap", "kernel+", { bubblewrap: true }] as const] : []),
];

const EPERM = 1;

/** Without which the launcher cannot confine itself. */
const CALLS_OF_LANDLOCK = [
  ["landlock_create_ruleset", 444],
  ["landlock_add_rule", 445],
  ["landlock_restrict_self", 446],
  ["prctl(PR_SET_SECCOMP)", CALLS.prctl[Deno.build.arch]],
] as const;

/** Leaves a mark when it runs, so that "nothing ran" can be seen from outside. */
const MARK = ["/bin/sh", "-c", "echo ran; : > ran"];

Deno.test({
  name: "the launcher runs nothing where Landlock does not answer",
  ignore,
  fn: async (t) => {
    for (const errno of [38, 95, 1, 22]) {
      for (const [name, call] of CALLS_OF_LANDLOCK) {
        await t.step(`${name} fails with errno ${errno}`, async () => {
          using world = makeWorld();
          const self = programFor(world);
          const policy = worldPolicy(world, "kernel");
          const { program, args } = confinedCommand(policy, self);
          const [wrapper = "", ...words] = wordsWithout(call, errno);
          const command = { program: wrapper, args: [...words, program, ...args], env: { ...self.env } };
          const exec = { argv: MARK, env: policy.env, cwd: world.root, stdin: "null", mergeOutput: false } as const;
          const ending = await runFrames(command, [policyFrame(policy, self), execFrame(exec)]);
          assertEquals({ code: ending.code, out: ending.out }, { code: 71, out: "" });
          assertMatch(ending.err, /^\{"confine":"failed","step":"[a-z]+","why":"[^\n]+"\}\n$/);
          assertEquals([...Deno.readDirSync(world.root)], []);
        });
      }
    }
  },
});

/** What the launcher calls on the way to its namespaces; x86_64, aarch64. */
const CALLS_OF_NAMESPACES: readonly (readonly [name: string, x86_64: number, aarch64: number])[] = [
  ["clone", 56, 220],
  ["pidfd_open", 434, 434],
  ["ppoll", 271, 73],
  ["mount", 165, 40],
  ["open_tree", 428, 428],
  ["mount_setattr", 442, 442],
  ["move_mount", 429, 429],
  ["fsopen", 430, 430],
  ["fsconfig", 431, 431],
  ["fsmount", 432, 432],
  ["symlinkat", 266, 36],
  ["pivot_root", 155, 41],
  ["umount2", 166, 39],
  ["ioctl", 16, 29],
  ["setsid", 112, 157],
];

Deno.test({
  name: "the launcher runs nothing where a call on the way to its namespaces fails",
  ignore: ignore || !HAS_OWN,
  fn: async (t) => {
    using world = makeWorld();
    const self = programFor(world);
    const policy = { ...worldPolicy(world, "kernel+"), bubblewrap: false };
    const { program, args } = confinedCommand(policy, self);
    const exec = { argv: MARK, env: policy.env, cwd: world.root, stdin: "null", mergeOutput: false } as const;
    for (const [name, x86_64, aarch64] of CALLS_OF_NAMESPACES) {
      await t.step(name, async () => {
        const [wrapper = "", ...words] = wordsWithout({ x86_64, aarch64 }[Deno.build.arch], EPERM);
        const command = { program: wrapper, args: [...words, program, ...args], env: self.env };
        const ending = await runFrames(command, [firstFrames(policy, self), execFrame(exec)]);
        assertEquals({ code: ending.code, out: ending.out }, { code: 71, out: "" });
        assertMatch(ending.err, /^\{"confine":"failed","step":"[a-z]+","why":"[^\n]+EPERM"\}\n$/);
        assertEquals([...Deno.readDirSync(world.root)], []);
      });
    }
  },
});

/** Where the fields of a first frame stand, bytes (src/sandbox/launcher/frame.h, launcher.c). */
const AT = {
  ...{ magic: 0, version: 4, size: 8, kind: 12, flags: 16, openFiles: 32 },
  ...{ minAbi: 48, apart: 52, rules: 56, filter: 60, cwd: 64 },
};
/** The same of a second frame. */
const COMMAND = { words: 24, variables: 28, cwd: 32 };

type Bytes = Uint8Array<ArrayBuffer>;

/** With the sum that belongs to it, so that what was changed is itself what is refused. */
function summed(bytes: Bytes): Bytes {
  new DataView(bytes.buffer).setUint32(20, sumOf(bytes), true);
  return bytes;
}

function set(good: Bytes, at: number, value: number): Bytes {
  const bytes = good.slice();
  new DataView(bytes.buffer).setUint32(at, value, true);
  return summed(bytes);
}

function get(bytes: Bytes, at: number): number {
  return new DataView(bytes.buffer).getUint32(at, true);
}

/** Where the first rule stands: behind the folder and the namespaces. */
function firstRule(good: Bytes): number {
  let at = AT.cwd;
  for (let left = 1 + 2 * get(good, AT.apart); left > 0; left--) at += 5 + get(good, at);
  return at;
}

interface World {
  readonly good: Bytes;
  /** The frame of an order that was changed. */
  readonly changed: (change: (order: Loose) => void) => Bytes;
  readonly exec: Bytes;
}

// deno-lint-ignore no-explicit-any -- the tests break an order in ways that no type describes
type Loose = any;

/** What may not be completed by the frame that follows, and what is followed by a command that would leave its mark. */
const BAD_FRAMES: readonly (readonly [claim: string, bytes: (world: World) => Bytes, isAlone?: true])[] = [
  ["nothing", () => new Uint8Array(), true],
  ["half a head", ({ good }) => good.slice(0, 12), true],
  ["a head and no body", ({ good }) => good.slice(0, 24), true],
  ["half a body", ({ good }) => good.slice(0, good.length >> 1), true],
  ["all but one byte", ({ good }) => good.slice(0, -1), true],
  ["all but one byte, and a command", ({ good }) => good.slice(0, -1)],
  ["another magic", ({ good }) => set(good, AT.magic, 0x314c5053)],
  ["another version", ({ good }) => set(good, AT.version, 1)],
  ["JSON", () => new TextEncoder().encode("00000003{}\n{}{}{}{}{}{}{}{}{}")],
  ["a huge size", ({ good }) => set(good, AT.size, 0xffffffff)],
  ["a size below the head's", ({ good }) => set(good, AT.size, 3)],
  ["a size too small by one", ({ good }) => set(good, AT.size, good.length - 1)],
  ["a size too large by eight", ({ good }) => set(good, AT.size, good.length + 8)],
  ["an unknown kind", ({ good }) => set(good, AT.kind, 9)],
  ["a command in place of a policy", ({ exec }) => exec],
  ["the kind without a kernel, and a kernel's fields", ({ good }) => set(good, AT.kind, 2)],
  ["unknown flags", ({ good }) => set(good, AT.flags, 0x83)],
  // The filter's listener has to go to the host, or there is none who answers.
  ["a way for the listener that is a pipe", ({ good }) => set(good, AT.flags, get(good, AT.flags) | 0x18000)],
  ["a way for the listener that is not there", ({ good }) => set(good, AT.flags, get(good, AT.flags) | 0x638000)],
  ["a way for a listener, and no listener", ({ good }) => set(good, AT.flags, get(good, AT.flags) | 0x10000)],
  ["a listener of no kernel", ({ good }) => set(set(good, AT.kind, 2), AT.flags, 0x18000)],
  ["one bit that changed", ({ good }) => good.with(200, (good[200] ?? 0) ^ 4)],
  ["one bit of the sum that changed", ({ good }) => good.with(20, (good[20] ?? 0) ^ 4)],
  ["a count that is none", ({ changed }) => changed((order) => order.limits.openFiles = -1)],
  ["an ABI that there is not", ({ changed }) => changed((order) => order.kernel.landlock.minAbi = 99)],
  ["too many namespaces", ({ good }) => set(good, AT.apart, 0x7fffffff)],
  ["one rule too many", ({ good }) => set(good, AT.rules, get(good, AT.rules) + 1)],
  ["one rule too few", ({ good }) => set(good, AT.rules, get(good, AT.rules) - 1)],
  ["no filter", ({ good }) => set(good, AT.filter, 0)],
  ["a filter that is shorter than the frame", ({ good }) => set(good, AT.filter, get(good, AT.filter) - 1)],
  ["a filter that is longer than the frame", ({ good }) => set(good, AT.filter, get(good, AT.filter) + 1)],
  ["a filter of zeros", ({ good }) => summed(good.slice().fill(0, good.length - 8 * get(good, AT.filter)))],
  ["a text without an end", ({ good }) => set(good, AT.cwd, get(good, AT.cwd) + 1)],
  ["a text that holds a NUL", ({ good }) => summed(good.with(AT.cwd + 6, 0))],
  ["a text of 4 GiB", ({ good }) => set(good, AT.cwd, 0xffffffff)],
  ["rights that are not known", ({ good }) => set(good, firstRule(good), 0x7fff0000)],
  ["a rule with a relative path", ({ changed }) => changed((order) => order.kernel.landlock.rules.push(["work", 15]))],
  ["a rule with an empty path", ({ changed }) => changed((order) => order.kernel.landlock.rules.push(["", 15]))],
  ["a folder that is not there", ({ changed }) => changed((order) => order.cwd = "/not/there")],
  // At either level it shares the host's clocks.
  [
    "a namespace that it is in",
    ({ changed }) => changed((order) => order.kernel.apart.push(["time", readProcLink("/proc/self/ns/time")])),
  ],
  [
    "a namespace that cannot be seen",
    ({ changed }) => changed((order) => order.kernel.apart.push(["nothing", "x"])),
  ],
  [
    "a namespace with a long name",
    ({ changed }) => changed((order) => order.kernel.apart.push(["n".repeat(300), "x"])),
  ],
];

/** Second frames: of one whose words, variables and folder are right. */
const BAD_COMMANDS: readonly (readonly [claim: string, bytes: (good: Bytes, policy: Bytes) => Bytes])[] = [
  ["nothing", () => new Uint8Array()],
  ["a head and no body", (good) => good.slice(0, 24)],
  ["all but one byte", (good) => good.slice(0, -1)],
  ["no words", (good) => set(good, COMMAND.words, 0)],
  ["more words than there are", (good) => set(good, COMMAND.words, 99)],
  ["more words than a frame can hold", (good) => set(good, COMMAND.words, 0xffffffff)],
  ["no variables, and some that follow", (good) => set(good, COMMAND.variables, 0)],
  ["more variables than a frame can hold", (good) => set(good, COMMAND.variables, 0xffffffff)],
  ["a text without an end", (good) => set(good, COMMAND.cwd, 0xffffff)],
  ["unknown flags", (good) => set(good, AT.flags, 4)],
  ["another kind", (good) => set(good, AT.kind, 1)],
  ["another version", (good) => set(good, AT.version, 0)],
  ["a size below the head's", (good) => set(good, AT.size, 17)],
  ["a policy again", (_, policy) => policy],
];

const REPORT = /^\{"confine":"failed","step":"[a-z]+","why":"[^\n]+"\}\n$/;

for (const [name, level, way] of WAYS) {
  Deno.test({
    name: `the launcher at ${name} runs nothing after a frame that is wrong`,
    ignore,
    fn: async (t) => {
      using world = makeWorld();
      const self = programFor(world);
      const policy = { ...worldPolicy(world, level), ...way };
      const order = namespacesFor(policy, self);
      const before = [order ? encodeNamespaces(order) : new Uint8Array()];
      const good = policyFrame(policy, self);
      const exec = execFrame({ argv: MARK, env: policy.env, cwd: world.root, stdin: "null", mergeOutput: false });
      const changed = (change: (order: Loose) => void): Bytes => {
        const order: Loose = structuredClone(confineRequest(policy, self));
        change(order);
        return encodePolicy(order);
      };
      const refuses = async (frames: readonly Bytes[]): Promise<void> => {
        const ending = await runFrames(confinedCommand(policy, self), [...before, ...frames]);
        assertEquals({ code: ending.code, out: ending.out }, { code: 71, out: "" });
        assertMatch(ending.err, REPORT);
        assertEquals([...Deno.readDirSync(world.root)], []);
      };
      for (const [claim, bytes, isAlone] of BAD_FRAMES) {
        const first = bytes({ good, changed, exec });
        await t.step(claim, () => refuses(isAlone ? [first] : [first, exec]));
      }
      for (const [claim, bytes] of BAD_COMMANDS) {
        await t.step(`in place of a command: ${claim}`, () => refuses([good, bytes(exec, good)]));
      }
      await t.step("both frames, cut anywhere", async () => {
        const whole = new Uint8Array([...good, ...exec]);
        const cuts = Array.from({ length: 24 }, (_, index) => Math.floor(whole.length * (index + 0.5) / 24));
        for (const length of cuts) await refuses([whole.slice(0, length)]);
      });
      await t.step("a rule whose path is not there grants nothing and stops nothing", async () => {
        const first = changed((order) => order.kernel.landlock.rules.push(["/not/there", 15]));
        const ending = await runFrames(confinedCommand(policy, self), [...before, first, exec]);
        assertEquals(ending, { code: 0, out: "ran\n", err: "" });
      });
    },
  });
}

for (const [name, level, way] of WAYS) {
  Deno.test({
    name: `the launcher at ${name} says what failed when the program cannot start`,
    ignore,
    fn: async (t) => {
      using world = makeWorld();
      const self = programFor(world);
      const policy = { ...worldPolicy(world, level), ...way };
      Deno.writeTextFileSync(`${world.root}/plain`, "no program", { mode: 0o644 });
      Deno.writeTextFileSync(`${world.outside}/tool`, "#!/bin/sh\necho ran\n", { mode: 0o755 });
      const cases: readonly (readonly [string, Partial<Parameters<typeof execFrame>[0]>, RegExp])[] = [
        ["a name that is nowhere", { argv: ["no-such-program"] }, /"step":"exec".*no-such-program/],
        ["a path that is not there", { argv: ["/no/such"] }, /"step":"exec".*(ENOENT|EACCES)/],
        ["a file that is no program", { argv: ["./plain"] }, /"step":"exec".*EACCES/],
        ["a program outside", { argv: [`${world.outside}/tool`] }, /"step":"exec".*(EACCES|ENOENT)/],
        ["a folder that is not there", { argv: ["true"], cwd: "/not/there" }, /"step":"folder".*ENOENT/],
        ["a NUL in an argument", { argv: ["echo", "a\0b"] }, /"step":"command"/],
        ["no argument at all", { argv: [] }, /"step":"command"/],
        ["a variable with = in its name", { argv: ["true"], env: { "A=B": "c" } }, /"step":"command"/],
      ];
      for (const [claim, exec, why] of cases) {
        for (const mergeOutput of [false, true]) {
          await t.step(`${claim}, output ${mergeOutput ? "merged" : "apart"}`, async () => {
            const ending = await runConfined(policy, self, { argv: [], mergeOutput, ...exec });
            assertEquals({ code: ending.code, out: ending.out }, { code: 71, out: "" });
            assertMatch(ending.err, why);
            // That the command is next is told before it turns out that it cannot be.
            assertEquals(ending.err.replace(`${CONFINED}\n`, "").split("\n").length, 2);
          });
        }
      }
    },
  });
}

type Mounts = NamespaceRequest["mounts"];

/** Frames of namespaces that are wrong; what the launcher says of them. */
const BAD_NAMESPACES: readonly (readonly [claim: string, bytes: (world: NamespaceWorld) => Bytes, says: RegExp])[] = [
  ["unknown flags", ({ good }) => set(good, AT.flags, 2), /flags that are not known/],
  ["another version", ({ good }) => set(good, AT.version, 1), /another version/],
  ["one bit that changed", ({ good }) => good.with(100, (good[100] ?? 0) ^ 4), /damaged/],
  ["no mounts", ({ mounts }) => mounts(() => []), /there are no mounts/],
  ["one mount too many", ({ good }) => set(good, 24, get(good, 24) + 1), /ends inside of a field/],
  ["one mount too few", ({ good }) => set(good, 24, get(good, 24) - 1), /more than its fields/],
  ["more mounts than there are", ({ good }) => set(good, 24, 0xffffffff), /ends inside of a field/],
  ["more memory than there can be", ({ good }) => set(good, 32, 0xffffffff), /this is no count: memoryBytes/],
  ["more words than a frame can hold", ({ good }) => set(good, 36, 0xffffffff), /more words than a frame/],
  ["no root", ({ mounts }) => mounts((all) => all.slice(1)), /first mount, and no other/],
  ["two roots", ({ mounts }) => mounts((all) => [...all.slice(0, 1), ...all]), /first mount, and no other/],
  [
    "a root that is another folder",
    ({ mounts, outside }) => mounts((all) => [bind(outside, "/"), ...all.slice(1)]),
    /first mount, and no other/,
  ],
  [
    "an empty root that may be left out",
    ({ mounts }) => mounts((all) => [{ kind: "empty", target: "/", readOnly: false, optional: true }, ...all.slice(1)]),
    /first mount, and no other/,
  ],
  ["a link for the root", ({ mounts }) => mounts((all) => [symlink("usr", "/"), ...all]), /first mount, and no other/],
  ["two empty roots", ({ mounts }) => mounts((all) => [empty("/"), empty("/"), ...all.slice(1)]), /no other/],
  ["a link without a text", ({ mounts }) => mounts((all) => [...all, symlink("", "/mnt/x")]), /wrong source/],
  ["a link where something is", ({ mounts, root }) => mounts((all) => [...all, symlink("x", root)]), /EEXIST/],
  ["a link in a folder that is not there", ({ mounts }) => mounts((all) => [...all, symlink("x", "/no/x")]), /ENOENT/],
  ["a link behind a link", ({ mounts, link }) => mounts((all) => [...all, symlink("x", `${link}/x`)]), /ELOOP/],
  ["a link on the machine's disk", ({ mounts }) => mounts((all) => [...all, symlink("x", "/usr/x")]), /EROFS/],
  [
    "a kind that is not known",
    ({ mounts }) => {
      const frame = mounts((all) => [...all, empty("/mnt")]);
      return set(frame, frame.length - 8 - 5 - 9, 9);
    },
    /kind that is not known/,
  ],
  [
    "flags of a mount that are not known",
    ({ mounts }) => {
      const frame = mounts((all) => [...all, empty("/mnt")]);
      return set(frame, frame.length - 4 - 5 - 9, 4);
    },
    /flags that are not known/,
  ],
  ["a relative target", ({ mounts }) => mounts((all) => [...all, empty("mnt")]), /does not start at the root/],
  ["a relative source", ({ mounts }) => mounts((all) => [...all, bind("mnt", "/mnt")]), /wrong source/],
  [
    "a source where none has a use",
    ({ mounts }) => mounts((all) => [...all, { ...empty("/mnt"), source: "/" } as Mounts[number]]),
    /wrong source/,
  ],
  [
    "a source that is gone",
    ({ mounts }) => mounts((all) => [...all, bind("/not/there", "/mnt")]),
    /\/not\/there: ENOENT/,
  ],
  ["a link for a source", ({ mounts, link }) => mounts((all) => [...all, bind(link, "/mnt")]), /ELOOP/],
  ["a link on the way", ({ mounts, link }) => mounts((all) => [...all, bind(`${link}/below`, "/mnt")]), /ELOOP/],
  [
    "a link that is optional",
    ({ mounts, link }) => mounts((all) => [...all, { ...bind(link, "/mnt"), optional: true }]),
    /ELOOP/,
  ],
  ["a link for a target", ({ mounts, root, link }) => mounts((all) => [...all, bind(root, link)]), /ELOOP/],
  ["an empty folder over a link", ({ mounts, link }) => mounts((all) => [...all, empty(`${link}/new`)]), /ELOOP/],
  [
    "a folder over a file",
    ({ mounts, root }) => mounts((all) => [...all, bind(root, `${root}/file`)]),
    /EINVAL|ENOTDIR/,
  ],
  ["a place that cannot be made", ({ mounts }) => mounts((all) => [...all, empty("/usr/not/there")]), /EROFS/],
  [
    "a layer that is gone",
    ({ mounts, root }) =>
      mounts((all) => [
        ...all,
        { kind: "overlay", source: root, upper: "/not/there", work: root, target: "/mnt", readOnly: false },
      ]),
    /no layer .*ENOENT/,
  ],
  [
    "a bridge by a relative path",
    ({ order }) => encodeNamespaces({ ...order, bridge: { argv: ["sh"], env: {}, cwd: "/" } }),
    /does not start at the root/,
  ],
  [
    "a bridge that is not there",
    ({ order }) => encodeNamespaces({ ...order, bridge: { argv: ["/not/there"], env: {}, cwd: "/" } }),
    /"bridge".*ENOENT/,
  ],
];

interface NamespaceWorld {
  readonly good: Bytes;
  readonly order: NamespaceRequest;
  readonly mounts: (change: (all: Mounts) => Mounts) => Bytes;
  readonly root: string;
  readonly outside: string;
  /** Leads from the workspace to a folder outside. */
  readonly link: string;
}

function bind(source: string, target: string): Mounts[number] & { readonly kind: "bind" } {
  return { kind: "bind", source, target, readOnly: true };
}

function symlink(text: string, target: string): Mounts[number] {
  return { kind: "link", text, target };
}

function empty(target: string): Mounts[number] {
  return { kind: "empty", target, readOnly: false };
}

Deno.test({
  name: "the launcher makes no namespaces of a frame that is wrong, and runs nothing",
  ignore: ignore || !HAS_OWN,
  fn: async (t) => {
    using world = makeWorld();
    const self = programFor(world);
    const policy = { ...worldPolicy(world, "kernel+"), bubblewrap: false };
    const order = namespaceRequest(policy, [], disk);
    const link = `${world.root}/link`;
    Deno.symlinkSync(world.outside, link);
    Deno.mkdirSync(`${world.outside}/below`);
    Deno.writeTextFileSync(`${world.root}/file`, "");
    const there = [...Deno.readDirSync(world.root)].map(({ name }) => name).sort();
    const made: NamespaceWorld = {
      good: encodeNamespaces(order),
      order,
      mounts: (change) => encodeNamespaces({ ...order, mounts: change(order.mounts) }),
      root: world.root,
      outside: world.outside,
      link,
    };
    const rest = [
      policyFrame(policy, self),
      execFrame({ argv: MARK, env: policy.env, cwd: world.root, stdin: "null", mergeOutput: false }),
    ];
    const refuses = async (frames: readonly Bytes[], says: RegExp): Promise<void> => {
      const ending = await runFrames(confinedCommand(policy, self), frames);
      assertEquals({ code: ending.code, out: ending.out }, { code: 71, out: "" });
      assertMatch(ending.err, REPORT);
      assertMatch(ending.err, says);
      assertEquals([...Deno.readDirSync(world.root)].map(({ name }) => name).sort(), there);
    };
    for (const [claim, bytes, says] of BAD_NAMESPACES) {
      await t.step(claim, () => refuses([bytes(made), ...rest], says));
    }
    await t.step("the same frame twice", () => refuses([made.good, made.good, ...rest], /this frame is no policy/));
    await t.step("a policy without a kernel behind it", () => {
      const bare = encodePolicy({ ...confineRequest(policy, self), kernel: null });
      return refuses([made.good, bare, ...rest.slice(1)], /this frame is no policy/);
    });
    await t.step("nothing behind it", () => refuses([made.good], /the frame is cut/));
    await t.step("a good one runs the command, and leaves nothing where an optional source is gone", async () => {
      const more: Mounts = [
        { ...bind(`${world.root}/gone`, `${world.root}/gone`), optional: true },
        { ...bind("/dev/null", `${world.root}/gone`), optional: true },
        { kind: "empty", target: `${world.root}/gone`, readOnly: false, optional: true },
      ];
      const frames = [made.mounts((all) => [...all, ...more]), ...rest];
      assertEquals(await runFrames(confinedCommand(policy, self), frames), { code: 0, out: "ran\n", err: "" });
      const left = [...Deno.readDirSync(world.root)].map(({ name }) => name).sort();
      assertEquals(left, [...there, "ran"].sort());
    });
    await t.step("what is denied and vanished since its frame was made is not made again", async () => {
      const [file, folder] = [`${world.root}/denied`, `${world.root}/denied.d`];
      Deno.writeTextFileSync(file, "");
      Deno.mkdirSync(folder);
      const denied = { ...policy, denyRead: [...policy.denyRead, file, folder] };
      const frames = [firstFrames(denied, self), ...rest.slice(1)];
      for (const path of [file, folder]) Deno.removeSync(path);
      assertEquals(await runFrames(confinedCommand(denied, self), frames), { code: 0, out: "ran\n", err: "" });
      const left = [...Deno.readDirSync(world.root)].map(({ name }) => name).sort();
      assertEquals(left, [...there, "ran"].sort());
    });
  },
});

Deno.test("confinedCommand() and policyFrame() throw for a level that they cannot give", () => {
  using world = makeWorld();
  const policy = worldPolicy(world, "seatbelt");
  assertThrows(() => confinedCommand(policy, programFor(world)), Error, "nothing was started");
  assertThrows(() => policyFrame(policy, programFor(world)), Error, "nothing was started");
});
