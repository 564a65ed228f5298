import { basename, join, resolve } from "@std/path";
import { UserError } from "../../core/error.ts";
import { counted, stripControls, visibleJson } from "../../core/support/text.ts";
import { listLines } from "../../session/export/list_text.ts";
import { textPieces } from "../../session/export/text.ts";
import { treeLines } from "../../session/export/tree_text.ts";
import { viewSession } from "../../session/view/view.ts";
import { oneLine } from "../../session/view/visible_text.ts";
import { type OnSpoilt, type SessionSummary, summarize } from "../../session/summary.ts";
import { batched, writeNew } from "../../session/export/write_new.ts";
import { importSession } from "../../session/import.ts";
import { listSessions } from "../../session/list.ts";
import { searchSession } from "../../session/search.ts";
import { type LoadedSession, loadSession } from "../../session/load.ts";
import { labelsOf, sessionName } from "../../session/tree.ts";
import { type Config, configure } from "../../config/config.ts";
import { meterOf } from "../../engine/conversation.ts";
import { sessionPieces } from "../interactive/export_session.ts";
import { askYes } from "../output/ask_line.ts";
import { writeAll } from "../output/write_all.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { deleteSession, renameSession } from "../../engine/sessions/kept_sessions.ts";
import { sessionFiles, sessionPlaces, workspaceFolders } from "../../engine/sessions/session_choice.ts";
import { sessionFile } from "../../engine/sessions/resumed_session.ts";
import { namedFilesOf } from "../../config/named_files.ts";
import { makeDirectories } from "../../core/named_files.ts";
import { readWorld } from "../../config/host_environment.ts";

/**
 * `sandpiper sessions`: lists, searches, shows and exports sessions, for which nothing is locked; imports, names and deletes
 * them.
 */
export async function sessionsCommand(invocation: Invocation): Promise<number> {
  const [what = "list", ...rest] = invocation.words;
  const config = configure(invocation, readWorld());
  const [one, ...more] = rest;
  if (what === "list" && one === undefined) return list(config);
  if (what === "search" && one !== undefined) return search(config, rest.join(" "));
  if (what === "rename" && one !== undefined && more.length > 0) {
    renameSession(config, one, more.join(" "), (notice) => warn(config, notice));
    return 0;
  }
  if (what === "delete" && (one !== undefined || invocation.values["older-than"] !== undefined)) {
    return confirmedDelete(config, rest);
  }
  if (what === "export" && one === undefined && typeof invocation.values["output"] === "string") {
    return await exportAll(config, resolve(config.world.cwd, invocation.values["output"]));
  }
  if (one === undefined || more.length > 0) throw misuse(invocation.words);
  switch (what) {
    case "show":
      return write(show(config, load(config, one)));
    case "tree":
      return write(tree(config, load(config, one)));
    case "export":
      return await exportSession(config, load(config, one));
    case "import":
      return importFile(config, one);
    default:
      throw misuse(invocation.words);
  }
}

/** Writes pieces to standard output; a reader that goes away ends it. */
export function write(pieces: Iterable<string>): number {
  for (const piece of batched(pieces)) if (!writeAll(Deno.stdout, piece)) break;
  return 0;
}

/** Reads a session's file and tells what of it could not be read. */
function load(config: Config, word: string): LoadedSession {
  const session = loadSession(sessionFile(config, word));
  for (const notice of session.notices) warn(config, notice);
  return session;
}

/** Tells something on standard error, unless the user wants it quiet. */
export function warn({ invocation }: Config, notice: string): void {
  if (!invocation.values["quiet"]) writeAll(Deno.stderr, stripControls(`warning: ${notice}\n`));
}

/** Lists sessions; 1 where none was found and a folder of them cannot be looked into, so that there may be some. */
function list(config: Config): number {
  const { values } = config.invocation;
  const all = Boolean(values["all"]);
  const unseen: string[] = [];
  const sessions = listed(config, (folder) => unseen.push(folder));
  const isUnknown = sessions.length === 0 && unseen.length > 0;
  write([
    values["json"]
      ? visibleJson(sessions, 2) + "\n"
      : sessions.length > 0
      ? listLines(sessions, all)
      : isUnknown
      ? `Whether there are sessions is not known: ${closedText(unseen)}\n`
      : all
      ? "No sessions\n"
      : "No sessions of this workspace; --all shows those of others\n",
  ]);
  return isUnknown ? 1 : 0;
}

