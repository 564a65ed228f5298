import type { CommandContext } from "./command.ts";

/** `/agents`: the sub-agents of this session; Enter opens the conversation of one. */
export async function agentsCommand({ agents, openAgent, pick, say }: CommandContext): Promise<void> {
  const all = agents();
  if (all.length === 0) return say("No sub-agent was started in this session");
  const choices = all.map(({ id, description, line }) => ({ label: description, detail: line, value: id }));
  const start = Math.max(0, all.findLastIndex(({ isRunning }) => isRunning()));
  const id = await pick("Sub-agents", choices, { start });
  if (id !== undefined) openAgent(id);
}
