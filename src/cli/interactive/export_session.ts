import { join, resolve } from "@std/path";
import { UserError } from "../../core/error.ts";
import type { NamedFiles } from "../../core/named_files.ts";
import type { SessionStore } from "../../core/session.ts";
import { isThere } from "../../core/support/on_disk.ts";
import { jsonlPieces } from "../../session/export/jsonl.ts";
import { markdownPieces } from "../../session/export/markdown.ts";
import { viewSession } from "../../session/view/view.ts";
import { writeNew } from "../../session/export/write_new.ts";
import { meterOf } from "../../engine/conversation.ts";

/** Writes an open session to a new file, in the form that its name's end says; its path. Throws UserError. */
export async function exportSession(
  files: NamedFiles,
  store: SessionStore,
  path: string | undefined,
  cwd: string,
): Promise<string> {
  const file = path === undefined ? freeName(cwd, `session-${store.header.id.slice(0, 8)}`) : resolve(cwd, path);
  const entries = store.entries();
  const session = { header: store.header, entries, byId: new Map(entries.map((entry) => [entry.id, entry])) };
  const form = /\.(html|md|jsonl)$/.exec(file)?.[1];
  if (form === undefined) {
    throw new UserError({
      what: `Cannot write the session to ${file}`,
      why: "the end of its name does not say in which form",
      fix: "Name a file that ends with .html, .md or .jsonl",
    });
  }
  writeNew(files, file, await sessionPieces(session, form, false));
  return file;
}

/** A session in one of the forms in which it is exported; a page unless `form` is `jsonl` or `md`. */
export async function sessionPieces(
  session: Parameters<typeof viewSession>[0],
  form: unknown,
  allBranches: boolean,
): Promise<Iterable<string>> {
  if (form === "jsonl") return jsonlPieces(session, allBranches, { now: Date.now, random: Math.random });
  const view = viewSession(session, meterOf(session.entries).sums(), allBranches);
  return form === "md" ? markdownPieces(view) : (await import("../../session/html/html.ts")).htmlPieces(view);
}

/** A name that nobody has: an earlier export is not written over. */
function freeName(folder: string, name: string): string {
  for (let at = 1; at < 1000; at++) {
    const file = join(folder, `${name}${at === 1 ? "" : `-${at}`}.html`);
    if (!isThere(file)) return file;
  }
  return join(folder, `${name}.html`);
}
