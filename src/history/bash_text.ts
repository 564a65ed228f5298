import type { BashExecutionMessage } from "../core/message.ts";

/** What the model reads of a command that the person ran (R200). */
export function bashText(run: BashExecutionMessage): string {
  const output = run.output.trimEnd();
  return [
    "I ran this command myself:",
    fenced(run.command),
    ...(output === "" ? ["It printed nothing."] : ["It printed:", fenced(output)]),
    ...notes(run),
  ].join("\n");
}

function notes({ cancelled, exitCode, truncated, fullOutputPath }: BashExecutionMessage): string[] {
  const lines: string[] = [];
  if (cancelled) lines.push("I stopped it before its end.");
  else if (exitCode === undefined) lines.push("It ended without an exit code.");
  else if (exitCode !== 0) lines.push(`It ended with exit code ${exitCode}.`);
  if (truncated && fullOutputPath !== undefined) lines.push(`The output is cut; all of it is in ${fullOutputPath}.`);
  else if (truncated) lines.push("The output is cut.");
  return lines;
}

/** The fence is longer than any run of backticks inside, so the text cannot end its block. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
