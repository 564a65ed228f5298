// Sessions that are gone on with. Loaded where the command line, or a person on the way, asks for one.
import { resolve } from "@std/path";
import type { Config } from "../../config/config.ts";
import { namedFilesOf } from "../../config/named_files.ts";
import { UserError } from "../../core/error.ts";
import type { SessionContext, SessionStore } from "../../core/session.ts";
import { buildContext } from "../../session/context.ts";
import { forkSession } from "../../session/fork.ts";
import { readHeader } from "../../session/header.ts";
import { findSession, isPath, newestSession } from "../../session/list.ts";
import { loadSession } from "../../session/load.ts";
import { openSession } from "../../session/reopen.ts";
import {
  newSession,
  type SessionPlaces,
  sessionPlaces,
  storeOptions,
  type Tell,
  workspaceFolders,
} from "./session_choice.ts";

/**
 * The session that the command line asks to go on with: the newest (`-c`), a named one (`-r`), a copy (`--fork`).
 *
 * Throws UserError when it cannot be had. Where there is no newest one it is a new one, with a notice.
 */
export function chooseKept(config: Config, tell: Tell): SessionStore {
  const { values } = config.invocation;
  const places = sessionPlaces(config);
  refuseTwo(config);
  if (values["continue"]) return continueNewest(config, places, tell);
  if (typeof values["resume"] === "string") return resumeSession(values["resume"], config, tell);
  if (typeof values["fork"] === "string") {
    const path = sessionFile(config, values["fork"]);
    return forkSession(path, { folder: places.folder, cwd: config.root }, optionsFor(config, tell, path));
  }
  return newSession(config, tell);
}

/** Throws UserError as `chooseKept` does for a session that cannot be had; opens and writes none. */
export function refuseUnfit(config: Config): void {
  const { resume, fork } = config.invocation.values;
  refuseTwo(config);
  if (typeof resume === "string") loadSession(resumable(resume, config));
  if (typeof fork === "string") loadSession(sessionFile(config, fork));
}

/** Throws UserError for options that ask for different sessions. */
function refuseTwo({ invocation: { values } }: Config): void {
  const asked = (["continue", "resume", "fork"] as const).filter((name) => values[name] !== undefined);
  if (asked.length > 1 || (asked.length > 0 && values["no-session"])) {
    const names = [...asked, "no-session"].slice(0, 2).map((name) => `--${name}`);
    throw new UserError({
      what: "The session options do not go together",
      why: `${names.join(" and ")} ask for different sessions`,
      fix: "Use one of --continue, --resume ID, --fork ID, --no-session",
    });
  }
}

/** A session by path, id, the beginning of one, or `latest`. Throws UserError for one of another workspace. */
export function resumeSession(which: string, config: Config, tell: Tell): SessionStore {
  const path = resumable(which, config);
  const { folder } = sessionPlaces(config);
  return openSession(path, { ...optionsFor(config, tell, path), ...(folder ? { folder } : {}) });
}

/** What the store of a session needs that comes from the file at `path`, and may be written beside it or to another one. */
function optionsFor(config: Config, tell: Tell, path: string) {
  const { folder } = sessionPlaces(config);
  return storeOptions(config, tell, path, ...(folder === undefined ? [] : [folder]));
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

function continueNewest(config: Config, { folder }: SessionPlaces, tell: Tell): SessionStore {
  const path = folder === undefined ? undefined : newestSession(folder, config.root);
  if (path !== undefined) return openSession(path, optionsFor(config, tell, path));
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
  if (word !== "latest") {
    const path = resolve(config.world.cwd, findSession(all, word));
    // A session that is resumed is written, too.
    return isPath(word) ? namedFilesOf(config).find(path, { access: "write", typed: true }).real : path;
  }
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
