// The trial of a session: its copy, and what becomes of what was changed there.
import { dirname, resolve } from "@std/path";
import { messageOf, UserError } from "../../core/error.ts";
import type { SessionStore } from "../../core/session.ts";
import type { NamedFile } from "../../core/named_files.ts";
import { isFolder } from "../../core/support/on_disk.ts";
import type { ApplyOutcome, TakeRequest, TrialChanges, TrialResult, TrialState } from "../../core/changes.ts";
import type { Config } from "../../config/config.ts";
import { namedFilesOf } from "../../config/named_files.ts";
import { bytesOf } from "../../core/support/tree.ts";
import { applyPatch } from "./apply_patch.ts";
import { type OpenTrial, openTrial } from "./open_trial.ts";
import { sessionFiles } from "../sessions/session_choice.ts";
import { newPatchPath } from "../sessions/patch_place.ts";

/** A trial that goes on in a session. */
export interface SessionTrial extends Pick<OpenTrial, "config" | "notices"> {
  readonly state: () => TrialState;
  readonly changes: () => Promise<TrialChanges>;
  /** Takes changes into the workspace, or says what that would do; the copy stays as it is. */
  readonly take: (request: TakeRequest) => Promise<ApplyOutcome>;
  /** Writes what was not taken to a file and removes the copy; nobody may write there any more. */
  readonly end: (store: SessionStore, taken?: ReadonlySet<string>) => Promise<TrialResult>;
  /** Removes the copy and keeps nothing. */
  readonly drop: () => void;
}

/** Begins one. Throws UserError where there can be none. */
export async function beginTrial(config: Config): Promise<SessionTrial> {
  const { values } = config.invocation;
  const named = typeof values["patch"] === "string" ? patchFile(config, values["patch"]) : undefined;
  const trial = await openTrial(config);
  const state = (): TrialState => ({ folder: trial.folder, workspace: trial.workspace, cost: trial.cost });
  return {
    config: trial.config,
    notices: trial.notices,
    state,
    changes: trial.changes,
    take: async (request) => {
      const { patch } = await changesOf(trial);
      return await applyPatch(config, bytesOf(patch), "of the trial", request);
    },
    end: async (store, taken = new Set()) => {
      try {
        return await resultOf(trial, placesFor(config, named, store), named !== undefined, taken);
      } finally {
        trial.remove();
      }
    },
    drop: trial.remove,
  };
}

async function changesOf(trial: OpenTrial): Promise<TrialChanges> {
  try {
    return await trial.changes();
  } catch (error) {
    throw new UserError({
      what: "There is no patch of the trial",
      why: messageOf(error),
      fix: `Look at ${trial.folder}, which stays until the session ends`,
      exitCode: 1,
    });
  }
}

/** Where the patch of a trial can be written. */
interface PatchPlace {
  readonly path: string;
  readonly write: (patch: Uint8Array) => void;
}

function placesFor(config: Config, named: NamedFile | undefined, store: SessionStore): readonly PatchPlace[] {
  const kept = newPatchPath(store.path);
  return [
    ...(named ? [{ path: named.real, write: (patch: Uint8Array) => namedFilesOf(config).replace(named, patch) }] : []),
    ...(kept === undefined ? [] : [{ path: kept, write: (patch: Uint8Array) => replaceKept(config, kept, patch) }]),
  ];
}

function replaceKept(config: Config, path: string, patch: Uint8Array): void {
  const files = sessionFiles(config, path);
  files.replace(files.find(path, { access: "write", typed: true }), patch);
}

async function resultOf(
  trial: OpenTrial,
  places: readonly PatchPlace[],
  isNamed: boolean,
  taken: ReadonlySet<string>,
): Promise<TrialResult> {
  const { cost } = trial;
  let changes: TrialChanges;
  try {
    changes = await trial.changes(taken);
  } catch (error) {
    return { files: [], leftOut: [], cost, why: messageOf(error) };
  }
  const { files, leftOut, patch } = changes;
  const result = { files, leftOut, cost };
  if (files.length === 0 && (!isNamed || taken.size > 0)) return result;
  let why: string | undefined;
  // Rather in another place than not at all.
  for (const { path, write } of places) {
    try {
      write(bytesOf(patch));
      return { ...result, patch: path, ...(why === undefined ? {} : { why }) };
    } catch (error) {
      why ??= `${path} cannot be written: ${messageOf(error)}`;
    }
  }
  return { ...result, why: why ?? "the session is not kept, and --patch names no file" };
}

/** Where `--patch` writes. Throws UserError if nothing can be written there, or if a link leads out of the workspace. */
function patchFile(config: Config, name: string): NamedFile {
  const files = namedFilesOf(config);
  const file = files.find(resolve(config.world.cwd, name), { access: "write", typed: true });
  const there = files.status(file);
  const why = !isFolder(dirname(file.real))
    ? `there is no folder ${dirname(file.real)}`
    : there && !there.isFile
    ? "it is not a file"
    : undefined;
  if (why === undefined) return file;
  throw new UserError({
    what: `Cannot write "${file.path}"`,
    why,
    fix: "Name a file after --patch that can be written",
  });
}
