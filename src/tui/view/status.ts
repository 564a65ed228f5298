import type { EngineState } from "../../core/engine.ts";
import { isRunning } from "../commands/background.ts";
import { duration } from "../blocks/amounts.ts";
import type { Look } from "../widgets/block.ts";
import { cleanLine } from "../screen/foreign.ts";
import { cut } from "../screen/wrap.ts";

/** What the lines between the conversation and the editor say. */
export interface StatusFacts {
  readonly state: EngineState | undefined;
  /** What the user sent and the conversation does not contain yet. */
  readonly unsent: readonly string[];
  readonly activity: string;
  /** A question waits for the person, who answers it with the same keys. */
  readonly isAsking: boolean;
  /** Something takes the keys, so that they mean what it says. */
  readonly hasDialog: boolean;
  /** How long it has been busy, milliseconds; undefined when it is not. */
  readonly busyMs: number | undefined;
  /** Lines of extensions, by key. */
  readonly lines: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A word that goes away by itself. */
  readonly hint: string | undefined;
}

/** Queued messages, and lines of extensions, that are shown. */
const QUEUED = 5;
const SAID = 5;
/** Commands in the background that are shown: the newest. */
const RUNNING = 3;

/** What goes on, what waits, what extensions say. */
export function statusLines(
  { state, unsent, activity, isAsking, hasDialog, busyMs, lines, now, hint }: StatusFacts,
  { width, theme }: Look,
): readonly string[] {
  const queued = [
    ...unsent.map((text) => `❯ not sent yet: ${text}`),
    ...(state?.steering ?? []).map((text) => `↳ steering: ${text}`),
    ...(state?.followUp ?? []).map((text) => `⇢ afterwards: ${text}`),
  ];
  const keys = hasDialog ? [] : state?.isStreaming ? ["Esc stops", "Enter steers"] : ["Esc stops"];
  const busy = busyMs === undefined
    ? []
    : isAsking
    ? [`${theme.warn("●")} waiting for your answer`]
    : [`${theme.accent("●")} ${activity || "working"} ${theme.dim([seconds(busyMs), ...keys].join(" · "))}`];
  return [
    ...backgroundLines(state?.background ?? [], now).map(theme.dim),
    ...todoLine(state?.todo ?? []).map(theme.dim),
    ...Array.from(lines.values(), (line) => theme.dim(cleanLine(line))).slice(0, SAID),
    ...queued.slice(0, QUEUED).map((line) => theme.dim(cleanLine(line))),
    ...(queued.length > QUEUED ? [theme.dim(`  and ${queued.length - QUEUED} more`)] : []),
    ...busy,
    ...(hint === undefined ? [] : [theme.warn(hint)]),
  ].map((line) => cut(line, width));
}

/** What runs, since when, and what it said last. */
function backgroundLines(all: EngineState["background"], now: number): readonly string[] {
  const running = all.filter(isRunning);
  const shown = running.slice(-RUNNING).map(({ id, command, startedAt, tail }) => {
    const last = cleanLine(tail.slice(tail.lastIndexOf("\n") + 1));
    const what = cleanLine(command);
    const short = what.length > 30 ? `${what.slice(0, 29)}…` : what;
    return [`⚙ ${id} ${short}`, seconds(Math.max(0, now - startedAt)), ...(last === "" ? [] : [last])].join(" · ");
  });
  const more = running.length - shown.length;
  return [...shown, ...(more > 0 ? [`  and ${more} more in the background: /background`] : [])];
}

/** How far the model's list is, and what it does now; nothing when all is done. */
function todoLine(items: EngineState["todo"]): readonly string[] {
  const done = items.filter(({ state }) => state === "completed").length;
  if (done === items.length) return [];
  const now = items.find(({ state }) => state === "in_progress") ?? items.find(({ state }) => state === "pending");
  return [`☑ ${done} of ${items.length}${now ? ` · ${cleanLine(now.text)}` : ""}`];
}

/** Whole seconds: a line that changes more often would only flicker. */
function seconds(ms: number): string {
  return ms < 10_000 ? `${Math.floor(ms / 1000)}s` : duration(ms);
}
