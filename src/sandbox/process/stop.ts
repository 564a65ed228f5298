import type { ShellOutcome } from "../../core/tool.ts";
import { endTree, killTree } from "./end_tree.ts";
import type { Tree } from "./tree.ts";

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
  const end = (ending: Promise<unknown>): void => void ending.then(() => resolve(), reject);
  return {
    gently(ending) {
      if (reason) return;
      reason = { ending };
      end(endTree(tree, wrapped));
    },
    atOnce(ending, limit) {
      reason ??= { ending, ...(limit === undefined ? {} : { limit }) };
      end(killTree(tree));
    },
    reason: () => reason,
    done: promise,
  };
}
