// Whatever a tree of links looks like: the tools' own checks never let through what the kernel refuses, and where there is no
// kernel they never hand out or change a file that the policy does not cover.
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { dirname, fromFileUrl } from "@std/path";
import { ToolError } from "../../src/core/error.ts";
import { covers, isInside, type Policy, type SandboxLevel } from "../../src/core/policy.ts";
import { textOf } from "../../src/core/message.ts";
import type { Files } from "../../src/core/tool.ts";
import { openFiles } from "../../src/runner/files/files.ts";
import { disk } from "../../src/sandbox/system/disk.ts";
import { confinedCommand, execFrame, firstFrames } from "../../src/sandbox/confine/launch.ts";
import { spawnConfined } from "../../src/sandbox/launcher/executable.ts";
import { realOf } from "../../src/sandbox/policy/path_entry.ts";
import { openRunner } from "../helpers/open_runner.ts";
import { thisProgram } from "../../src/sandbox/confine/self.ts";
import { makeWorld, programFor, type World, worldPolicy } from "../sandbox/confined_world.ts";
import { picture } from "../sandbox/guarded_world.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import { type Question, READ_BYTES } from "./kernel_oracle.ts";
import { makeTree, pathOf, type Plan, plan, type Tree } from "./paths_world.ts";

const SCRIPT = new URL("../../src/runner/worker.ts", import.meta.url);
const ORACLE = fromFileUrl(new URL("./kernel_oracle.ts", import.meta.url));
/** Trees a level, and paths that go through a runner for each; a thousand questions go to the kernel for each tree. */
const TREES = 5;
const SEED = 20_261;
const THROUGH_RUNNER = 60;

/** A process behind the product's own confinement that answers for the kernel. */
interface Oracle {
  ask(questions: readonly Question[]): Promise<readonly string[]>;
  close(): Promise<void>;
}

function openOracle(policy: Policy, world: World): Oracle {
  const own = programFor(world);
  const self = { ...own, readPaths: [...own.readPaths, dirname(ORACLE)] };
  const child = spawnConfined(confinedCommand(policy, self, { isRunner: true }));
  const argv = [self.readPaths[0] ?? self.program, ...self.args.slice(0, -1), ORACLE];
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const begun = writer.write(firstFrames(policy, self, { isRunner: true })).then(() =>
    writer.write(execFrame({ argv, env: { ...self.env }, cwd: policy.root, stdin: "keep", mergeOutput: false }))
  );
  return {
    async ask(questions) {
      await begun;
      await writer.write(new TextEncoder().encode(JSON.stringify(questions) + "\n"));
      let text = "";
      while (!text.endsWith("\n")) {
        const { value, done } = await reader.read();
        if (done) throw new Error("the oracle ended");
        text += value;
      }
      return JSON.parse(text);
    },
    async close() {
      await writer.close().catch(() => {});
      await child.status;
      await reader.cancel();
    },
  };
}

function policyOf(world: World, tree: Tree, { scopes }: Plan, level: SandboxLevel): Policy {
  const at = (numbers: readonly number[]): string[] =>
    numbers.map((number) => tree.places[number % tree.places.length] ?? "/nowhere")
      // A comma would be two entries, and the workspace itself or what is above is no narrower scope.
      .filter((path) => !path.includes(",") && !isInside(world.root, path) && !isInside(world.home, path));
  return worldPolicy(world, level, {
    flags: {
      read: [".", ...at(scopes.read)],
      write: [".", ...at(scopes.write)],
      deny: { read: at(scopes.denyRead), write: at(scopes.denyWrite) },
    },
  });
}

/** What the policy says of a real path, in words of its own. */
function allowed(policy: Policy, access: "read" | "write", real: string): boolean {
  const denied = access === "read" ? policy.denyRead : [...policy.denyRead, ...policy.denyWrite, ...policy.protected];
  return covers(policy[access], real) && !denied.some((path) => isInside(real, path));
}

function outcome<T>(work: () => T): { readonly value: T } | { readonly refused: string } {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof ToolError) return { refused: error.message };
    throw error;
  }
}

