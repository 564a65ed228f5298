/**
 * Plan mode: `/draft` leaves the model nothing but reading until you approve its plan.
 *
 * `/draft` starts it, `/draft approve` has the plan carried out, `/draft off` ends it without. Where somebody can be asked, the
 * question comes by itself after each answer. The mode is kept in the session and is still on after a resume.
 *
 * Without bash the model searches with grep, find and ls: they are switched on with the mode and off with its end. A list
 * in `--tools` is all that there is; what it does not name is not switched on.
 */
import { defineExtension, type ExtensionContext } from "sandpiper";

/** They stand in for bash. */
const SEARCHING = ["grep", "find", "ls"];
/** Tools that change nothing. */
const READING = ["read", "read_skill", ...SEARCHING];

const INSTRUCTIONS = `# Plan mode

You are planning and may not change anything: the tools that write or run programs are switched off. Read what you need,
then answer with a numbered plan: what to change, in which files, and how to check it. Do not ask for the tools back; the
user decides when the plan is carried out.`;

export default defineExtension((sp) => {
  /** Tools that were active before; undefined while no plan is being made. */
  let before: readonly string[] | undefined;
  // Events are not held up by one another: whoever decides something waits for this first.
  let restored: Promise<void> = Promise.resolve();

  async function keep(): Promise<void> {
    await sp.appendEntry("plan_mode", before === undefined ? null : [...before]);
    await sp.ui.setStatus("plan_mode", before === undefined ? undefined : "plan mode");
  }

  /** A session that is gone on with may have other tools than it had: unknown names would be an error. */
  async function activate(names: readonly string[]): Promise<void> {
    const known = (await sp.getAllTools()).map(({ name }) => name);
    await sp.setActiveTools(names.filter((name) => known.includes(name)));
  }

  async function begin(active: readonly string[]): Promise<void> {
    before = active;
    await activate(READING.filter((name) => active.includes(name) || SEARCHING.includes(name)));
    await keep();
  }

  async function end(): Promise<void> {
    if (before) await activate(before);
    before = undefined;
    await keep();
  }

  async function approve(): Promise<void> {
    await end();
    await sp.sendUserMessage("The plan is approved. Carry it out.", { deliverAs: "followUp" });
  }

  /** What the session at hand last said about the mode. */
  async function restore(ctx: ExtensionContext): Promise<void> {
    const entries = await ctx.getEntries();
    const last = entries.findLast((entry) => entry.type === "custom" && entry.customType === "plan_mode");
    const kept = last?.type === "custom" && Array.isArray(last.data) ? last.data.map(String) : undefined;
    if (kept) await begin(kept);
    else if (before) await end();
  }

  sp.on("session_start", (_, ctx) => restored = restore(ctx));

  sp.registerCommand("draft", {
    description: "plan without changing anything; /draft approve or /draft off ends it",
    handler: async (args) => {
      await restored;
      if (args === "approve" && before) await approve();
      else if (args === "off" && before) await end();
      else if (args !== "") {
        await sp.ui.notify("/draft starts plan mode; /draft approve and /draft off end it", "warning");
      } else if (before) await sp.ui.notify("Plan mode is on; /draft approve or /draft off ends it");
      else {
        await begin(await sp.getActiveTools());
        await sp.ui.notify("Plan mode: nothing is changed until you approve the plan");
      }
    },
  });

  sp.on("before_agent_start", async ({ systemPrompt }) => {
    await restored;
    return before ? { systemPrompt: `${systemPrompt}\n\n${INSTRUCTIONS}` } : undefined;
  });

  // The tools are off already; this also holds for calls of a run that was going on, and for tools that appear later.
  sp.on("tool_call", async ({ toolName }) => {
    await restored;
    if (!before || READING.includes(toolName)) return;
    return { block: true, reason: `Plan mode: ${toolName} is off until the user approves the plan. Go on planning` };
  });

  sp.on("agent_settled", async ({ aborted }, ctx) => {
    if (!before || aborted || !ctx.hasUI) return;
    if (await ctx.ui.select("Carry out the plan?", ["Carry it out", "Go on planning"]) === "Carry it out") {
      await approve();
    }
  });
});
