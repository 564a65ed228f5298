// Frames that were changed anywhere, with the sum that belongs to them: whatever comes of it, the launcher neither crashes nor
// runs anything that is not confined.
import { assert, assertEquals } from "@std/assert";
import { confinedCommand, execFrame, namespacesFor, policyFrame } from "../../../src/sandbox/confine/launch.ts";
import { probeSandbox } from "../../../src/sandbox/confine/probe.ts";
import { encodeNamespaces, sumOf } from "../../../src/sandbox/launcher/frames.ts";
import { seeded } from "../../helpers/seeded.ts";
import { makeWorld, programFor, runFrames, worldPolicy } from "../confined_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Random = (below: number) => number;

const TRIES = Number(Deno.env.get("SANDPIPER_FUZZ") ?? 300);
/** Deno's exit code of a process that a signal ended. */
const SIGNAL = 128;
/** Numbers at which sizes and counts go wrong. */
const EDGES = [0, 1, 4, 5, 0x7fffffff, 0x80000000, 0xffffffff];

/** Changes a frame somewhere between two places. */
function mutated(frame: Bytes, end: number, next: Random, begin = 0): Bytes {
  let bytes = [...frame];
  for (let left = [1, 1, 2, 8][next(4)] ?? 1; left > 0; left--) {
    // The beginning has the sizes and counts.
    const at = begin + (next(2) === 0 ? next(Math.min(end - begin, 200)) : next(end - begin));
    const word = (value: number): number[] =>
      [value, value >>> 8, value >>> 16, value >>> 24].map((byte) => byte & 0xff);
    switch (next(5)) {
      case 0:
      case 1:
        bytes[at] = next(256);
        break;
      case 2:
        bytes.splice(at, 4, ...word([...EDGES, bytes.length, bytes.length - at][next(EDGES.length + 2)] ?? 0));
        break;
      case 3:
        bytes.splice(at, 1 + next(40));
        break;
      default:
        bytes.splice(at, 0, ...Array.from({ length: 1 + next(20) }, () => next(256)));
    }
  }
  bytes = bytes.slice(0, 1 << 20);
  const result = new Uint8Array(Math.max(bytes.length, 24));
  result.set(bytes);
  const view = new DataView(result.buffer);
  if (next(10) > 0) view.setUint32(8, result.length, true);
  view.setUint32(20, sumOf(result), true);
  return result;
}

Deno.test({
  name: "the launcher neither crashes nor runs anything unconfined, whatever the frames say",
  ignore: probeSandbox().landlockAbi < 6,
  fn: async () => {
    using world = makeWorld();
    const self = programFor(world);
    const policy = worldPolicy(world, "kernel");
    const good = policyFrame(policy, self);
    const filterBytes = 8 * new DataView(good.buffer).getUint32(60, true);
    const argv = ["/bin/grep", "-E", "^(NoNewPrivs|Seccomp):", "/proc/self/status"];
    const exec = execFrame({ argv, env: policy.env, cwd: world.root, stdin: "null", mergeOutput: false });
    const seed = Number(Deno.env.get("SANDPIPER_SEED") ?? 20_261);
    const next = seeded(seed).below;
    const codes = new Map<number, number>();
    for (let round = 0; round < TRIES; round++) {
      const isCommand = round % 3 === 0;
      // A filter that was changed may refuse any call, the one that ends the process included: then a signal ends it.
      const isFilter = round % 10 === 1;
      const end = isFilter ? good.length : good.length - filterBytes;
      const frames = isCommand ? [good, mutated(exec, exec.length, next)] : [mutated(good, end, next), exec];
      const { code, out } = await runFrames(confinedCommand(policy, self), frames);
      codes.set(code, (codes.get(code) ?? 0) + 1);
      const claim = `round ${round} of seed ${seed} ended with ${code} and ${out}`;
      assert(isFilter || code < SIGNAL, claim);
      if (code === 71) assertEquals(out, "", claim);
      // Where a rule is lost, the command may not even read that.
      else if (!isCommand) assert((out === "" && code !== 0) || out === "NoNewPrivs:\t1\nSeccomp:\t2\n", claim);
    }
    assert((codes.get(71) ?? 0) > TRIES / 4, JSON.stringify([...codes]));
  },
});

/** How long head, counts and the first mount are: that of the whole disk, read-only. Where that changed, folders could be made anywhere. */
const ROOT_BYTES = 24 + 3 * 4 + 5 + 8 + 2 * 6;

Deno.test({
  name: "the launcher neither crashes nor runs anything unconfined, whatever the mounts say",
  ignore: probeSandbox().landlockAbi < 6 || !HAS_OWN,
  fn: async () => {
    using world = makeWorld();
    const self = programFor(world);
    const policy = { ...worldPolicy(world, "kernel+"), bubblewrap: false };
    const order = namespacesFor(policy, self);
    const good = order ? encodeNamespaces(order) : new Uint8Array();
    const argv = ["/bin/grep", "-E", "^(NoNewPrivs|Seccomp):", "/proc/self/status"];
    const exec = execFrame({ argv, env: policy.env, cwd: world.root, stdin: "null", mergeOutput: false });
    const seed = Number(Deno.env.get("SANDPIPER_SEED") ?? 20_261);
    const next = seeded(seed).below;
    const codes = new Map<number, number>();
    for (let round = 0; round < TRIES; round++) {
      const frames = [mutated(good, good.length, next, ROOT_BYTES), policyFrame(policy, self), exec];
      const { code, out } = await runFrames(confinedCommand(policy, self), frames);
      codes.set(code, (codes.get(code) ?? 0) + 1);
      const claim = `round ${round} of seed ${seed} ended with ${code} and ${out}`;
      assert(code < SIGNAL, claim);
      if (code === 71) assertEquals(out, "", claim);
      // Where a mount went elsewhere, there may be nothing to read.
      else assert((out === "" && code !== 0) || out === "NoNewPrivs:\t1\nSeccomp:\t2\n", claim);
    }
    assert((codes.get(71) ?? 0) > TRIES / 4, JSON.stringify([...codes]));
    assertEquals([...Deno.readDirSync(world.outside)].map(({ name }) => name), ["secret"]);
  },
});
