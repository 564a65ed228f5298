// Applies a patch to the workspace: all of it or nothing, and nowhere but where tools may write.
import { UserError } from "../../core/error.ts";
import { isInside, type Policy } from "../../core/policy.ts";
import { shownPath } from "../../core/support/tree.ts";
import type { ApplyOutcome, PatchedFile, TakeRequest } from "../../core/changes.ts";
import type { Config } from "../../config/config.ts";
import { bytesOfPath } from "../../sandbox/system/byte_path.ts";
import { openFolderTree } from "../../sandbox/system/tree.ts";
import { applyPlan } from "../../trial/apply.ts";
import { planPatch } from "../../trial/plan.ts";
import { type FilePatch, readPatch } from "../../trial/read_patch.ts";
import { canJournal } from "../changes/scopes.ts";
import { openTools } from "../tools/tools_host.ts";

/** Applies a patch, or some of its files, under the policy of a run that would be started now; `name`: for errors. */
export async function applyPatch(
  config: Config,
  patch: Uint8Array,
  name: string,
  request: TakeRequest = {},
): Promise<ApplyOutcome> {
  const { trial: _, ...own } = config;
  const tools = openTools(own, false);
  try {
    return applyUnder(tools.policy, patch, name, request);
  } finally {
    await tools.close();
  }
}

function applyUnder(policy: Policy, patch: Uint8Array, name: string, { paths, dryRun }: TakeRequest): ApplyOutcome {
  const tree = canJournal() ? openFolderTree(policy.root) : undefined;
  if (tree === undefined) {
    throw new UserError({
      what: "Nothing can be applied here",
      why: canJournal() ? `${policy.root} may not be opened` : "this system has no calls for it",
      fix: "Use git apply",
    });
  }
  try {
    const all = readPatch(patch, name);
    const wantedPaths = paths && new Set(paths);
    const chosen = all.filter((file) => wantedPaths?.has(shownPath(pathOf(file))) ?? true);
    const missing = paths?.find((path) => !all.some((file) => shownPath(pathOf(file)) === path));
    if (missing !== undefined) {
      throw new UserError({
        what: `Cannot take ${missing}`,
        why: "the patch has no such file",
        fix: "See what it has: sandpiper apply --dry-run",
      });
    }
    const umask = Deno.umask();
    const { wanted, unfit } = planPatch(chosen, { tree, whyClosed: closedUnder(policy), umask });
    const files = listed(chosen);
    const misfits = unfit.map(({ path, ...rest }) => ({ path: shownPath(path), ...rest }));
    if (misfits.length > 0 || dryRun) return { files, misfits, isDone: false };
    const failure = applyPlan(tree, wanted, umask);
    if (failure === undefined) return { files, misfits: [], isDone: true };
    const stayed = failure.changed.map(shownPath);
    throw new UserError({
      what: stayed.length === 0
        ? "The patch was not applied, and the workspace is as it was"
        : `The patch was applied in part: what was done to ${stayed.join(", ")} could not be taken back`,
      why: `${shownPath(failure.path)}: ${failure.why}`,
      fix: "Make room or give yourself the right to write there, then apply it again",
      exitCode: 1,
    });
  } finally {
    tree.close();
  }
}

/** Why a path, a byte string below the workspace, may not be written. */
function closedUnder(
  { root, write, protected: kept, denyWrite, denyRead }: Policy,
): (path: string) => string | undefined {
  const top = bytesOfPath(root);
  const closed = [...kept, ...denyWrite, ...denyRead].map(bytesOfPath);
  const open = write.list.map(bytesOfPath);
  return (path) => {
    const whole = `${top}/${path}`;
    if (closed.some((one) => isInside(whole, one) || (isInside(one, whole) && one !== top))) return "it is protected";
    return write.all || open.some((one) => isInside(whole, one))
      ? undefined
      : "it lies outside of what tools may write";
  };
}

function pathOf({ newPath, oldPath }: FilePatch): string {
  return newPath ?? oldPath ?? "";
}

/** The files of a patch as people see them; a link that became a file is one. */
function listed(files: readonly FilePatch[]): PatchedFile[] {
  const found = new Map<string, PatchedFile>();
  for (const file of files) {
    const path = shownPath(pathOf(file));
    const { oldPath, newPath, move, hunks, binary } = file;
    const isMode = hunks.length === 0 && !binary && file.oldMode !== undefined && file.oldMode !== file.newMode;
    const kind = move === "rename"
      ? "moved"
      : oldPath === undefined || move === "copy"
      ? "created"
      : newPath === undefined
      ? "deleted"
      : isMode
      ? "mode"
      : "changed";
    const count = (side: "before" | "after"): number =>
      hunks.reduce((all, hunk) => all + hunk[side].length - hunk.context, 0);
    const before = found.get(path);
    found.set(path, {
      path,
      kind: before ? "changed" : kind,
      ...(move === "rename" && oldPath !== undefined ? { from: shownPath(oldPath) } : {}),
      ...(binary || (before && before.linesAdded === undefined) ? {} : {
        linesAdded: (before?.linesAdded ?? 0) + count("after"),
        linesRemoved: (before?.linesRemoved ?? 0) + count("before"),
      }),
    });
  }
  return [...found.values()];
}
