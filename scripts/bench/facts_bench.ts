import { join } from "@std/path";
import { output } from "../build/base_runtime.ts";
import { type Part, spreadOf } from "./part_goals.ts";

/** What facts_probe.ts prints. */
interface Facts {
  readonly [files: `${number}`]: {
    readonly againMs: number;
    readonly stepMs: number;
    readonly bytes: number;
  };
  readonly packMs: number;
  readonly undoMs: number;
  readonly undone: number;
  readonly readTurnMs: number;
}

/** A first look, in a process of its own: by the clock, and processor time of the thread. */
interface FirstLook {
  readonly ms: number;
  readonly threadMs: number;
}

const SIZES = [10_000, 100_000] as const;
/** First looks in a round. */
const FIRST_LOOKS = 5;

/** Measures the journal of changes: looks, the pack, undo, and a turn that only reads. */
export async function factsBench({ root, work, runs }: {
  readonly root: string;
  /** A folder to make. */
  readonly work: string;
  readonly runs: number;
}): Promise<Part> {
  const found: Facts[] = [];
  const firsts: { readonly size: number; readonly looks: readonly FirstLook[] }[] = [];
  const notes: string[] = [];
  for (let round = 0; round < runs; round++) {
    const folder = join(work, String(round));
    await Deno.mkdir(folder, { recursive: true });
    const script = join(root, "scripts", "bench", "probes", "facts_probe.ts");
    const rights = ["--allow-read", "--allow-write", "--allow-env", "--allow-sys", "--allow-ffi"];
    const options = ["--no-prompt", "--v8-flags=--expose-gc", ...rights, "--config", join(root, "deno.json")];
    const probe = async (...words: readonly string[]): Promise<unknown> =>
      JSON.parse(await output(Deno.execPath(), ["run", ...options, script, folder, ...words], root));
    // What the probe prints is its own.
    const facts = await probe() as Facts;
    for (const size of SIZES) {
      const looks: FirstLook[] = [];
      for (let look = 0; look < FIRST_LOOKS; look++) looks.push(await probe(join(folder, `tree${size}`)) as FirstLook);
      firsts.push({ size, looks });
    }
    if (facts.undone !== 1000) notes.push(`undid ${facts.undone} of 1,000 files`);
    found.push(facts);
    await Deno.remove(folder, { recursive: true });
  }
  const of = (value: (facts: Facts) => number) => spreadOf(found.map(value));
  const bySize = (value: (facts: Facts[`${number}`], size: number) => number) =>
    Object.fromEntries(
      SIZES.map((size) => [
        `${size.toLocaleString("en")} files`,
        of((facts) => value(facts[`${size}`] as Facts[`${number}`], size)),
      ]),
    );
  const firstOf = (value: (look: FirstLook) => number) =>
    Object.fromEntries(
      SIZES.map((size) => [
        `${size.toLocaleString("en")} files`,
        // The middle one of each round: what else ran on the machine is in the others.
        spreadOf(
          firsts.filter((one) => one.size === size).map(({ looks }) =>
            looks.map((look) => value(look) * 1_000 / size).toSorted((a, b) => a - b)[FIRST_LOOKS >> 1] ?? NaN
          ),
        ),
      ]),
    );
  return {
    part: "facts",
    measures: {
      "first look, µs a file": firstOf(({ ms }) => ms),
      "first look, processor time, µs a file": firstOf(({ threadMs }) => threadMs),
      "look, µs a file": bySize(({ againMs }, size) => againMs * 1_000 / size),
      "longest step of a look": bySize(({ stepMs }) => stepMs),
      "memory, MB": bySize(({ bytes }) => bytes / 1e6),
      "1,000 files of 5 KB": { "into the pack": of(({ packMs }) => packMs), undo: of(({ undoMs }) => undoMs) },
      "a turn that only reads": { sandpiper: of(({ readTurnMs }) => readTurnMs) },
    },
    notes,
  };
}
