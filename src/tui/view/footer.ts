import { modelName } from "../../core/provider.ts";
import { isInside } from "../../core/policy.ts";
import type { EngineState } from "../../core/engine.ts";
import { count, money } from "../blocks/amounts.ts";
import type { Look } from "../widgets/block.ts";
import { cleanLine } from "../screen/foreign.ts";
import { isWeaker, sandboxGlance } from "../options/sandbox_glance.ts";
import { spread } from "../screen/wrap.ts";

/** The two lines at the bottom: where and who, and what it may do and has cost. */
export function footerLines(state: EngineState, branch: string | undefined, { width, theme }: Look): readonly string[] {
  const { cwd, sessionName, agent, model, thinking, policy, context, totals } = state;
  const folder = isInside(cwd, policy.home) ? `~${cwd.slice(policy.home.length)}` : cwd;
  const where = [folder + (branch ? ` (${branch})` : ""), sessionName ?? ""].map(cleanLine).filter(Boolean);
  // A recording's name is a path.
  const id = cleanLine(modelName(model)).replace(/^replay:.*\//, "replay:");
  const named = agent === undefined ? "" : `agent ${cleanLine(agent)}`;
  const who = [named, id, thinking === "off" ? "" : thinking].filter(Boolean);
  const sent = totals.input + totals.cacheRead + totals.cacheWrite;
  const spent = [
    sent + totals.output > 0 ? `↑${count(sent)} ↓${count(totals.output)}` : "",
    totals.cacheRead > 0 ? `cache ${Math.round(totals.cacheRead / sent * 100)}%` : "",
    totals.cost > 0 ? money(totals.cost) : "",
    context.contextWindow > 0 ? `${left(context)}% left` : "",
  ].filter(Boolean);
  const glance = cleanLine(`${sandboxGlance(policy)}${state.plan ? " · PLANNING" : ""}`);
  const isOpen = policy.sandbox === "off" || isWeaker(policy) || policy.write.all || policy.net.all;
  return [
    spread(theme.dim(where.join(" · ")), theme.dim(who.join(" · ")), width),
    spread((isOpen ? theme.warn : theme.good)(glance), theme.dim(spent.join(" · ")), width),
  ];
}

/** Percent of the context that is free. */
function left({ tokens, contextWindow }: EngineState["context"]): number {
  return Math.max(0, Math.round(100 - tokens / contextWindow * 100));
}
