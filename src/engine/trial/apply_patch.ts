// Applies a patch to the workspace: all of it or nothing, and nowhere but where tools may write.
import { join } from "@std/path";
import { messageOf, UserError } from "../../core/error.ts";
import { entryAt } from "../../core/support/on_disk.ts";
import { isInside, type Policy } from "../../core/policy.ts";
import { shownPath, type Tree } from "../../core/support/tree.ts";
import { sha256 } from "../../core/support/digest.ts";
import { replaceFile } from "../../core/support/replace_file.ts";
import type {
  ApplyOutcome,
  PatchedFile,
  TakenBack,
  TakeRequest,
  UndoOutcome,
  UndoRequest,
} from "../../core/changes.ts";
import type { Config } from "../../config/config.ts";
import { bytesOfPath } from "../../sandbox/system/byte_path.ts";
import { openFolderTree } from "../../sandbox/system/tree.ts";
import { applyPlan } from "../../trial/apply.ts";
import { applyJournal, journalBytes, readJournal, takeBack } from "../../trial/apply_journal.ts";
import { becoming } from "../../trial/write_patch.ts";
import { planPatch, type Wanted } from "../../trial/plan.ts";
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
    return applyUnder(tools.policy, applyPlace(config), patch, name, request);
  } finally {
    await tools.close();
  }
}

/**
 * Takes back what an application in this workspace left when it was cut off, or says what it would take back: the newest change
 * of all, so that an undo does this and nothing else. Undefined where all or nothing of it was done, or none was cut off. Throws
 * UserError where one is at work, or its changes cannot be taken back.
 */
export function undoApply(config: Config, { dryRun = false }: UndoRequest): UndoOutcome | undefined {
  const place = applyPlace(config);
  if (place === undefined || !entryAt(place.journal)?.isFile || !canJournal()) return undefined;
  const tree = openFolderTree(config.root);
  if (tree === undefined) return undefined;
  try {
    using _lock = lockApply(place);
    const time = Deno.statSync(place.journal).mtime ?? new Date(0);
    const back = takeBackIn(tree, place, dryRun);
    if (back === undefined || back.isComplete || back.restored.length + back.left.length === 0) return undefined;
    return {
      point: {
        number: 0,
        kind: "apply",
        text: "a patch was applied in part",
        time: time.toISOString(),
        files: back.restored.length,
        isUndone: false,
      },
      steps: back.restored.map(({ path, isRemoved, isLink }) => ({
        path: shownPath(path),
        action: isRemoved ? "remove" : "restore",
        thing: isLink ? "link" : "file",
      })),
      left: back.left.map(({ path, why }) => ({ path: shownPath(path), why, isForcible: false })),
      isDone: !dryRun,
    };
  } finally {
    tree.close();
  }
}

/** Where the journal of an application is while it goes on: outside of every tool's scope, one a workspace. */
interface ApplyPlace {
  readonly folder: string;
  readonly journal: string;
  readonly lock: string;
}

/** Undefined where this process may write nowhere of the user's. */
function applyPlace({ stateFolder, root }: Pick<Config, "stateFolder" | "root">): ApplyPlace | undefined {
  if (stateFolder === undefined) return undefined;
  const folder = join(stateFolder, "apply");
  const name = join(folder, sha256(root).slice(0, 32));
  return { folder, journal: `${name}.journal`, lock: `${name}.lock` };
}

/** The lock of the kernel ends with the process that has it, however that ends. Throws UserError where another has it. */
function lockApply({ folder, lock }: ApplyPlace): Disposable {
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = Deno.openSync(lock, { read: true, write: true, create: true, mode: 0o600 });
  if (file.tryLockSync(true)) return file;
  file.close();
  throw new UserError({
    what: "Nothing can be applied now",
    why: "another process is applying a patch to this workspace",
    fix: "Wait until it has ended",
    exitCode: 1,
  });
}

/** Takes back what a journal tells of, if there is one; the journal goes with it. */
function takeBackIn(tree: Tree, { journal }: ApplyPlace, isDry = false): ReturnType<typeof takeBack> | undefined {
  const bytes = entryAt(journal)?.isFile ? Deno.readFileSync(journal) : undefined;
  const found = bytes && readJournal(bytes);
  if (found === undefined || found.head.root !== tree.root) return undefined;
  const back = takeBack(tree, found, isDry);
  const [first] = back.failed;
  if (first !== undefined) {
    throw new UserError({
      what: "A patch that was applied in part, and then cut off, cannot be taken back",
      why: `${shownPath(first.path)}: ${first.why}`,
      fix: `Give yourself the right to write there and try again; to keep what is there, remove ${journal}`,
      exitCode: 1,
    });
  }
  if (!isDry) Deno.removeSync(journal);
  return back;
}

