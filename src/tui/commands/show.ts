import { count, money } from "../amounts.ts";
import { cleaned } from "../foreign.ts";
import type { CommandContext } from "./command.ts";

/** `/policy` */
export async function policyCommand({ world, page }: CommandContext): Promise<void> {
  const lines = cleaned(await world.policy());
  page((theme) => [theme.strong("What tools may do"), ...lines.map((line) => `  ${line}`)]);
}

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
    ...diagnostics.map(({ code, message }) => theme.warn(`! ${code}: ${message}`)),
    theme.dim("/prompt full shows its text"),
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
export function costCommand({ engine, page }: CommandContext): void {
  const { totals, context } = engine.state();
  const rows = [
    ["sent, not cached", count(totals.input)],
    ["sent, from the cache", count(totals.cacheRead)],
    ["written to the cache", count(totals.cacheWrite)],
    ["received", count(totals.output)],
    ["cost", totals.cost > 0 ? money(totals.cost) : "none counted: it is free, or no price is known"],
    [
      "messages",
      `${totals.userMessages} of yours, ${totals.assistantMessages} of the model, ${totals.toolCalls} calls`,
    ],
    ["context", `${count(context.tokens)} of ${count(context.contextWindow)} tokens`],
  ] as const;
  page((theme) => [theme.strong("This session"), ...rows.map(([name, value]) => `  ${name.padEnd(22)}${value}`)]);
}
