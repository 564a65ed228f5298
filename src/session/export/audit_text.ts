import { modelName } from "../../core/provider.ts";
import type { Manifest, ManifestSection } from "../../core/compiled_prompt.ts";
import { type AuditView, billOfRounds, type CallView, type RoundView } from "./audit_view.ts";
import { diffManifests } from "./manifest_diff.ts";
import { count } from "../view/facts.ts";
import { lostText } from "../../core/support/lost_text.ts";
import { oneLine, utc } from "../view/visible_text.ts";

/** Characters of a digest that are shown. */
const DIGEST = 12;
/** Characters of one line of skills, less than a row holds: none is cut off. */
const SKILLS_LINE = 500;

/**
 * The requests of a session by turns, then its tool calls, as text for a terminal.
 *
 * The first request is shown whole, the others by what changed in the prompt; `all` is the whole session, for a view of
 * one turn.
 */
export function* auditText({ rounds, calls }: AuditView, all: readonly RoundView[]): Generator<string> {
  const bill = billOfRounds(all);
  let turn = 0;
  for (const [at, round] of rounds.entries()) {
    if (round.turn !== turn) yield `\nturn ${round.turn}\n`;
    turn = round.turn;
    yield roundText(round, all.find(({ number }) => number === round.number - 1), at === 0);
    const lost = bill[all.findIndex(({ number }) => number === round.number)]?.lost;
    if (lost) yield `${row("cache", lostText(lost))}\n`;
  }
  yield `\ntool calls${calls.length === 0 ? ": none" : ""}\n`;
  for (const call of calls) yield callText(call);
}

