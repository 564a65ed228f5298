// What a person does to sessions that are kept and not open: to delete one, to name it.
import { basename, dirname, join } from "@std/path";
import { UserError } from "../../core/error.ts";
import { attempt, ifThere } from "../../core/support/attempt.ts";
import type { Config } from "../../config/config.ts";
import { SUB_SESSIONS } from "../../session/folder.ts";
import { readHeader } from "../../session/header.ts";
import { isSessionId } from "../../session/identifiers.ts";
import { lockSession, type SessionLock } from "../../session/lock.ts";
import { openSession } from "../../session/reopen.ts";
import { checkpointsFolder } from "./checkpoint_place.ts";
import { patchesOf } from "./patch_place.ts";
import { sessionFiles, sessionPlaces, storeOptions, type Tell } from "./session_choice.ts";
import { sessionFile } from "./resumed_session.ts";

/**
 * Deletes a session: its file, its audit, what undo kept of it, the patches of its trials, and the same of its sub-agents.
 * Gives its id.
 *
 * Throws UserError for one that is not among the kept sessions, and where it or that of a sub-agent is open: nothing is
 * deleted then.
 */
export function deleteSession(config: Config, which: string): string {
  const path = sessionFile(config, which);
  const { header: { id } } = readHeader(path);
  const real = Deno.realPathSync(path);
  const places = sessionPlaces(config).all.flatMap(existing);
  const folder = dirname(real);
  const isSub = !places.includes(folder);
  if (isSub && !(basename(folder) === SUB_SESSIONS && places.includes(dirname(folder)))) {
    throw new UserError({
      what: `Cannot delete the session ${id}`,
      why: `${path} is not in a folder of sessions`,
      fix: "Remove the file itself",
    });
  }
  const beside = isSub ? folder : join(folder, SUB_SESSIONS);
  // What belongs to it goes first: were this to end here, the session would still be listed and could be deleted.
  const all = [...subSessionsOf(real, beside).reverse(), { path: real, id }];
  const files = sessionFiles(config, real);
  const remove = (path: string): void =>
    files.remove(files.find(path, { access: "write", typed: true, follow: false }));
  const locks: SessionLock[] = [];
  try {
    for (const one of all) locks.push(lockSession(one.path, Date.now(), files));
    for (const one of all) {
      for (const record of recordsOf(config, one.id)) {
        ifThere(() => Deno.removeSync(record, { recursive: true }));
      }
      for (const { path } of patchesOf(one.path)) remove(path);
      remove(one.path);
    }
  } finally {
    for (const lock of locks) lock.release();
  }
  return id;
}

/** The sessions that sub-agents of a session began, and those of theirs, each behind the one that it comes from. */
function subSessionsOf(parent: string, folder: string): { readonly path: string; readonly id: string }[] {
  const all = filesIn(folder).flatMap((path) => {
    const { id, parentSession } = attempt(() => readHeader(path).header) ?? {}; // one that nobody can read belongs to nobody
    return id === undefined || parentSession === undefined
      ? []
      : existing(parentSession).map((of) => ({ path, id, of }));
  });
  const found: { readonly path: string; readonly id: string }[] = [];
  const parents = [parent];
  const seen = new Set(parents);
  for (const one of parents) {
    for (const { path, id, of } of all) {
      if (of !== one || seen.has(path)) continue;
      seen.add(path);
      found.push({ path, id });
      parents.push(path);
    }
  }
  return found;
}

function filesIn(folder: string): string[] {
  return existing(folder).flatMap((real) => {
    const entries = attempt(() => [...Deno.readDirSync(real)]) ?? [];
    return entries.flatMap(({ name, isFile }) => isFile && name.endsWith(".jsonl") ? [join(real, name)] : []);
  });
}

/**
 * Gives a session that is not open a name. Throws UserError for one that is open, and for one of an older format, whose
 * file nobody changes.
 */
export function renameSession(config: Config, which: string, name: string, tell: Tell): void {
  const path = sessionFile(config, which);
  const { header: { id }, version } = readHeader(path);
  const given = name.trim();
  if (given === "" || version < 3) {
    throw new UserError({
      what: `Cannot name the session ${id}`,
      why: given === "" ? "the name is empty" : `its file has format ${version} and stays as it is`,
      fix: given === "" ? "Give it one or more words" : `Go on with it, which makes a new file: sandpiper -r ${id}`,
    });
  }
  let failure: UserError | undefined;
  const { mtime } = Deno.statSync(path);
  const store = openSession(path, {
    ...storeOptions(config, tell, path),
    onFailure: (error) => void (failure ??= error),
  });
  try {
    store.append({ type: "session_info", name: given });
    store.sync();
  } finally {
    store.close();
  }
  if (failure) throw failure;
  // Nothing was said in it: in lists, and for --continue, it stays where it was.
  if (mtime !== null) Deno.utimeSync(path, new Date(), mtime);
}

/** What else is kept under a session's id. */
function recordsOf(config: Config, id: string): readonly string[] {
  if (!isSessionId(id)) return []; // it could lead elsewhere
  const checkpoints = checkpointsFolder(config);
  return [
    ...(config.auditFolder === undefined ? [] : [join(config.auditFolder, `${id}.jsonl`)]),
    ...(checkpoints === undefined ? [] : [join(checkpoints, id)]),
  ];
}

function existing(folder: string): string[] {
  return attempt(() => [Deno.realPathSync(folder)]) ?? [];
}
