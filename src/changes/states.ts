import type { ChangedThing } from "../core/changes.ts";
import { isInside } from "../core/policy.ts";
import { KIND, shownPath, type TreeStatus } from "../core/support/tree.ts";

/** What stands at a path, as the journal keeps it. */
export type State =
  | { readonly kind: "absent" }
  | {
    readonly kind: "file" | "link";
    /** Permission bits. */
    readonly mode: number;
    /** Of a link: of its target. */
    readonly size: number;
    /** As of TreeStatus. */
    readonly stamp: string;
    /** Where its bytes, or a link's target, can be had: `sha256:HEX` in the pack, `git:HEX` in the repository around it. */
    readonly content?: string;
    /** Why they cannot. */
    readonly why?: string;
  }
  | { readonly kind: "folder"; readonly mode: number }
  | { readonly kind: "other"; readonly mode: number }
  /** Nobody looked before it was changed. */
  | { readonly kind: "unknown"; readonly why: string };

/** A state of what has a content. */
type Holding = Extract<State, { readonly kind: "file" | "link" }>;

/** Whether a state is that of a file or link. */
export function holds(state: State): state is Holding {
  return state.kind === "file" || state.kind === "link";
}

/** What a status tells; where its content is nobody knows yet. Without one nothing is there. */
export function stateFrom(status: Pick<TreeStatus, "mode" | "size" | "stamp"> | undefined): State {
  if (status === undefined) return { kind: "absent" };
  const [kind, mode] = [status.mode >> 12, status.mode & 0o7777];
  if (kind === KIND.folder) return { kind: "folder", mode };
  if (kind !== KIND.file && kind !== KIND.link) return { kind: "other", mode };
  return { kind: kind === KIND.file ? "file" : "link", mode, size: status.size, stamp: status.stamp };
}

/** Why what was there cannot be put back; undefined where it can. */
export function whyLost(state: State): string | undefined {
  if (state.kind === "other") return "it was a device, socket or pipe";
  if (state.kind === "unknown") return state.why;
  return holds(state) && state.content === undefined ? state.why ?? "it was not kept" : undefined;
}

/** What one path was and is. */
export interface Change {
  /** Absolute, a byte string. */
  readonly path: string;
  readonly before: State;
  readonly after: State;
  /** Only where both are known. */
  readonly lines?: { readonly added: number; readonly removed: number };
  readonly isBinary?: boolean;
}

/** Why what is larger than a bound is not kept. */
export function whyTooLarge(maxBytes: number): string {
  const shown = maxBytes >= 1024 ** 2 ? `${Math.round(maxBytes / 1024 ** 2)} MB` : `${Math.round(maxBytes / 1024)} kB`;
  return `it was larger than ${shown}`;
}

/** What a state is for people; undefined where there is nothing. */
export function thingOf({ kind }: State): ChangedThing | undefined {
  return kind === "absent" || kind === "unknown" ? undefined : kind;
}

/** Whether two states are the same but for times: undefined where nobody can tell. */
export function isSameState(some: State, other: State): boolean | undefined {
  if (some.kind === "unknown" || other.kind === "unknown") return undefined;
  if (some.kind === "absent" || other.kind === "absent" || some.kind !== other.kind) return some.kind === other.kind;
  if (some.mode !== other.mode && some.kind !== "link") return false;
  if (!holds(some) || !holds(other)) return true;
  if (some.size !== other.size) return false;
  const [one, two] = [some.content, other.content];
  // An object's name and a digest of the same bytes differ.
  if (one !== undefined && two !== undefined && one.slice(0, 4) === two.slice(0, 4)) return one === two;
  return some.stamp === other.stamp ? true : undefined;
}

/** A path as people see it. */
export function shownIn(root: string, path: string): string {
  const text = shownPath(path);
  return text !== root && isInside(text, root) ? text.slice(root.length + 1) : text;
}
