import type { BackgroundView } from "../../core/engine.ts";
import { duration } from "../blocks/amounts.ts";
import { cleanLine } from "../screen/foreign.ts";
import type { CommandContext } from "./command.ts";

/** `/background [stop ID]`: which commands run in the background, what they said last, and their end. */
export async function backgroundCommand(context: CommandContext, args: string): Promise<void> {
  const { engine, world, page, pick, say } = context;
  const [, stopped] = /^stop\s+(\S+)$/.exec(args) ?? [];
  if (stopped !== undefined) return await engine.stopBackground(stopped);
  const all = engine.state().background;
  if (all.length === 0) return say("Nothing was started in the background");
  const choices = all.map((command) => ({
    label: `${command.id}  ${cleanLine(command.command)}`,
    detail: () => stateText(engine.state().background.find(({ id }) => id === command.id) ?? command, world.now()),
    value: command,
  }));
  const chosen = await pick("Commands in the background", choices, {
    start: Math.max(0, all.findIndex(isRunning)),
    enter: () => "opens it",
  });
  if (chosen === undefined) return;
  const how = isRunning(chosen)
    ? await pick(`${chosen.id} is running`, [
      { label: "Show its last lines", value: "show" as const },
      { label: "Stop it", value: "stop" as const },
    ])
    : "show";
  if (how === "stop") return await engine.stopBackground(chosen.id);
  if (how === undefined) return;
  const now = engine.state().background.find(({ id }) => id === chosen.id) ?? chosen;
  page((theme) => [
    theme.strong(`${now.id}  ${cleanLine(now.command)}`),
    theme.dim(stateText(now, world.now())),
    ...(now.tail === "" ? [theme.dim("It has printed nothing")] : now.tail.split("\n").map((line) => `  ${line}`)),
    ...(now.outputPath === undefined ? [] : [theme.dim(`All of its output, for tools: ${now.outputPath}`)]),
  ]);
}

/** Whether a command has no end yet. */
export function isRunning({ exitCode }: BackgroundView): boolean {
  return exitCode === undefined;
}

function stateText({ startedAt, endedAt, exitCode, why }: BackgroundView, now: number): string {
  const ms = Math.max(0, (endedAt ?? now) - startedAt);
  if (exitCode === undefined) return `running for ${duration(ms)}`;
  return `ended with code ${exitCode}${why === undefined ? "" : ` (${cleanLine(why)})`} after ${duration(ms)}`;
}
