import { cpus } from "node:os";
import { join } from "@std/path";
import type { Results } from "./goals.ts";
import type { Part } from "./part_goals.ts";

/** One of the programs that the loop plays. */
export interface Measured {
  readonly name: string;
  readonly about: string;
  /** The npm package with its version; without one it was built here. */
  readonly package?: string;
  /** As it was started; what is in braces differs from run to run. */
  readonly command: readonly string[];
}

/** What `deno task bench` writes: the numbers, and all that they depend on. A later `schema` may leave nothing of this out. */
export interface Published {
  readonly schema: 1;
  /** When it ended, as ISO 8601 in UTC. */
  readonly date: string;
  /** The version of what was measured. */
  readonly version: string;
  /** Size of the binary, bytes. */
  readonly binaryBytes: number;
  /** What to type for the same. */
  readonly command: string;
  readonly seconds: number;
  readonly machine: Machine;
  readonly programs: readonly Measured[];
  /** What should have been measured beside it, and why it was not. */
  readonly missing: readonly { readonly name: string; readonly why: string }[];
  readonly loop?: Results;
  readonly parts: readonly Part[];
}

/** Where it was measured. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  /**
   * Processes that wanted a core, over the last minute (getloadavg(3)), before and at the end. What had just ended is in the
   * first, the measuring itself in the second.
   */
  readonly load: { readonly before: number; readonly after: number };
  /** Cores that other programs used right before anything was measured; files without it are older. */
  readonly othersUse?: number;
}

/** How the machine was before the measuring began. */
export interface Before {
  readonly load: number;
  readonly othersUse: number;
}

/** Looks for `ms` milliseconds at what others do, and does nothing meanwhile (proc(5), `/proc/stat`). */
export async function before(ms: number): Promise<Before> {
  const load = Deno.loadavg()[0] ?? NaN;
  const [ticks, at] = [busyTicks(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, ms));
  return { load, othersUse: (busyTicks() - ticks) / TICKS / ((performance.now() - at) / 1000) };
}

/** Clock ticks a second in `/proc`. */
const TICKS = 100;

function busyTicks(): number {
  const [first = ""] = Deno.readTextFileSync("/proc/stat").split("\n");
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = first.split(/\s+/).slice(1).map(Number);
  return user + nice + system + irq + softirq + steal;
}

/** The machine that this runs on. */
export function thisMachine({ load, othersUse }: Before): Machine {
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: navigator.hardwareConcurrency,
    memoryGiB: Math.round(Deno.systemMemoryInfo().total / 2 ** 30),
    kernel: `${Deno.build.os} ${Deno.osRelease()} ${Deno.build.arch}`,
    load: { before: Number(load.toFixed(1)), after: Number((Deno.loadavg()[0] ?? NaN).toFixed(1)) },
    othersUse: Number(othersUse.toFixed(2)),
  };
}

/** What each program is, from the files of the harness. */
export function programsOf(peerFiles: string, names: readonly string[]): readonly Measured[] {
  return names.map((name) => {
    const { about, package: from, command } = JSON.parse(Deno.readTextFileSync(join(peerFiles, `${name}.json`)));
    return { name, about, ...from === undefined ? {} : { package: from }, command };
  });
}

/** The file's text: numbers with as many digits as say something, a line for each entry of what is long. */
export function publishedText(published: Published): string {
  const text = JSON.stringify(published, (_key, value) => typeof value === "number" ? rounded(value) : value, 1);
  // Medians with their percentiles, and what is no deeper, on one line each.
  return text.replace(/[[{][^[\]{}]*[\]}]/g, (flat) => flat.replace(/\s*\n\s*/g, " ")) + "\n";
}

function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(4));
}
