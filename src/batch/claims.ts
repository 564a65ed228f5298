// Who works on what, where many processes share one folder. Nothing here compares clocks of machines, and nothing is ever
// taken away from a folder: a claim is a file that only one can make, a later claim has a later number, and an owner whose
// sign of life stands still has died.
import { join } from "@std/path";
import { isObject } from "../core/json.ts";
import { attempt } from "../core/support/attempt.ts";
import { entryAt } from "../core/support/on_disk.ts";
import { replaceFile } from "../core/support/replace_file.ts";

/** How often an owner shows that it lives, and how long it may show nothing before it counts as dead; milliseconds. */
const BEAT_MS = 5_000;
const STALE_MS = 60_000;

/** What an owner says of itself, in `owners/ID.json`. */
interface OwnerFile {
  readonly machine: string;
  readonly pid: number;
  readonly start: number;
  /** Another one each time that the owner showed itself. */
  readonly beat: number;
  /** It ended in good order, and holds nothing any more. */
  readonly ended: boolean;
  /** What its attempts have cost, and those that run may still cost; US dollars. */
  readonly spentUsd: number;
  readonly reservedUsd: number;
}

/** What became of the wish to work on something. */
export type Taken =
  | { readonly kind: "taken"; /** From 1; more where an owner before this one died. */ readonly generation: number }
  /** Another lives and has it. */
  | { readonly kind: "held" }
  /** Another has it, and it is not known yet whether that one lives. */
  | { readonly kind: "unsure" }
  /** Another may be at work on something else of the same name. */
  | { readonly kind: "other" };

/** How processes of this machine are known; on a system that cannot tell, `machine` is absent. */
export interface Processes {
  /** This machine since its start, and where numbers of processes count the same as here. */
  readonly machine?: string;
  /** When a process began, in any unit; undefined where there is none of that number. */
  readonly startOf: (pid: number) => number | undefined;
}

/** The claims of one process in a shared folder. */
export class Claims {
  readonly #folder: string;
  readonly #processes: Processes;
  readonly #id = crypto.randomUUID();
  readonly #staleMs: number;
  readonly #seen = new Map<string, { readonly beat: string; readonly at: number }>();
  #beat = 0;
  #ended = false;
  #money = { spentUsd: 0, reservedUsd: 0 };
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Shows itself as an owner at once. Throws what the disk throws. */
  constructor(folder: string, processes: Processes, { beatMs = BEAT_MS, staleMs = STALE_MS } = {}) {
    this.#folder = folder;
    this.#processes = processes;
    this.#staleMs = staleMs;
    for (const name of ["owners", "claims"]) makeOwn(join(folder, name));
    this.#show();
    this.#timer = setInterval(() => this.#tryShow(), beatMs);
  }

  /** Tries to take what `key` names; `digest` is of what is to be done, without blanks. */
  take(key: string, digest = ""): Taken {
    const folder = join(this.#folder, "claims", key);
    makeOwn(folder);
    const numbers = [...Deno.readDirSync(folder)].map(({ name }) => Number(name)).filter(Number.isInteger);
    const last = numbers.reduce((most, one) => Math.max(most, one), 0);
    if (last > 0) {
      const [state, of] = this.#ownerOf(join(folder, String(last)));
      if (state !== "dead" && of !== undefined && of !== digest) return { kind: "other" };
      if (state !== "dead") return { kind: state === "lives" ? "held" : "unsure" };
    }
    try {
      using file = Deno.openSync(join(folder, String(last + 1)), { write: true, createNew: true });
      file.writeSync(new TextEncoder().encode(`${this.#id} ${digest}`));
      file.syncSync();
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) return { kind: "held" };
      throw error;
    }
    return { kind: "taken", generation: last + 1 };
  }

  /** What this process has spent, and may spend on what runs. Others read it before they begin something. */
  account(money: { readonly spentUsd: number; readonly reservedUsd: number }): void {
    this.#money = money;
    this.#show();
  }

  /** What all owners that ever were have spent, and may still spend; what a dead one had begun counts as spent. */
  committedUsd(): number {
    let sum = 0;
    for (const { name } of Deno.readDirSync(join(this.#folder, "owners"))) {
      const owner = name.endsWith(".json") ? readOwner(join(this.#folder, "owners", name)) : undefined;
      if (owner) sum += owner.spentUsd + owner.reservedUsd;
    }
    return sum;
  }

  /** Gives back all that is not finished. Safe to call twice. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#timer);
    this.#tryShow();
  }

  /** Whether the owner of a claim is there, and the digest that it named; of a claim that is being written none. */
  #ownerOf(claim: string): ["lives" | "dead" | "unsure", digest: string | undefined] {
    const text = attempt(() => Deno.readTextFileSync(claim));
    if (text === undefined) return ["unsure", undefined];
    const [id = "", digest] = text.split(" ");
    return [this.#stateOf(id, claim), digest];
  }

  #stateOf(id: string, claim: string): "lives" | "dead" | "unsure" {
    if (id === this.#id) return "lives";
    const owner = /^[0-9a-f-]{36}$/.test(id) ? readOwner(join(this.#folder, "owners", `${id}.json`)) : undefined;
    if (owner?.ended) return "dead";
    const { machine, startOf } = this.#processes;
    if (owner && machine !== undefined && owner.machine === machine) {
      return startOf(owner.pid) === owner.start ? "lives" : "dead";
    }
    return this.#watch(`${claim} ${id}`, String(owner?.beat));
  }

  /** Alive is what was seen to change, dead what has stood still for long enough by this process's own clock. */
  #watch(name: string, beat: string): "lives" | "dead" | "unsure" {
    const before = this.#seen.get(name);
    const now = performance.now();
    if (before === undefined) {
      this.#seen.set(name, { beat, at: now });
      return "unsure";
    }
    if (before.beat !== beat) {
      this.#seen.set(name, { beat, at: now });
      return "lives";
    }
    return now - before.at >= this.#staleMs ? "dead" : "unsure";
  }

  #tryShow(): void {
    // A full or absent disk: others may take what this process has, and one of the two results is kept.
    attempt(() => this.#show());
  }

  #show(): void {
    const owner: OwnerFile = {
      machine: this.#processes.machine ?? "",
      pid: Deno.pid,
      start: this.#processes.startOf(Deno.pid) ?? 0,
      beat: this.#beat++,
      ended: this.#ended,
      ...this.#money,
      ...(this.#ended ? { reservedUsd: 0 } : {}),
    };
    replaceFile(join(this.#folder, "owners", `${this.#id}.json`), JSON.stringify(owner));
  }
}

/** Makes a directory in one that exists; throws for a link in its place, which would lead what is written there elsewhere. */
function makeOwn(path: string): void {
  try {
    Deno.mkdirSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists) || entryAt(path)?.isDirectory !== true) throw error;
  }
}

function readOwner(path: string): OwnerFile | undefined {
  const read: unknown = attempt(() => JSON.parse(Deno.readTextFileSync(path)));
  if (!isObject(read)) return undefined;
  const { machine, pid, start, beat, ended, spentUsd, reservedUsd } = read;
  const isWhole = typeof machine === "string" && typeof pid === "number" && typeof start === "number" &&
    typeof beat === "number" && typeof spentUsd === "number" && typeof reservedUsd === "number";
  return isWhole ? { machine, pid, start, beat, ended: ended === true, spentUsd, reservedUsd } : undefined;
}
