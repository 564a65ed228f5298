import type { BackgroundView } from "../core/engine.ts";
import type { CustomMessage } from "../core/message.ts";
import type { BackgroundCommands } from "./tools/background_commands.ts";

/** Longest command that is said again, UTF-16 units. */
const COMMAND_UNITS = 200;

/** What the model is told of commands in the background that have ended since it was told last. */
export function backgroundNews(background: Pick<BackgroundCommands, "takeUntold">): readonly CustomMessage[] {
  return background.takeUntold().map((command) => ({
    role: "custom",
    customType: "background",
    content: newsText(command),
    display: false, // people are told by an event
    details: { id: command.id, exitCode: command.exitCode ?? 0 },
    timestamp: Date.now(),
  }));
}

function newsText(
  { id, command, exitCode, why, startedAt, endedAt = startedAt, tail, outputPath }: BackgroundView,
): string {
  const said = command.length > COMMAND_UNITS ? `${command.slice(0, COMMAND_UNITS).toWellFormed()}…` : command;
  const how = why === undefined ? "" : ` (${why})`;
  const seconds = ((endedAt - startedAt) / 1000).toFixed(1);
  return [
    `Background command ${id} has ended with code ${exitCode}${how} after ${seconds} s: ${said}`,
    tail.trim() === "" ? "It printed nothing." : `Its last lines:\n${tail}`,
    ...(outputPath === undefined ? [] : [`All of its output: ${outputPath}`]),
  ].join("\n");
}
