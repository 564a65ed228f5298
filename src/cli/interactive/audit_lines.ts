import { readAudit } from "../../session/export/read_audit.ts";

/** The tool calls of a session, a line each; none where nothing was audited. */
export function auditLines(folder: string | undefined, session: string): readonly string[] {
  if (folder === undefined) return [];
  return readAudit(folder, session).calls.map(({ time, tool, decision, outcome, durationMs, waitedMs }) =>
    `${time.slice(11, 19)}  ${tool}  ${decision}  ${outcome}  ${Math.round(durationMs)} ms` +
    (waitedMs === undefined ? "" : `, ${Math.round(waitedMs)} ms for an answer`)
  );
}