function contentOf(path: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Deno.statSync(path).isFile ? Deno.readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Folders in which something is denied: there Landlock grants what was there, one by one, and no new names. */
function isSplit(policy: Policy, folder: string): boolean {
  return [...policy.denyRead, ...policy.denyWrite].some((path) => isInside(path, folder));
}

interface Tally {
  allowed: number;
  refused: number;
}

async function compare(
  files: Files,
  policy: Policy,
  paths: readonly string[],
  oracle: Oracle,
  tally: Tally,
): Promise<void> {
  const resolved = paths.map((path) => outcome(() => files.resolve(path)))
    .flatMap((found) => "value" in found && !found.value.includes("\0") ? [found.value] : []);
  // Where it leads: folders that a link goes through may be out of the kernel's sight, which refuses more, not less.
  const questions = resolved.flatMap((path): Question[] =>
    (["read", "list", "write", "make"] as const).map((op) => ({ op, path: realOf(path, disk.realPath) }))
  );
  const verdicts = await oracle.ask(questions);
  const verdict = (at: number, op: number): string => verdicts[at * 4 + op] ?? "";
  resolved.forEach((path, at) => {
    const read = outcome(() => text(files.read(path, 0, READ_BYTES)));
    "value" in read ? tally.allowed++ : tally.refused++;
    if ("value" in read) assertEquals(verdict(at, 0), `ok ${read.value}`, `read ${JSON.stringify(path)}`);
    const list = outcome(() => files.list(path));
    // Landlock has no right for a folder without one for all that is in it: at `kernel` it refuses what holds a denial.
    if ("value" in list && !isSplit(policy, Deno.realPathSync(path))) {
      assertEquals(verdict(at, 1), "ok", `list ${JSON.stringify(path)}`);
    }
  });
  // Last, because it changes inodes; what is written is what was there.
  resolved.forEach((path, at) => {
    // A grant of one file is the file that was there: a kernel does not know the one that takes its place.
    if ([...policy.read.list, ...policy.write.list].includes(realOf(path, disk.realPath)) && contentOf(path)) return;
    const was = contentOf(path);
    const isThere = was !== undefined;
    const wrote = outcome(() => files.write(path, was ?? new TextEncoder().encode("new")));
    "value" in wrote ? tally.allowed++ : tally.refused++;
    if (!("value" in wrote)) return;
    const real = Deno.realPathSync(path);
    assert(allowed(policy, "write", real), `wrote ${JSON.stringify(path)}, which is ${JSON.stringify(real)}`);
    const folder = real.slice(0, real.lastIndexOf("/")) || "/";
    if (isThere) {
      // What was written a moment ago is another file, and in a split folder nobody granted that.
      if (!isSplit(policy, folder)) assertEquals(verdict(at, 2), "ok", `write ${JSON.stringify(path)}`);
    } else {
      // Where folders on the way were missing the kernel was asked too early.
      if (!isSplit(policy, folder) && verdict(at, 3) !== "ENOENT") {
        assertEquals(verdict(at, 3), "ok", `make ${JSON.stringify(path)}`);
      }
      Deno.removeSync(real);
    }
  });
}

/** Asks through a runner of the level: what comes back must be of a file that the policy covers. */
async function throughRunner(policy: Policy, world: World, paths: readonly string[], tally: Tally): Promise<void> {
  const runner = openRunner(policy, thisProgram(), SCRIPT);
  const signal = new AbortController().signal;
  const call = async (name: string, args: Record<string, string>): Promise<string | undefined> => {
    const { content, isError } = await runner.call({ name, args }, { signal, onUpdate: () => {} });
    assert(!textOf(content).startsWith("The tool process"), textOf(content));
    return isError ? undefined : textOf(content);
  };
  try {
    for (const path of paths) {
      for (const [name, args] of [["read", { path }], ["grep", { pattern: "<<", path }]] as const) {
        const answer = await call(name, args);
        answer === undefined ? tally.refused++ : tally.allowed++;
        for (const [, made = ""] of (answer ?? "").matchAll(/<<(.*?)>>/gs)) {
          // A kernel goes by the name that a file is reached by; without one a file of two names is closed.
          if (policy.sandbox !== "permissions") continue;
          assert(allowed(policy, "read", made), `${name} ${JSON.stringify(path)} gave ${JSON.stringify(made)}`);
        }
        assert(!(answer ?? "").includes("outside-secret") || covers(policy.read, `${world.outside}/secret`), path);
      }
    }
  } finally {
    await runner.close();
  }
}

for (const level of [...CONFINED, "permissions" as const]) {
  Deno.test(`openFiles() at ${level} lets no path through that the kernel refuses, whatever the tree R458 R460 R461`, async () => {
    const tally = { allowed: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(plan, async (given) => {
        using world = makeWorld();
        const tree = makeTree(world, given.steps);
        const policy = policyOf(world, tree, given, level);
        // A link may lead to the root, and everything is not the machine's own /tmp, where this tree lies. A denied one may
        // lead to the workspace itself: then nothing can be started in it.
        if (policy.read.all || policy.write.all || policy.denyRead.some((path) => isInside(world.root, path))) return;
        const paths = given.paths.map((way) => pathOf(way, tree));
        const before = closed(world, policy);
        // Without a kernel of its own the level is compared with what Landlock says of the same policy.
        const judge = level === "permissions" ? { ...policy, sandbox: CONFINED[0] ?? "kernel" } as const : policy;
        const oracle = CONFINED.length === 0 ? undefined : openOracle(judge, world);
        try {
          await throughRunner(policy, world, paths.slice(0, THROUGH_RUNNER), tally);
          if (oracle) {
            const files = openFiles(policy);
            await compare(files, policy, paths, oracle, tally);
            await compare(files, policy, moveSome(world, tree, policy, paths), oracle, tally);
          }
        } finally {
          await oracle?.close();
        }
        assertEquals(closed(world, policy), before);
      }),
      { numRuns: TREES, seed: SEED, endOnFailure: true },
    );
    // A comparison of nothing but refusals would prove nothing.
    assert(tally.allowed > 200 && tally.refused > 500, JSON.stringify(tally));
  });
}

/** Moves folders of the workspace while tools are at work, and gives the paths by their old names and their new ones. */
function moveSome({ root }: World, tree: Tree, policy: Policy, paths: readonly string[]): string[] {
  // Where something is denied Landlock goes by what was there at the start, and checks by name may let more through.
  if (isSplit(policy, root)) return [];
  const moved = tree.folders.filter((path) => path !== root && isInside(path, root)).slice(0, 3);
  return moved.reverse().flatMap((folder, at) => {
    Deno.renameSync(folder, `${root}/moved-${at}`);
    return paths.filter((path) => path.includes(folder)).flatMap((path) => [
      path,
      path.replaceAll(folder, `${root}/moved-${at}`),
    ]);
  });
}

/** Everything that the policy does not let anybody write, as text. */
function closed({ outside, home }: World, policy: Policy): string {
  return [outside, home].filter((folder) => !policy.write.list.some((path) => isInside(path, folder))).map(picture)
    .join();
}
