/** Where the attempts of a task begin: each works on a private copy of it. */
export type TaskWorkspace =
  | { readonly kind: "folder"; /** Absolute. */ readonly path: string }
  | {
    readonly kind: "git";
    /** What `git clone` takes: an address, or an absolute path. */
    readonly repository: string;
    /** Commit, tag or branch; absent: the repository's own default. */
    readonly revision?: string;
  };

/** One task of a batch, complete. */
export interface BatchTask {
  /** Names its results: letters, digits, `.`, `_` and `-`. */
  readonly id: string;
  /** Tasks of one group are added up together in reports. */
  readonly group?: string;
  readonly workspace: TaskWorkspace;
  readonly prompt: string;
  /** How often it is run. */
  readonly attempts: number;
  /** Options of the command line for each attempt, without those that say where results go. */
  readonly args: readonly string[];
  /** Whether nothing of its workspace can change; then no copy is made of it. */
  readonly isReadOnly: boolean;
  /** The limit of one attempt's cost, in US dollars, where it has one. */
  readonly maxCostUsd?: number;
  /** SHA-256 of what is asked: results of another question are never taken for this one's. */
  readonly digest: string;
}

/** One run of a task: the unit of work. */
export interface Attempt {
  readonly task: BatchTask;
  /** From 1. */
  readonly number: number;
  /** `ID.NUMBER`: names its claim. */
  readonly key: string;
}

/** All attempts: first every task's first, so that what is cut short has seen every task. */
export function attemptsOf(tasks: readonly BatchTask[]): Attempt[] {
  const most = tasks.reduce((found, { attempts }) => Math.max(found, attempts), 0);
  return Array.from({ length: most }, (_, at) => at + 1).flatMap((number) =>
    tasks.filter(({ attempts }) => attempts >= number).map((task) => ({ task, number, key: `${task.id}.${number}` }))
  );
}
