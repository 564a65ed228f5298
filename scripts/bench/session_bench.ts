import { join } from "@std/path";
import { output } from "../build/base_runtime.ts";
import { FLOOR, type Results } from "./goals.ts";
import { type Part, spreadOf } from "./part_goals.ts";

const ENTRIES = 10_000;
/** The turns in which the tenth and the thousandth message are sent: each turn adds a call and its result. */
const TURNS = ["5", "500"] as const;

/** Where things are, and how often everything is measured. */
interface SessionBench {
  readonly root: string;
  /** A folder to make. */
  readonly work: string;
  readonly runs: number;
  /** Plays the scenario `long` with the product and the floor. */
  readonly playLong: () => Promise<Results>;
}

/** Measures the session store, and what a turn costs late in a long session. */
export async function sessionBench({ root, work, runs, playLong }: SessionBench): Promise<Part> {
  await Deno.mkdir(work, { recursive: true });
  const notes: string[] = [];
  const appends: number[] = [];
  const resumes: number[] = [];
  for (let round = 0; round < runs; round++) {
    const made = await probe(root, ["append", work, String(ENTRIES)]);
    if (typeof made["path"] !== "string") throw new Error("the session store made no file");
    appends.push(spreadOf(made["times"] as number[]).median ?? 0); // written by the probe just now
    const read = await probe(root, ["resume", made["path"]]);
    if (read["messages"] !== ENTRIES) notes.push(`resumed ${read["messages"]} of ${ENTRIES} messages`);
    resumes.push(Number(read["ms"]));
  }
  const { scenarios } = await playLong();
  const [early, late] = turnsOf(scenarios["long"]?.["sandpiper"]?.overheadMs);
  const [floorEarly, floorLate] = turnsOf(scenarios["long"]?.[FLOOR]?.overheadMs);
  for (const problem of scenarios["long"]?.["sandpiper"]?.problems ?? []) notes.push(`long: ${problem}`);
  return {
    part: "session",
    measures: {
      "append an entry": { "without fsync": spreadOf(appends) },
      resume: { "10,000 entries": spreadOf(resumes) },
      "a turn": {
        "message 10": spreadOf(early),
        "message 1,000 with its bytes": spreadOf(late),
        [`message 10, ${FLOOR}`]: spreadOf(floorEarly),
        [`message 1,000, ${FLOOR}`]: spreadOf(floorLate),
        // The floor does nothing but serialise and send: what it takes longer is the bytes.
        "message 1,000": spreadOf(late.map((ms, i) => ms - (floorLate[i] ?? NaN) + (floorEarly[i] ?? NaN))),
      },
    },
    notes,
  };
}

function turnsOf(byTurn: Readonly<Record<string, number | null>> = {}): [number[], number[]] {
  const [early, late] = TURNS.map((turn) => byTurn[turn]);
  return [[early ?? NaN], [late ?? NaN]];
}

async function probe(root: string, words: readonly string[]): Promise<Record<string, unknown>> {
  const script = join(root, "scripts", "bench", "probes", "session_probe.ts");
  const rights = ["--allow-read", "--allow-write", "--allow-env", "--allow-sys", "--allow-ffi"];
  const args = ["run", "--no-prompt", ...rights, "--config", join(root, "deno.json"), script, ...words];
  return JSON.parse(await output(Deno.execPath(), args, root));
}