function roundText(
  { number, entryId, timestamp, manifest, reply }: RoundView,
  before: RoundView | undefined,
  isWhole: boolean,
): string {
  const { fingerprints, profile, trigger, compiler, policy } = manifest;
  const sandbox = typeof policy["sandbox"] === "string" ? `, sandbox ${policy["sandbox"]}` : "";
  const lines = [
    `  round ${number}  ${oneLine(entryId, 40)}  ${utc(timestamp)}  ${changes(manifest, before?.manifest)}`,
    row("mode", `profile ${profile}, trigger ${trigger}${sandbox}, ${compiler}`),
    row(
      "prompt",
      (["stable", "dynamic", "full"] as const).map((half) => `${half} ${digest(fingerprints[half])}`).join(", "),
    ),
    row("history", historyText(manifest)),
    row("tools", `${manifest.tools.names.join(", ") || "none"} (${digest(manifest.tools.fingerprint)})`),
    ...skillRows(manifest),
    ...sectionRows(manifest, before?.manifest, isWhole),
    ...manifest.hooks.map((hook) => row("hook", JSON.stringify(hook))),
    ...noticeRows(manifest, isWhole ? undefined : before?.manifest),
    row("sent to", reply ? replyText(reply) : "no reply was kept"),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** What there was to say of the prompt's sources; of what the request before had, how many. */
function noticeRows({ diagnostics }: Manifest, before: Manifest | undefined): readonly string[] {
  const said = new Set(before?.diagnostics.map(noticeText));
  const fresh = diagnostics.map(noticeText).filter((text) => !said.has(text));
  const rest = diagnostics.length - fresh.length;
  return [
    ...fresh.map((text) => row("notice", text)),
    ...(rest > 0 ? [row("notice", `${rest} as before`)] : []),
  ];
}

/** The file comes before the message: a line is cut at its end. */
function noticeText({ code, file, section, message }: Manifest["diagnostics"][number]): string {
  const about = file ?? section;
  return `${code}: ${about === undefined ? "" : `${about}: `}${message}`;
}

function row(name: string, value: string): string {
  return `    ${name.padEnd(9)}${oneLine(value, 600)}`;
}

/** What is not as in the request before. */
function changes(manifest: Manifest, before: Manifest | undefined): string {
  if (before === undefined) return "first";
  const { halves, tools, fields, sections } = diffManifests(before, manifest);
  const names = new Set([
    ...halves,
    ...(halves.length === 0 && sections.length > 0 ? ["sources"] : []),
    ...(tools.isOther || tools.added.length + tools.removed.length > 0 ? ["tools"] : []),
    // The history grows with every request: only who shortened it, and how, is worth a mark.
    ...fields.filter(({ field }) => !/^history\.(?:messages|tokens)/.test(field)).map(({ field }) =>
      field.split(".", 1)[0]
    ),
  ]);
  return names.size === 0 ? "unchanged" : `changed: ${[...names].join(", ")}`;
}

function historyText({ history }: Manifest): string {
  const { decision, owner, messages, tokensBefore, tokensAfter } = history;
  const numbers = [
    ...(typeof messages === "number" ? [`${count(messages)} messages`] : []),
    ...(typeof tokensBefore === "number" ? [`${count(tokensBefore)} tokens before`] : []),
    ...(typeof tokensAfter === "number" ? [`${count(tokensAfter)} after`] : []),
  ];
  return [decision || "not told", ...(typeof owner === "string" ? [owner] : []), ...numbers].join(", ");
}

/** Skills of the listing by what became of them; those of the turn with the reason why they are in use; those not listed. */
function skillRows({ sections, unlistedSkills = [] }: Manifest): readonly string[] {
  const sources = sections.flatMap((section) => section.sources.filter(({ kind }) => kind === "skill"));
  const skills = [
    ...sources.map(({ ref, status, reason }) => `${oneLine(ref, 80)} ${reason ?? status}`),
    ...unlistedSkills.map(({ name, reason }) => `${oneLine(name, 80)} not listed (${reason})`),
  ];
  if (skills.length === 0) return [row("skills", "none")];
  const lines: string[] = [];
  for (const skill of skills) {
    const last = lines.at(-1);
    if (last === undefined || last.length + skill.length > SKILLS_LINE) lines.push(skill);
    else lines[lines.length - 1] = `${last}, ${skill}`;
  }
  return lines.map((line) => row("skills", line));
}

function sectionRows(manifest: Manifest, before: Manifest | undefined, isWhole: boolean): readonly string[] {
  const changed = new Map((before ? diffManifests(before, manifest).sections : []).map((one) => [one.id, one]));
  const mark = ({ id }: ManifestSection): string => {
    const change = changed.get(id);
    return change === undefined ? " " : change.before === undefined ? "+" : "~";
  };
  const shown = manifest.sections.filter(({ id }) => isWhole || changed.has(id));
  const gone = [...changed.values()].flatMap(({ before, after }) => before && !after ? [before] : []);
  const rest = manifest.sections.length - shown.length;
  return [
    ...shown.map((section) => row("section", `${mark(section)} ${sectionText(section)}`)),
    ...gone.map((section) => row("section", `- ${sectionText(section)}`)),
    ...(rest > 0 ? [row("section", `${rest} as before`)] : []),
  ];
}

/** Its id, half, size, digest, and how many sources it has. */
export function sectionText({ id, stability, chars, kept, sha256 }: ManifestSection): string {
  const size = kept === chars ? count(chars) : `${count(kept)} of ${count(chars)}`;
  return `${id} ${stability} ${size} ${digest(sha256)}`;
}

/** The beginning of a digest. */
export function digest(sha256: string): string {
  return oneLine(sha256.slice(0, DIGEST), DIGEST) || "-";
}

function replyText({ provider, model, stopReason, usage }: NonNullable<RoundView["reply"]>): string {
  const tokens = usage
    ? `, ${count(usage.input)} in, ${count(usage.cacheRead)} cached, ${count(usage.output)} out`
    : "";
  const name = provider === "" || model === "" ? provider || model || "unknown" : modelName({ provider, id: model });
  return `${name}: ${stopReason}${tokens}`;
}

function callText({ turn, time, tool, arguments: args, decision, outcome, durationMs, waitedMs }: CallView): string {
  const words = [utc(time), oneLine(tool, 60).padEnd(8), digest(args), decision.padEnd(7), outcome.padEnd(5)];
  const waited = waitedMs === undefined ? "" : `, ${waitedMs} ms for an answer`;
  return `  ${turn === undefined ? "turn -" : `turn ${turn}`}  ${words.join("  ")}  ${durationMs} ms${waited}\n`;
}
