import { join } from "@std/path";
import { output } from "../build/base_runtime.ts";
import { type Part, spreadOf } from "./part_goals.ts";

/** What facts_probe.ts prints. */
interface Facts {
  readonly [files: `${number}`]: {
    readonly firstMs: number;
    readonly againMs: number;
    readonly stepMs: number;
    readonly bytes: number;
  };
  readonly packMs: number;
  readonly undoMs: number;
  readonly undone: number;
  readonly readTurnMs: number;
}

const SIZES = [10_000, 100_000] as const;

/** Measures the journal of changes: looks, the pack, undo, and a turn that only reads. */
export async function factsBench({ root, work, runs }: {
  readonly root: string;
  /** A folder to make. */
  readonly work: string;
  readonly runs: number;
}): Promise<Part> {
  const found: Facts[] = [];
  const notes: string[] = [];
  for (let round = 0; round < runs; round++) {
    const folder = join(work, String(round));
    await Deno.mkdir(folder, { recursive: true });
    const script = join(root, "scripts", "bench", "probes", "facts_probe.ts");
    const rights = ["--allow-read", "--allow-write", "--allow-env", "--allow-sys", "--allow-ffi"];
    const options = ["--no-prompt", "--v8-flags=--expose-gc", ...rights, "--config", join(root, "deno.json")];
    // What the probe prints is its own.
    const facts = JSON.parse(await output(Deno.execPath(), ["run", ...options, script, folder], root)) as Facts;
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
  return {
    part: "facts",
    measures: {
      "first look, µs a file": bySize(({ firstMs }, size) => firstMs * 1_000 / size),
      "look, µs a file": bySize(({ againMs }, size) => againMs * 1_000 / size),
      "longest step of a look": bySize(({ stepMs }) => stepMs),
      "memory, MB": bySize(({ bytes }) => bytes / 1e6),
      "1,000 files of 5 KB": { "into the pack": of(({ packMs }) => packMs), undo: of(({ undoMs }) => undoMs) },
      "a turn that only reads": { sandpiper: of(({ readTurnMs }) => readTurnMs) },
    },
    notes,
  };
}
