import { freezeTrees } from "../process/end_tree.ts";
import type { Tree } from "../process/tree.ts";
import type { MadeRepository } from "./repository_tamper.ts";
import type { Tripwire } from "./tripwire.ts";

/** The tripwire around commands, of which several may run at once and some go on in the background. */
export interface ProtectedGuard {
  /** To be called before a command is started, and `add` right after it. */
  begin(): void;
  /** A command that runs: until `end` is called for it nothing that changes counts as the user's. */
  add(tree: Tree): void;
  /** The command has ended, and `left` of its processes could not be: undoes what was done to protected paths. */
  end(tree: Tree, left: number): void;
  /** Undoes what was done to protected paths while what runs goes on: it stands still for that. */
  check(): void;
  /** Whether nothing runs, and nothing is left to be undone. */
  isQuiet(): boolean;
  /** The `.git` folders that commands have made since nothing ran, as of the last look. */
  made(): readonly MadeRepository[];
  /** What was undone since it was last asked, one line each. */
  notes(): string[];
  close(): void;
}

/** Opens the guard; without a tripwire, which `open` gives before the first command, it does nothing. */
export function openProtectedGuard(open: () => Tripwire | undefined): ProtectedGuard {
  let opened: { readonly tripwire: Tripwire | undefined } | undefined;
  const running = new Set<Tree>();
  // A process that could not be ended may still write: from then on nothing is certain.
  let immortal = false;
  // Something still has to be restored and must not be taken for the user's own change.
  let unsettled = false;
  let pending: string[] = [];

  const check = (): void => {
    const tripwire = opened?.tripwire;
    if (!tripwire?.isTouched()) return;
    const frozen = freezeTrees([...running]);
    try {
      unsettled = immortal || !frozen.still;
      pending.push(...tripwire.restore(!unsettled));
    } finally {
      frozen.resume();
    }
  };

  return {
    begin() {
      opened ??= { tripwire: open() };
      if (running.size === 0 && !unsettled) opened.tripwire?.arm();
    },
    add: (tree) => void running.add(tree),
    end(tree, left) {
      running.delete(tree);
      immortal ||= left > 0;
      check();
    },
    check,
    isQuiet: () => running.size === 0 && !unsettled && !immortal,
    made: () => opened?.tripwire?.made() ?? [],
    notes() {
      const notes = pending;
      pending = [];
      return notes;
    },
    close: () => opened?.tripwire?.close(),
  };
}
