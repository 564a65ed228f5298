// What a person does to sessions that are kept and not open: to delete one, to name it.
import { dirname, join } from "@std/path";
import { UserError } from "../../core/error.ts";
import type { Config } from "../../config/config.ts";
import { readHeader } from "../../session/header.ts";
import { isSessionId } from "../../session/identifiers.ts";
import { lockSession } from "../../session/lock.ts";
import { openSession } from "../../session/store.ts";
import { checkpointsFolder } from "./checkpoint_place.ts";
import { sessionFile, sessionPlaces, storeOptions, type Tell } from "./session_choice.ts";

/**
 * Deletes a session: its file, its audit, and what undo kept of it. Gives its id.
 *
 * Throws UserError for one that is not among the kept sessions, and for one that is open.
 */
export function deleteSession(config: Config, which: string): string {
  const path = sessionFile(config, which);
  const { header: { id } } = readHeader(path);
  const real = Deno.realPathSync(path);
  const places = sessionPlaces(config).all.flatMap(existing);
  if (!places.includes(dirname(real))) {
    throw new UserError({
      what: `Cannot delete the session ${id}`,
      why: `${path} is not in a folder of sessions`,
      fix: "Remove the file itself",
    });
  }
  const lock = lockSession(real, Date.now());
  try {
    // What belongs to it goes first: were this to end here, the session would still be listed and could be deleted.
    for (const record of recordsOf(config, id)) removeThere(record);
    Deno.removeSync(real);
  } finally {
    lock.release();
  }
  return id;
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
  const store = openSession(path, { ...storeOptions(tell), onFailure: (error) => void (failure ??= error) });
  try {
    store.append({ type: "session_info", name: given });
    store.sync();
  } finally {
    store.close();
  }
  if (failure) throw failure;
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
  try {
    return [Deno.realPathSync(folder)];
  } catch {
    return [];
  }
}

function removeThere(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
