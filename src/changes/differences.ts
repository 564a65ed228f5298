// What a look found, compared with what was: changes, with their lines. Loaded with the first thing that is found.
import type { ChangeSet } from "../core/changes.ts";
import type { Tree } from "../core/support/tree.ts";
import { type ChangeFacts, changeSet, kindOf } from "./change_set.ts";
import type { Keeper } from "./keeper.ts";
import { lineFacts } from "./line_counts.ts";
import type { Pack } from "./pack.ts";
import type { Change, State } from "./states.ts";
import { noteOf, type Place, recordOf } from "./table.ts";

/** Contents that were read again, by their names. */
export type Contents = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/** One path that differs. */
export interface Difference {
  /** Absolute, a byte string. */
  readonly path: string;
  readonly tree: Tree;
  readonly inner: string;
  readonly before: State;
}

/** Compares what differs with what was. */
export interface Differences {
  /** Keeps what came, and puts what changed into `into`. `now`: where a path's record is, if there is one. */
  readonly compare: <T extends Difference>(
    list: readonly T[],
    now: (one: T) => Place | undefined,
    fetched: Contents,
    into: Change[],
  ) => Generator<true, void>;
  /** The same changes with their lines; those that come to nothing are left out. */
  readonly withLines: (changes: readonly Change[], fetched: Contents) => readonly Change[];
  /** The first state of each path and the last one. */
  readonly fold: (changes: readonly Change[]) => readonly Change[];
  readonly told: (changes: readonly Change[], root: string, facts: ChangeFacts) => ChangeSet;
}

/** Differences of contents that `keeper` keeps in `pack`. */
export function createDifferences({ keep, stateOf }: Keeper, pack: Pick<Pack, "find" | "read">): Differences {
  const read = (state: State, fetched: Contents): Uint8Array<ArrayBuffer> | undefined => {
    if (state.kind !== "file") return new Uint8Array();
    if (state.content === undefined) return undefined;
    const known = fetched.get(state.content);
    if (known) return known;
    const number = state.content.startsWith("sha256:") ? pack.find(state.content.slice(7)) : undefined;
    return number === undefined ? undefined : pack.read(number);
  };
  const linesOf = (
    before: State,
    after: State,
    bytes: Uint8Array<ArrayBuffer> | undefined,
    fetched: Contents,
  ): Pick<Change, "lines" | "isBinary"> => {
    if (before.kind !== "file" && after.kind !== "file") return {};
    try {
      const old = read(before, fetched);
      const fresh = bytes !== undefined && after.kind === "file" ? bytes : read(after, fetched);
      return old === undefined || fresh === undefined ? {} : lineFacts(old, fresh);
    } catch {
      return {};
    }
  };
  return {
    *compare(list, now, fetched, into) {
      for (const one of list) {
        const { before } = one;
        const after = now(one);
        let bytes: Uint8Array<ArrayBuffer> | undefined;
        if (after !== undefined && noteOf(after.folder, after.at) === 0) bytes = keep(one.tree, one.inner, after);
        const state = stateOf(after && recordOf(after));
        const change: Change = { path: one.path, before, after: state };
        if (kindOf(change) !== undefined) into.push({ ...change, ...linesOf(before, state, bytes, fetched) });
        yield true;
      }
    },
    withLines: (changes, fetched) =>
      changes.flatMap((change) =>
        kindOf(change) === undefined ? [] : [{ ...change, ...linesOf(change.before, change.after, undefined, fetched) }]
      ),
    fold(changes) {
      const folded = new Map<string, Change>();
      for (const { path, before, after } of changes) {
        folded.set(path, { path, before: folded.get(path)?.before ?? before, after });
      }
      return [...folded.values()];
    },
    told: changeSet,
  };
}
