import { oneLine, utc } from "./visible_text.ts";
import type { SessionView } from "./view.ts";

/** What stands above a session in every readable form: names and values, visible and on one line each. */
export function factsOf(
  { header, name, models, lastTime, totals, leftOut }: SessionView,
): readonly (readonly [string, string])[] {
  const { input, output, cacheRead, cacheWrite, cost, toolCalls, userMessages, assistantMessages } = totals;
  const cached = cacheRead + cacheWrite === 0
    ? ""
    : `, ${count(cacheRead)} from the cache, ${count(cacheWrite)} into it`;
  const facts: [string, string | undefined][] = [
    ["Session", header.id],
    ["Name", name],
    ["Workspace", header.cwd],
    ["Model", models.join(", ") || undefined],
    ["From", utc(header.timestamp)],
    ["To", utc(lastTime)],
    ["Forked from", header.parentSession],
    [
      "Messages",
      `${count(userMessages)} of the user, ${count(assistantMessages)} of the model, ${count(toolCalls)} tool calls`,
    ],
    ["Tokens", `${count(input)} in, ${count(output)} out${cached}`],
    ["Cost", cost > 0 ? `$${cost.toFixed(4)}` : "not known"],
    ["Left out", leftOut === 0 ? undefined : leftOut === 1 ? "1 other branch" : `${leftOut} other branches`],
  ];
  return facts.flatMap(([key, value]) => value === undefined ? [] : [[key, oneLine(value, 1000)]]);
}

/** What a session is called: its name, else what was asked first, else its id. */
export function titleOf({ header, name, branches }: SessionView): string {
  const asked = branches[0]?.items.find(({ kind }) => kind === "user")?.parts.find(({ kind }) => kind === "plain");
  const first = asked?.kind === "plain" ? asked.text : "";
  return oneLine(name ?? "", 80) || oneLine(first, 80) || oneLine(header.id, 80);
}

/** A number as people read it: `12,345`. */
export function count(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
