import { readLine } from "../../core/support/standard_input.ts";
import { writeAll } from "./write_all.ts";

/** Asks a question in the terminal; gives the line that the user writes, undefined if there is none any more. */
export function askLine(
  question: string,
  output: typeof Deno.stdout | typeof Deno.stderr = Deno.stdout,
): string | undefined {
  if (question !== "") writeAll(output, `${question} `);
  return readLine();
}

/** Whether the answer to a question is yes. */
export function askYes(question: string, output?: typeof Deno.stdout | typeof Deno.stderr): boolean {
  return /^y(es)?$/i.test(askLine(`${question} [y/N]`, output)?.trim() ?? "");
}
