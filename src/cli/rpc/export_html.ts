import type { SessionStore } from "../../core/session.ts";
import { viewSession } from "../../session/export/view.ts";
import { writeNew } from "../../session/export/write_new.ts";
import { meterOf } from "../engine/totals.ts";

/** Writes the conversation at hand as a page. Throws UserError when the file exists or cannot be written. */
export async function exportHtml(store: SessionStore, path: string): Promise<void> {
  const { htmlPieces } = await import("../../session/export/html.ts");
  const all = store.entries();
  // A file's leaf is its last entry; somebody who went back in the tree sees what is before them.
  const entries = store.leaf() === all.at(-1)?.id ? all : store.pathTo();
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  writeNew(path, htmlPieces(viewSession({ header: store.header, entries, byId }, meterOf(all).sums(), false)));
}
