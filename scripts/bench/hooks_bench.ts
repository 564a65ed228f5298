import { join } from "@std/path";
import { output } from "../build/base_runtime.ts";
import { bareStartMs } from "./bare_workers.ts";
import { hookCalls } from "./hook_calls.ts";
import type { Results } from "./goals.ts";
import { type Part, type Spread, spreadOf } from "./part_goals.ts";

/** The extensions that are there to be tried: they bring tools, commands, options and handlers. */
const EXAMPLES = ["plan_mode.ts", "protected_paths.ts", "database_query/index.ts"] as const;
const IDLE = 10;
/** Is asked and does nothing. */
const IDLE_SOURCE = 'export default (sp) => {\n  sp.on("context", () => undefined);\n};\n';
/** Of the scenario `read`: its request has two hundred messages, as each turn adds a call and its result. */
const TURN = "100";
/** Of prompts, for each of the two sessions that hook calls are measured in. */
const BLOCKS = 40;

/** Of bare workers. */
const STARTS = 20;

/** Where things are, and how the loop is played. */
interface HooksBench {
  readonly root: string;
  readonly dist: string;
  /** A folder to make. */
  readonly work: string;
  /** Plays a scenario with peers, by name or by the path of their file without its ending. */
  readonly play: (scenario: string, peers: readonly string[]) => Promise<Results>;
}

/** Measures what extensions cost: one call of a handler, a late turn that ten of them look at, the start with three. */
export async function hooksBench({ root, dist, work, play }: HooksBench): Promise<Part> {
  await Deno.mkdir(work, { recursive: true });
  const notes: string[] = [];
  const examples = EXAMPLES.map((name) => join(root, "docs", "examples", "extensions", name));
  const idle = Array.from({ length: IDLE }, (_, i) => join(work, `idle${i}.ts`));
  for (const path of idle) await Deno.writeTextFile(path, IDLE_SOURCE);
  const binary = [join(dist, "sandpiper")];
  const source = await sourceCommand(root);
  const calls = await hookCalls({ command: binary, folder: join(work, "calls"), blocks: BLOCKS });
  const sourceCalls = await hookCalls({ command: source, folder: join(work, "source-calls"), blocks: BLOCKS });
  const starts: number[] = [];
  for (let i = 0; i < STARTS; i++) starts.push(await bareStartMs());
  const measured = async (
    scenario: string,
    others: readonly Played[],
    value: (summary: Results["scenarios"][string][string]) => number | null | undefined,
  ): Promise<Readonly<Record<string, Spread>>> => {
    const paths = await Promise.all(others.map((one) => writePeer(root, work, one)));
    const by = (await play(scenario, ["sandpiper", ...paths])).scenarios[scenario] ?? {};
    for (const [name, { problems }] of Object.entries(by)) {
      for (const problem of problems) notes.push(`${scenario}, ${name}: ${problem}`);
    }
    const of = (name: string): Spread => {
      const summary = by[name];
      return spreadOf([(summary && value(summary)) ?? NaN]);
    };
    return { none: of("sandpiper"), ...Object.fromEntries(others.map(({ name }) => [name, of(name)])) };
  };
  return {
    part: "hooks",
    measures: {
      "a hook call": {
        "one handler": spreadOf(calls.callMs),
        "one handler, from source": spreadOf(sourceCalls.callMs),
        "bare worker": spreadOf(calls.bareMs),
        "prompt with its answer": spreadOf(calls.promptMs),
      },
      "start of a worker": { "bare worker": spreadOf(starts) },
      "a turn with 200 messages": await measured("read", [
        { name: "ten idle", extensions: idle },
        { name: "none from source", extensions: [], from: source },
        { name: "ten idle from source", extensions: idle, from: source },
      ], ({ overheadMs }) => overheadMs[TURN]),
      "exec → first request": await measured(
        "hello",
        [{ name: "three cached", extensions: examples }],
        ({ startMs }) => startMs,
      ),
    },
    notes,
  };
}

/**
 * The product from source. The base runtime of a binary that is built without the official host is older than the Deno that
 * runs this; a home of its own would make that fetch every package anew.
 */
async function sourceCommand(root: string): Promise<readonly string[]> {
  const { denoDir }: { denoDir: string } = JSON.parse(await output(Deno.execPath(), ["info", "--json"], root));
  const run = [Deno.execPath(), "run", "-A", "--no-prompt", "--quiet", join(root, "main.ts")];
  return ["/usr/bin/env", `DENO_DIR=${denoDir}`, ...run];
}

/** The product as it is played. */
interface Played {
  readonly name: string;
  readonly extensions: readonly string[];
  /** How it is started; the binary where that is absent. */
  readonly from?: readonly string[];
}

/** The product as a peer; the path of its file without the ending. */
async function writePeer(root: string, work: string, { name, extensions, from }: Played): Promise<string> {
  const plain = JSON.parse(await Deno.readTextFile(join(root, "scripts", "bench", "peers", "sandpiper.json")));
  const command: readonly string[] = plain.command;
  const more = extensions.flatMap((path) => ["--extension", path]);
  const start = from ?? command.slice(0, 1);
  const peer = { ...plain, command: [...start, ...command.slice(1, -1), ...more, ...command.slice(-1)] };
  await Deno.writeTextFile(join(work, `${name}.json`), JSON.stringify(peer));
  return join(work, name);
}
