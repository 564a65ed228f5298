import type { EngineState } from "../core/engine.ts";
import { duration } from "./amounts.ts";
import type { Look } from "./block.ts";
import { cleanLine } from "./foreign.ts";
import { cut } from "./wrap.ts";

/** What the lines between the conversation and the editor say. */
export interface StatusFacts {
  readonly state: EngineState | undefined;
  readonly activity: string;
  /** How long it has been busy, milliseconds; undefined when it is not. */
  readonly busyMs: number | undefined;
  /** Lines of extensions, by key. */
  readonly lines: ReadonlyMap<string, string>;
  /** A word that goes away by itself. */
  readonly hint: string | undefined;
}

/** Queued messages, and lines of extensions, that are shown. */
const QUEUED = 5;
const SAID = 5;

/** What goes on, what waits, what extensions say. */
export function statusLines(
  { state, activity, busyMs, lines, hint }: StatusFacts,
  { width, theme }: Look,
): readonly string[] {
  const queued = [
    ...(state?.steering ?? []).map((text) => `↳ steering: ${text}`),
    ...(state?.followUp ?? []).map((text) => `⇢ afterwards: ${text}`),
  ];
  const busy = busyMs === undefined
    ? []
    : [`${theme.accent("●")} ${activity || "working"} ${theme.dim(`${seconds(busyMs)} · Esc stops · Enter steers`)}`];
  return [
    ...Array.from(lines.values(), (line) => theme.dim(cleanLine(line))).slice(0, SAID),
    ...queued.slice(0, QUEUED).map((line) => theme.dim(cleanLine(line))),
    ...(queued.length > QUEUED ? [theme.dim(`  and ${queued.length - QUEUED} more`)] : []),
    ...busy,
    ...(hint === undefined ? [] : [theme.warn(hint)]),
  ].map((line) => cut(line, width));
}

/** Whole seconds: a line that changes more often would only flicker. */
function seconds(ms: number): string {
  return ms < 10_000 ? `${Math.floor(ms / 1000)}s` : duration(ms);
}
