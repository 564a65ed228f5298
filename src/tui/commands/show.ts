import { counted } from "../../core/support/text.ts";
import { textOf } from "../../core/message.ts";
import type { Diagnostic } from "../../core/prompt.ts";
import type { RoundBill } from "../../core/engine.ts";
import { lostText } from "../../core/support/lost_text.ts";
import { count, money } from "../blocks/amounts.ts";
import { givenText } from "../blocks/given_text.ts";
import { toolTitle } from "../blocks/tool_title.ts";
import { cleaned } from "../screen/foreign.ts";
import type { CommandContext } from "./command.ts";

/** `/policy` */
export async function policyCommand({ world, page }: CommandContext): Promise<void> {
  const lines = cleaned(await world.policy());
  page((theme) => [theme.strong("What tools may do"), ...lines.map((line) => `  ${line}`)]);
}

/** A persona file that there is not: most people have none, and nobody asked for it (`missing_file` stays in the manifest). */
function isOptional({ code, section, message }: Pick<Diagnostic, "code" | "section" | "message">): boolean {
  // A draft and an empty file count as missing, too, and their owner should know.
  return code === "missing_file" && PERSONA.includes(section ?? "") && message.startsWith("There is no ");
}

const PERSONA: readonly string[] = ["soul_core", "identity_core", "user_persona"];

/** `/prompt [full]`: what the model is told, by sections; or all of it. */
export function promptCommand({ engine, page }: CommandContext, args: string): void {
  const { manifest, full } = engine.compiled();
  if (args === "full") return page(() => full.split("\n"));
  const { sections, diagnostics, tools, fingerprints } = manifest;
  const widest = Math.max(0, ...sections.map(({ id }) => id.length));
  page((theme) => [
    theme.strong(`System prompt: ${sections.length} sections, ${full.length} characters`),
    ...sections.map(({ id, stability, chars, kept }) => {
      const size = kept < chars ? `${kept} of ${chars}` : String(kept);
      return `  ${id.padEnd(widest)}  ${theme.dim(stability.padEnd(7))}  ${size.padStart(7)}`;
    }),
    `  tools  ${tools.names.join(", ") || "none"}`,
    theme.dim(`  stable ${fingerprints.stable.slice(0, 12)} · dynamic ${fingerprints.dynamic.slice(0, 12)}`),
    ...diagnostics.filter((one) => !isOptional(one)).map(({ code, message }) => theme.warn(`! ${code}: ${message}`)),
    theme.dim("/prompt full shows its text"),
  ]);
}

/** `/output`: what the newest tool call was given, and all that it said. */
export function outputCommand({ engine, page, say }: CommandContext): void {
  const messages = engine.messages();
  const result = messages.findLast((message) => message.role === "toolResult");
  if (result?.role !== "toolResult") return say("No tool has run yet", "warning");
  const call = messages.flatMap((message) => message.role === "assistant" ? message.content : [])
    .findLast((part) => part.type === "toolCall" && part.id === result.toolCallId);
  const args = call?.type === "toolCall" ? call.arguments : {};
  const given = givenText(result.toolName, args)?.lines ?? [];
  page((theme) => [
    ...toolTitle(result.toolName, args, engine.state().cwd).map(theme.strong),
    ...[...given, ...textOf(result.content).replace(/\n+$/, "").split("\n")],
  ]);
}

/** `/skills` */
export function skillsCommand({ engine, page }: CommandContext): void {
  const skills = engine.commands().filter(({ kind }) => kind === "skill");
  page((theme) => [
    theme.strong(skills.length === 0 ? "No skills" : "Skills"),
    ...skills.map(({ name, description }) => `  /${name}  ${theme.dim(description)}`),
  ]);
}

/** `/audit` */
export async function auditCommand({ world, page }: CommandContext): Promise<void> {
  const lines = cleaned(await world.audit());
  page((theme) => [theme.strong(lines.length === 0 ? "No tool has run yet" : "Tool calls of this session"), ...lines]);
}

/** `/cost` */
export async function costCommand({ engine, page }: CommandContext): Promise<void> {
  const { totals, context } = engine.state();
  const rounds = await engine.bill();
  const rows = [
    ["sent, not cached", count(totals.input)],
    ["sent, from the cache", count(totals.cacheRead)],
    ["written to the cache", count(totals.cacheWrite)],
    ["received", count(totals.output)],
    ["cost", totals.cost > 0 ? money(totals.cost) : "none counted: it is free, or no price is known"],
    [
      "messages",
      `${totals.userMessages} of yours, ${totals.assistantMessages} of the model, ${counted(totals.toolCalls, "call")}`,
    ],
    ["context", `${count(context.tokens)} of ${count(context.contextWindow)} tokens`],
  ] as const;
  page((theme) => [
    theme.strong("This session"),
    ...rows.map(([name, value]) => `  ${name.padEnd(22)}${value}`),
    ...(rounds.length === 0 ? [] : ["", theme.strong(roundsTitle(rounds.length))]),
    ...rounds.slice(-SHOWN_ROUNDS).map((round) => `  ${roundLine(round)}`),
    ...rounds.flatMap(({ round, lost }) => lost ? [theme.warn(`  round ${round}: ${lostText(lost)}`)] : []),
  ]);
}

/** Rounds that are listed: the newest. What was lost is told of all. */
const SHOWN_ROUNDS = 12;

function roundsTitle(rounds: number): string {
  return rounds > SHOWN_ROUNDS ? `The last ${SHOWN_ROUNDS} of ${rounds} rounds` : "Rounds";
}

function roundLine({ round, uncached, cached, output, cost }: RoundBill): string {
  const paid = cost === undefined ? "" : `, ${money(cost)}`;
  return `${String(round).padEnd(4)} ${count(uncached)} not cached, ${count(cached)} cached, ${
    count(output)
  } out${paid}`;
}