function told({ isComplete, restored, left }: ReturnType<typeof takeBack>): TakenBack {
  const shown = ({ path }: { readonly path: string }): string => shownPath(path);
  return { isComplete, restored: restored.map(shown), left: left.map(shown) };
}

/** Applies a plan with a journal beside it. A failure that left nothing changed needs none any more. */
function applyWhole(
  tree: Tree,
  wanted: ReadonlyMap<string, Wanted>,
  umask: number,
  place: ApplyPlace | undefined,
): ReturnType<typeof applyPlan> {
  if (place === undefined) return applyPlan(tree, wanted, umask);
  const temporary = `.${crypto.randomUUID()}.tmp`;
  try {
    replaceFile(place.journal, journalBytes(applyJournal(tree, wanted, temporary)), "private");
  } catch (error) {
    return { path: "", why: `what is there now cannot be kept: ${messageOf(error)}`, changed: [] };
  }
  const failure = applyPlan(tree, wanted, umask, temporary);
  if (failure === undefined || failure.changed.length === 0) Deno.removeSync(place.journal);
  return failure;
}

function applyUnder(
  policy: Policy,
  place: ApplyPlace | undefined,
  patch: Uint8Array,
  name: string,
  { paths, dryRun }: TakeRequest,
): ApplyOutcome {
  const tree = canJournal() ? openFolderTree(policy.root) : undefined;
  if (tree === undefined) {
    throw new UserError({
      what: "Nothing can be applied here",
      why: canJournal() ? `${policy.root} may not be opened` : "this system has no calls for it",
      fix: "Use git apply",
    });
  }
  try {
    if (dryRun && place !== undefined && entryAt(place.journal)?.isFile) {
      throw new UserError({
        what: "Nothing can be said of this patch now",
        why: "another one is being applied, or was cut off while it was: the workspace holds a part of it",
        fix: "Take that back first: sandpiper undo",
        exitCode: 1,
      });
    }
    using _lock = place && !dryRun ? lockApply(place) : undefined;
    const back = place && !dryRun ? takeBackIn(tree, place) : undefined;
    const takenBack = back ? { takenBack: told(back) } : {};
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
    if (misfits.length > 0 || dryRun) return { ...takenBack, files, misfits, isDone: false };
    const failure = applyWhole(tree, wanted, umask, place);
    if (failure === undefined) return { ...takenBack, files, misfits: [], isDone: true };
    const stayed = failure.changed.map(shownPath);
    throw new UserError({
      what: stayed.length === 0
        ? "The patch was not applied, and the workspace is as it was"
        : `The patch was applied in part: what was done to ${stayed.join(", ")} could not be taken back`,
      why: failure.path === "" ? failure.why : `${shownPath(failure.path)}: ${failure.why}`,
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
  const foldedTop = folded(top);
  const closed = [...kept, ...denyWrite, ...denyRead].map((one) => folded(bytesOfPath(one)));
  const open = write.list.map(bytesOfPath);
  return (path) => {
    const whole = `${top}/${path}`;
    const same = folded(whole);
    if (closed.some((one) => isInside(same, one) || (isInside(one, same) && one !== foldedTop))) {
      return "it is protected";
    }
    return write.all || open.some((one) => isInside(whole, one))
      ? undefined
      : "it lies outside of what tools may write";
  };
}

/** A byte string as forgiving file systems compare: letter case and characters that nobody sees do not count. For what forbids alone. */
function folded(path: string): string {
  return path.replace(/\xe2\x80[\x8c-\x8f\xaa-\xae]|\xe2\x81[\xaa-\xaf]|\xef\xbb\xbf/g, "").toLowerCase();
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
      ...becoming(file.oldMode, newPath === undefined ? undefined : file.newMode),
      ...(binary || (before && before.linesAdded === undefined) ? {} : {
        linesAdded: (before?.linesAdded ?? 0) + count("after"),
        linesRemoved: (before?.linesRemoved ?? 0) + count("before"),
      }),
    });
  }
  return [...found.values()];
}