/** This workspace's sessions, or with `--all` everybody's; the one that was written last first. */
function listed(config: Config, onUnseen: (folder: string) => void = () => {}): readonly SessionSummary[] {
  const { values } = config.invocation;
  const all = Boolean(values["all"]);
  const { all: everywhere } = sessionPlaces(config);
  const folders = all || typeof values["session-dir"] === "string" ? everywhere : workspaceFolders(config);
  const spoilt = (folder: string): OnSpoilt => (why, path) => {
    warn(config, why);
    if (path === folder) onUnseen(folder);
  };
  return [...new Set(folders)].flatMap((folder) => listSessions(folder, spoilt(folder)))
    .filter(({ cwd }) => all || cwd === config.root)
    .sort((a, b) => b.modified.getTime() - a.modified.getTime());
}

/** Sessions in which a text was said, each with the newest place; 1 where there is none. */
function search(config: Config, text: string): number {
  const { values } = config.invocation;
  const all = Boolean(values["all"]);
  const unseen: string[] = [];
  const found = listed(config, (folder) => unseen.push(folder)).flatMap((session) => {
    const matches = searchSession(session.path, text);
    return matches ? [{ ...session, ...matches }] : [];
  });
  if (values["json"]) return write([visibleJson(found, 2), "\n"]);
  if (found.length === 0) {
    const none = all ? "In no session" : "In no session of this workspace; --all searches those of others";
    write([unseen.length > 0 ? `In no session that can be looked into: ${closedText(unseen)}\n` : `${none}\n`]);
    return 1;
  }
  const lines = listLines(found, all).trimEnd().split("\n");
  return write(found.flatMap(({ newest: { by, excerpt }, count }, at) => {
    const others = count > 1 ? ` (${count} places)` : "";
    return [`${lines[at]}\n    ${by}: ${oneLine(excerpt, 200)}${others}\n`];
  }));
}

/** Deletes what `--yes`, or the person at the terminal, says yes to; 1 where one of them could not be deleted. */
function confirmedDelete(config: Config, words: readonly string[]): number {
  const { invocation: { values }, world } = config;
  const named = words.map((word) => chosen(sessionFile(config, word), word));
  const before = values["older-than"];
  const old = typeof before === "number"
    ? listed(config).filter(({ modified }) => modified.getTime() < Date.now() - before).map(({ path, id }) =>
      chosen(path, id)
    )
    : [];
  const all = [...new Map([...named, ...old].map((one) => [one.path, one])).values()];
  if (all.length === 0) return write(["Nothing was deleted: no session is as old\n"]);
  const [first] = all;
  const about = all.length === 1 && first ? `the session ${first.id}` : `${all.length} sessions`;
  if (!values["yes"]) {
    if (!world.stdinIsTerminal) {
      throw new UserError({
        what: `Cannot delete ${about}`,
        why: "nobody is at a terminal to be asked",
        fix: `Say so: sandpiper sessions ${config.invocation.words.join(" ")} --yes`,
      });
    }
    write(all.length > 1 ? all.map(({ line }) => `${line}\n`) : []);
    const asked = all.length === 1 && first ? first.line : about;
    const question = `Delete ${asked}? ${
      all.length === 1 ? "Its" : "Their"
    } audit, what undo kept and sub-agents go, too.`;
    if (!askYes(question)) return write(["Nothing was deleted\n"]);
  }
  let failed = 0;
  for (const { path, title } of all) {
    try {
      write([`Deleted ${oneLine(deleteSession(config, path), 128)}: ${title}\n`]);
    } catch (error) {
      // Of many the others go all the same.
      if (all.length === 1 || !(error instanceof UserError)) throw error;
      failed++;
      writeAll(Deno.stderr, stripControls(`${error.message}\n`));
    }
  }
  return failed > 0 ? 1 : 0;
}

