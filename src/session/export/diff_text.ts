import { digest, sectionText } from "./audit_text.ts";
import type { RoundView } from "./audit_view.ts";
import { diffManifests, type SectionChange } from "./manifest_diff.ts";
import { oneLine, utc } from "../view/visible_text.ts";

/** What differs between the prompts of two requests, as text for a terminal (R354). */
export function* diffText(before: RoundView, after: RoundView): Generator<string> {
  yield `from ${place(before)}\nto   ${place(after)}\n\n`;
  const { sections, isReordered, tools, fields } = diffManifests(before.manifest, after.manifest);
  for (const half of ["stable", "dynamic", "full"] as const) {
    const [old, now] = [before.manifest.fingerprints[half], after.manifest.fingerprints[half]];
    yield row(half, old === now ? `same (${digest(now)})` : `${digest(old)} -> ${digest(now)}`);
  }
  const [old, now] = [before.manifest.tools.fingerprint, after.manifest.tools.fingerprint];
  yield row("tools", old === now ? `same (${digest(now)})` : `${digest(old)} -> ${digest(now)}`);
  for (const name of tools.added) yield row("", `+ ${name}`);
  for (const name of tools.removed) yield row("", `- ${name}`);
  yield row("sections", sections.length > 0 ? "" : isReordered ? "the same in another order" : "same");
  for (const change of sections) for (const line of sectionLines(change)) yield row("", line);
  if (sections.length > 0 && isReordered) yield row("", "the others in another order");
  for (const { field, before: was, after: is } of fields) yield row(field, `${was ?? "(none)"} -> ${is ?? "(none)"}`);
}

function place({ number, turn, entryId, timestamp, manifest }: RoundView): string {
  return `round ${number} (turn ${turn}, ${oneLine(entryId, 40)}, ${utc(timestamp)}, ${oneLine(manifest.trigger, 40)})`;
}

function sectionLines({ before, after }: SectionChange): readonly string[] {
  if (before === undefined) return after === undefined ? [] : [`+ ${sectionText(after)}`];
  if (after === undefined) return [`- ${sectionText(before)}`];
  const known = new Set(before.sources.map((source) => JSON.stringify(source)));
  const others = after.sources.filter((source) => !known.has(JSON.stringify(source)));
  return [
    `~ ${sectionText(before)}`,
    `  ${sectionText(after)}`,
    ...others.map(({ kind, ref, status, reason }) => `    ${kind} ${ref}: ${reason ?? status}`),
  ];
}

function row(name: string, value: string): string {
  return `${oneLine(name, 60).padEnd(9)} ${value.startsWith(" ") ? value : oneLine(value, 600)}`.trimEnd() + "\n";
}
