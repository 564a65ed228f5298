import type { ShellOutcome } from "../core/tool.ts";
import { endTree, killTree } from "./end_tree.ts";
import type { Tree } from "./process_tree.ts";

/** Why a call was ended before its shell ended by itself. */
export interface StopReason {
  readonly ending: Exclude<ShellOutcome["ending"], "exited">;
  readonly limit?: string;
}

/** Ends one call early, whoever asks first giving the reason. */
export interface Stop {
  /** SIGTERM, two seconds, SIGKILL. */
  gently(ending: StopReason["ending"]): void;
  /** SIGKILL, also when the call is being ended gently already. */
  atOnce(ending: StopReason["ending"], limit?: string): void;
  reason(): StopReason | undefined;
  /** Resolves when a stop was asked for and has done what it could; pending until then. */
  readonly done: Promise<void>;
}

/** The stop of a call. `wrapped`: as in `endTree`. */
export function openStop(tree: Tree, wrapped: boolean): Stop {
  let reason: StopReason | undefined;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const begin = (why: StopReason, end: () => Promise<unknown>): void => {
    if (reason) return;
    reason = why;
    end().then(() => resolve(), reject);
  };
  return {
    gently: (ending) => begin({ ending }, () => endTree(tree, wrapped)),
    atOnce(ending, limit) {
      begin({ ending, ...(limit === undefined ? {} : { limit }) }, () => killTree(tree));
      killTree(tree).then(() => resolve(), reject);
    },
    reason: () => reason,
    done: promise,
  };
}
