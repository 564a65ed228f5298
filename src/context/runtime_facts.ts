import { once } from "../core/support/once.ts";
import type { PromptInputs } from "../core/prompt.ts";
import { findGitRoot } from "./files/ancestors.ts";
import type { BootstrapPlaces } from "./files/bootstrap_file.ts";
import { formatDateTime } from "./date_time.ts";
import { readGitBranch } from "./git/branch.ts";
import { hasChanges } from "./git/state.ts";

/** What the facts are taken from; the clock and the machine arrive from outside. */
export interface RuntimeOptions extends Pick<BootstrapPlaces, "root" | "gitRoot"> {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** For example `linux` and `x86_64`. */
  readonly os: string;
  readonly arch: string;
  /** What looking at the repository's files may take, milliseconds; 100 when left out. */
  readonly budgetMs?: number;
}

/** Facts about the machine and the moment, taken once for each base build (K7). */
export function gatherRuntime(options: RuntimeOptions): PromptInputs["runtime"] {
  const gitRoot = once(options.gitRoot ?? (() => findGitRoot(options.root)));
  const branch = readGitBranch(options.root, gitRoot);
  const dirty = branch ? hasChanges(gitRoot() ?? options.root, options.budgetMs) : undefined;
  return {
    dateTime: formatDateTime(options.now),
    cwd: options.root,
    os: `${options.os} ${options.arch}`,
    ...(branch ? { git: { branch, ...(dirty === undefined ? {} : { dirty }) } } : {}),
  };
}
