import { stripControls, takeCharacters } from "../../core/support/text.ts";

/** Text that can steer neither a terminal nor a browser's reading direction, and that UTF-8 can carry. */
export function visible(text: string): string {
  return stripControls(text).toWellFormed();
}

/** Visible text on one line of at most `limit` characters. */
export function oneLine(text: string, limit: number): string {
  // Escape sequences may be long: more is looked at than is kept, and never a whole file.
  const line = visible(takeCharacters(text, limit * 4)).replace(/\s+/g, " ").trim();
  const head = takeCharacters(line, limit);
  return head.length < line.length ? `${takeCharacters(line, limit - 1)}…` : head;
}

/** A time as a list shows it: UTC, to the second. */
export function utc(time: string | Date): string {
  const date = typeof time === "string" ? new Date(time) : time;
  return Number.isFinite(date.getTime()) ? date.toISOString().replace("T", " ").replace(/\.\d+Z$/, "Z") : "no time";
}

/** A time as clocks on the wall show it, to the minute; `eastMinutes`: how far they are before UTC then, the machine's own. */
export function localTime(
  time: string | Date,
  eastMinutes: (date: Date) => number = (date) => -date.getTimezoneOffset(),
): string {
  const date = typeof time === "string" ? new Date(time) : time;
  if (!Number.isFinite(date.getTime())) return "no time";
  return utc(new Date(date.getTime() + eastMinutes(date) * 60_000)).slice(0, 16);
}
