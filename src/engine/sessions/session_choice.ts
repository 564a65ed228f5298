import { join, resolve } from "@std/path";
import { UserError } from "../../core/error.ts";
import type { SessionContext, SessionStore } from "../../core/session.ts";
import { buildContext } from "../../session/context.ts";
import { allSessionFolders, sessionsFolder, SUB_SESSIONS } from "../../session/folder.ts";
import { forkSession } from "../../session/fork.ts";
import { readHeader } from "../../session/header.ts";
import { findSession, newestSession } from "../../session/list.ts";
import { loadSession } from "../../session/load.ts";
import { createSession, memorySession, openSession } from "../../session/store.ts";
import type { Config } from "../../config/config.ts";
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
 * The session that the command line asks for: a new one, the newest (`-c`), a named one (`-r`), a copy (`--fork`).
 *
 * Throws UserError when it cannot be had. A new session whose file cannot be kept lives in memory, with a notice.
 */
export function chooseSession(config: Config, tell: Tell): SessionStore {
  const { values } = config.invocation;
  const places = sessionPlaces(config);
  const asked = (["continue", "resume", "fork"] as const).filter((name) => values[name] !== undefined);
  if (asked.length > 1 || (asked.length > 0 && values["no-session"])) throw conflict([...asked, "no-session"]);
  if (values["continue"]) return continueNewest(config, places, tell);
  if (typeof values["resume"] === "string") return resumeSession(values["resume"], config, tell);
  if (typeof values["fork"] === "string") {
    const path = sessionFile(config, values["fork"]);
    return forkSession(path, { folder: places.folder, cwd: config.root }, storeOptions(tell));
  }
  return newSession(config, tell);
}

/** A fresh session of the workspace, and the file of the one that it comes from. */
export function newSession(config: Config, tell: Tell, parentSession?: string): SessionStore {
  const { folder } = sessionPlaces(config);
  const session = { cwd: config.root, ...(parentSession === undefined ? {} : { parentSession }) };
  if (folder !== undefined && mayHost({ name: "write", path: folder })) {
    return createSession({ ...session, folder }, storeOptions(tell));
  }
  if (!config.invocation.values["no-session"]) {
    tell("this session is not kept: there is no folder that may be written; --session-dir DIR names one");
  }
  return memorySession(session, storeOptions(tell));
}

/** A session by path, id, the beginning of one, or `latest`. Throws UserError for one of another workspace. */
export function resumeSession(which: string, config: Config, tell: Tell): SessionStore {
  const path = resumable(which, config);
  const { folder } = sessionPlaces(config);
  return openSession(path, { ...storeOptions(tell), ...(folder ? { folder } : {}) });
}

/**
 * The file of a session that belongs here, by path, id, the beginning of one, or `latest`. Only reads its first line.
 *
 * Throws UserError as `resumeSession` does, but for what only opening it shows.
 */
export function resumable(which: string, config: Config): string {
  const path = sessionFile(config, which);
  const { header: { id, cwd } } = readHeader(path);
  if (cwd === config.root) return path;
  throw new UserError({
    what: `Cannot resume session ${id} here`,
    why: `it belongs to ${cwd}, and this workspace is ${config.root}`,
    fix: `Run it there with -C ${cwd}, or take a copy of it here with --fork ${id}`,
  });
}

/** The model that the session used last which the command line asks for; undefined for a new one. Only reads. */
export function keptModel(config: Config): SessionContext["model"] {
  const { values } = config.invocation;
  const places = sessionPlaces(config);
  const asked = values["resume"] ?? values["fork"];
  const path = typeof asked === "string"
    ? sessionFile(config, asked)
    : values["continue"] && places.folder !== undefined
    ? newestSession(places.folder, config.root)
    : undefined;
  return path === undefined ? undefined : buildContext(loadSession(path).entries).model;
}

/** What every store needs of the world. */
export function storeOptions(tell: Tell) {
  return {
    now: Date.now,
    random: Math.random,
    onFailure: (failure: UserError) => tell(`${failure.message}. ${failure.fix}`),
    onNotice: tell,
  };
}

function continueNewest(config: Config, { folder }: SessionPlaces, tell: Tell): SessionStore {
  const path = folder === undefined ? undefined : newestSession(folder, config.root);
  if (path !== undefined) return openSession(path, storeOptions(tell));
  tell("there is no session of this workspace to continue: this is a new one");
  return newSession(config, tell);
}

/**
 * The file of the session that a word names: an id, the beginning of one, a path, or `latest` of this workspace. Absolute.
 *
 * Throws UserError when there is none, or more than one.
 */
export function sessionFile(config: Config, word: string): string {
  const { folder, all } = sessionPlaces(config);
  if (word !== "latest") return resolve(config.world.cwd, findSession(all, word));
  for (const place of folder === undefined ? workspaceFolders(config) : [folder]) {
    const path = newestSession(place, config.root);
    if (path !== undefined) return path;
  }
  throw new UserError({
    what: "Cannot find the latest session",
    why: `none was kept of this workspace, ${config.root}`,
    fix: "See those of other workspaces: sandpiper sessions --all",
  });
}

/** Where sessions of this workspace are, this program's own and those that it finds in the user's folder. */
export function workspaceFolders({ stateFolder, userFolder, root, invocation: { values } }: Config): readonly string[] {
  if (values["no-session"]) return [];
  const homes = [stateFolder, userFolder].filter((home) => home !== undefined);
  return [...new Set(homes)].map((home) => sessionsFolder(home, root));
}

function conflict(names: readonly string[]): UserError {
  return new UserError({
    what: "The session options do not go together",
    why: `${names.slice(0, 2).map((name) => `--${name}`).join(" and ")} ask for different sessions`,
    fix: "Use one of --continue, --resume ID, --fork ID, --no-session",
  });
}

/** A session of a sub-agent: beside those of people, in a folder of its own, and kept where its parent's is. */
export function subSession(config: Config, parent: SessionStore, tell: Tell): SessionStore {
  const { folder } = sessionPlaces(config);
  const session = { cwd: config.root, ...(parent.path === undefined ? {} : { parentSession: parent.path }) };
  const place = folder === undefined ? undefined : join(folder, SUB_SESSIONS);
  if (place === undefined || parent.path === undefined || !mayHost({ name: "write", path: place })) {
    return memorySession(session, storeOptions(tell));
  }
  return createSession({ ...session, folder: place }, storeOptions(tell));
}
