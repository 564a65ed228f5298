import { join, resolve } from "@std/path";
import type { UserError } from "../../core/error.ts";
import type { SessionStore } from "../../core/session.ts";
import { allSessionFolders, sessionsFolder, SUB_SESSIONS } from "../../session/folder.ts";
import { removeLeftLocks } from "../../session/lock.ts";
import { createSession, memorySession } from "../../session/store.ts";
import type { Config } from "../../config/config.ts";
import { namedFilesOf } from "../../config/named_files.ts";
import type { NamedFiles } from "../../core/named_files.ts";
import { isInside } from "../../core/policy.ts";
import { attempt } from "../../core/support/attempt.ts";
import { untouchedFiles } from "../../sandbox/names/named_files.ts";
import { mayHost } from "../../config/host_permissions.ts";

/** Where sessions of a workspace are kept, and where others are looked for. */
export interface SessionPlaces {
  /** Undefined: nothing is kept. */
  readonly folder: string | undefined;
  readonly all: readonly string[];
}

/** What a session tells while it is opened and later, one sentence each. */
export type Tell = (notice: string) => void;

/** The places of a session's files: `--session-dir`, else the user's folder; none with `--no-session` (R333, R334). */
export function sessionPlaces({ invocation: { values }, root, stateFolder, userFolder, world }: Config): SessionPlaces {
  if (values["no-session"]) return { folder: undefined, all: [] };
  const named = values["session-dir"];
  if (typeof named === "string") {
    const folder = resolve(world.cwd, named);
    return { folder, all: [folder] };
  }
  const homes = [...new Set([stateFolder, userFolder].filter((path) => path !== undefined))];
  const folder = stateFolder === undefined ? undefined : sessionsFolder(stateFolder, root);
  return { folder, all: homes.flatMap(allSessionFolders) };
}

/**
 * A fresh session of the workspace, and the file of the one that it comes from. One whose file cannot be kept lives in memory,
 * with a notice.
 */
export function newSession(config: Config, tell: Tell, parentSession?: string): SessionStore {
  const { folder } = sessionPlaces(config);
  const session = { cwd: config.root, ...(parentSession === undefined ? {} : { parentSession }) };
  if (folder !== undefined && mayHost({ name: "write", path: folder })) {
    return createSession({ ...session, folder }, storeOptions(config, tell, folder));
  }
  if (!config.invocation.values["no-session"]) {
    tell("this session is not kept: there is no folder that may be written; --session-dir DIR names one");
  }
  return memorySession(session, storeOptions(config, tell));
}

/** What every store needs of the world. `paths`: files and directories of sessions that it opens. */
export function storeOptions(config: Config, tell: Tell, ...paths: readonly string[]) {
  return {
    files: sessionFiles(config, ...paths),
    now: Date.now,
    random: Math.random,
    onFailure: (failure: UserError) => tell(`${failure.message}. ${failure.fix}`),
    onNotice: tell,
  };
}

/** What opens files of sessions: tools can write to a directory that the user names, but never to the user's own. */
export function sessionFiles(config: Config, ...paths: readonly string[]): NamedFiles {
  const own = [config.stateFolder, config.userFolder].filter((folder) => folder !== undefined);
  return paths.every((path) => own.some((folder) => isInside(path, folder))) ? untouchedFiles : namedFilesOf(config);
}

/** Where sessions of this workspace are, this program's own and those that it finds in the user's folder. */
export function workspaceFolders({ stateFolder, userFolder, root, invocation: { values } }: Config): readonly string[] {
  if (values["no-session"]) return [];
  const homes = [stateFolder, userFolder].filter((home) => home !== undefined);
  return [...new Set(homes)].map((home) => sessionsFolder(home, root));
}

/** A session of a sub-agent: beside those of people, in a folder of its own, and kept where its parent's is. */
export function subSession(config: Config, parent: SessionStore, tell: Tell): SessionStore {
  const { folder } = sessionPlaces(config);
  const session = { cwd: config.root, ...(parent.path === undefined ? {} : { parentSession: parent.path }) };
  const place = folder === undefined ? undefined : join(folder, SUB_SESSIONS);
  if (place === undefined || parent.path === undefined || !mayHost({ name: "write", path: place })) {
    return memorySession(session, storeOptions(config, tell));
  }
  return createSession({ ...session, folder: place }, storeOptions(config, tell, place));
}

/** Removes what killed processes left of locks in the directories of this workspace's sessions. Never throws. */
export function removeSessionLocks(config: Config): void {
  const { folder } = sessionPlaces(config);
  if (folder === undefined || !mayHost({ name: "write", path: folder })) return;
  // Nothing was kept yet, or no sub-agent was started.
  for (const place of [folder, join(folder, SUB_SESSIONS)]) {
    attempt(() => removeLeftLocks(place, sessionFiles(config, place)));
  }
}