/** A session as a person knows it again. */
function chosen(path: string, word: string): { path: string; id: string; title: string; line: string } {
  const summary = summarize(path);
  const title = oneLine(summary?.name ?? summary?.firstMessage ?? "", 100) || "nothing was said";
  const id = oneLine(summary?.id ?? word, 128);
  return {
    path: Deno.realPathSync(path),
    id,
    title,
    line: `${id}, ${counted(summary?.messageCount ?? 0, "message")}: ${title}`,
  };
}

/** Every session of this workspace, or with `--all` of each, as a new file in a folder; 1 where one could not be written. */
async function exportAll(config: Config, folder: string): Promise<number> {
  const { values } = config.invocation;
  const files = namedFilesOf(config);
  makeDirectories(files, folder, 0o700);
  const format = typeof values["format"] === "string" ? values["format"] : "html";
  let failed = 0;
  const sessions = listed(config);
  for (const { path, id } of sessions) {
    try {
      writeNew(files, join(folder, `${basename(id)}.${format}`), await exported(config, loadSession(path)));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      failed++;
      writeAll(Deno.stderr, stripControls(`${error.message}\n`));
    }
  }
  write([
    `${sessions.length - failed} of ${counted(sessions.length, "session is", "sessions are")} in ${
      oneLine(folder, 400)
    }\n`,
  ]);
  return failed > 0 ? 1 : 0;
}

function closedText(folders: readonly string[]): string {
  return `${folders.map((folder) => oneLine(folder, 400)).join(", ")} cannot be opened`;
}

function show({ invocation: { values } }: Config, session: LoadedSession): Iterable<string> {
  const { header, entries, notices } = session;
  const totals = meterOf(entries).sums();
  if (!values["json"]) return textPieces(viewSession(session, totals, Boolean(values["all-branches"])));
  const name = sessionName(entries);
  const leaf = entries.at(-1)?.id ?? null;
  return [visibleJson({ header, ...(name === undefined ? {} : { name }), leaf, totals, notices, entries }, 2), "\n"];
}

function tree({ invocation: { values } }: Config, { entries }: LoadedSession): Iterable<string> {
  if (!values["json"]) return treeLines(entries);
  const labels = labelsOf(entries);
  const leaf = entries.at(-1)?.id;
  const nodes = entries.map(({ id, parentId, type, timestamp }) => {
    const label = labels.get(id);
    return { id, parentId, type, timestamp, ...(label === undefined ? {} : { label }), isLeaf: id === leaf };
  });
  return [visibleJson(nodes, 2), "\n"];
}

async function exportSession(config: Config, session: LoadedSession): Promise<number> {
  const output = config.invocation.values["output"];
  const pieces = await exported(config, session);
  if (typeof output !== "string") return write(pieces);
  writeNew(namedFilesOf(config), resolve(config.world.cwd, output), pieces);
  return 0;
}

function exported({ invocation: { values } }: Config, session: LoadedSession): Promise<Iterable<string>> {
  return sessionPieces(session, values["format"], Boolean(values["all-branches"]));
}

function importFile(config: Config, file: string): number {
  const { folder } = sessionPlaces(config);
  if (folder === undefined) {
    throw new UserError({
      what: `Cannot import "${file}"`,
      why: "there is no folder of sessions that may be written",
      fix: "Name one: --session-dir DIR",
    });
  }
  const named = namedFilesOf(config).find(resolve(config.world.cwd, file), { access: "read", typed: true });
  const path = importSession(named.real, folder, {
    now: Date.now,
    random: Math.random,
    files: sessionFiles(config, folder),
    onNotice: (notice) => warn(config, notice),
    cwd: config.root,
  });
  return write([stripControls(`${path}\n`)]);
}

function misuse(words: readonly string[]): UserError {
  return new UserError({
    what: `Cannot do "sessions ${words.join(" ")}"`,
    why: "it is none of list, search TEXT, show ID, tree ID, export [ID], import FILE, rename ID NAME, delete ID…",
    fix: "ID is what the list shows, the beginning of an id, a file, or latest: sandpiper sessions show latest",
  });
}
