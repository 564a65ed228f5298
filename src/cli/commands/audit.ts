import { counted, visibleJson } from "../../core/support/text.ts";
import { join } from "@std/path";
import { messageOf, UserError } from "../../core/error.ts";
import { auditText } from "../../session/export/audit_text.ts";
import { type AuditView, ofTurn, type RoundView, viewAudit } from "../../session/export/audit_view.ts";
import { diffText } from "../../session/export/diff_text.ts";
import { diffManifests } from "../../session/export/manifest_diff.ts";
import { auditedSessions, type AuditRead, readAudit } from "../../session/export/read_audit.ts";
import { oneLine } from "../../session/view/visible_text.ts";
import { loadSession } from "../../session/load.ts";
import { warn, write } from "./sessions.ts";
import { isObject } from "../../core/json.ts";
import { type Config, configure } from "../../config/config.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { sessionFile } from "../../engine/sessions/resumed_session.ts";
import { readWorld } from "../../config/host_environment.ts";

/** A session as the audit has it; without `cwd` it was not kept, and only its tool calls are known. */
interface Audited extends AuditView {
  readonly session: string;
  readonly cwd?: string;
}

/** `sandpiper audit`: what each request was made from and what each tool call came to; digests and sizes, never text. */
export function auditCommand(invocation: Invocation): number {
  const { values, words } = invocation;
  const [word, ...refs] = words;
  const isDiff = Boolean(values["diff"]);
  if (word === undefined || refs.length !== (isDiff ? 2 : 0)) throw misuse(words);
  const config = configure(invocation, readWorld());
  const audited = read(config, word);
  if (isDiff) {
    const [before, after] = refs.map((ref) => pick(audited.rounds, ref));
    if (before === undefined || after === undefined) throw misuse(words);
    return write(values["json"] ? [diffJson(before, after)] : diffText(before, after));
  }
  const { session, cwd } = audited;
  const view = typeof values["turn"] === "number" ? turnOf(audited, values["turn"]) : audited;
  if (values["json"]) {
    return write([visibleJson({ session, ...(cwd ? { cwd } : {}), rounds: view.rounds, calls: view.calls }, 2), "\n"]);
  }
  return write(withHead(session, cwd, packsIn(view.rounds), auditText(view, audited.rounds)));
}

function* withHead(
  session: string,
  cwd: string | undefined,
  packs: readonly string[],
  pieces: Iterable<string>,
): Generator<string> {
  yield `session    ${oneLine(session, 128)}\n`;
  yield `workspace  ${cwd === undefined ? "the session was not kept" : oneLine(cwd, 1000)}\n`;
  for (const pack of packs) yield `pack       ${oneLine(pack, 200)}\n`;
  yield* pieces;
}

/** What was packed into the programs that sent the requests; one that is gone on with may have had several. */
function packsIn(rounds: readonly RoundView[]): readonly string[] {
  const packs = rounds.flatMap(({ manifest: { policy: { pack } } }) => isObject(pack) ? [pack] : []);
  return [...new Set(packs.map(({ name, fingerprint }) => `${name}, fingerprint ${fingerprint}`))];
}

function read(config: Config, word: string): Audited {
  let path: string;
  try {
    path = sessionFile(config, word);
  } catch (error) {
    const [id, ...more] = word === "" ? [] : auditedSessions(auditFolder(config), word);
    if (id === undefined || more.length > 0) throw error;
    return { session: id, ...viewAudit([], readCalls(config, id)) };
  }
  const { header, entries, notices } = loadSession(path);
  for (const notice of notices) warn(config, notice);
  return { session: header.id, cwd: header.cwd, ...viewAudit(entries, readCalls(config, header.id)) };
}

/** What cannot be read is told and does not keep the rest back. */
function readCalls(config: Config, session: string): AuditRead["calls"] {
  try {
    const { calls, damaged } = readAudit(auditFolder(config), session);
    if (damaged > 0) warn(config, `${counted(damaged, "line")} of the audit cannot be read; left out`);
    return calls;
  } catch (error) {
    warn(config, `the tool calls cannot be read: ${messageOf(error)}`);
    return [];
  }
}

function auditFolder({ auditFolder, userFolder }: Config): string {
  return auditFolder ?? join(userFolder ?? "/nonexistent", "audit");
}

function turnOf(view: AuditView, turn: number): AuditView {
  const found = ofTurn(view, turn);
  if (found !== undefined) return found;
  const last = view.rounds.at(-1)?.turn ?? 0;
  throw new UserError({
    what: `There is no turn ${turn}`,
    why: last === 0 ? "no request of this session was kept" : `the session has turns 1 to ${last}`,
    fix: "Leave --turn out to see them all",
  });
}

/** A request by its number in the list, or by the beginning of its manifest's entry. */
function pick(rounds: readonly RoundView[], ref: string): RoundView {
  const numbered = /^\d+$/.test(ref) ? rounds[Number(ref) - 1] : undefined;
  const found = numbered ? [numbered] : rounds.filter(({ entryId }) => entryId.startsWith(ref));
  if (found.length === 1 && found[0]) return found[0];
  throw new UserError({
    what: `Cannot find round "${ref}"`,
    why: found.length > 1 ? `${found.length} entries begin with it` : `the session has rounds 1 to ${rounds.length}`,
    fix: "Take a number or an entry from the list: sandpiper audit ID",
  });
}

function diffJson(before: RoundView, after: RoundView): string {
  const place = ({ number, turn, entryId, timestamp, manifest: { fingerprints } }: RoundView) => {
    return { number, turn, entryId, timestamp, fingerprints };
  };
  const diff = diffManifests(before.manifest, after.manifest);
  return visibleJson({ before: place(before), after: place(after), ...diff }, 2) + "\n";
}

function misuse(words: readonly string[]): UserError {
  return new UserError({
    what: words.length === 0 ? "No session is named" : `Cannot audit "${words.join(" ")}"`,
    why: "one session is wanted, and with --diff two rounds of it",
    fix: "Write sandpiper audit ID, or sandpiper audit ID --diff 1 2; ID may be latest",
  });
}
