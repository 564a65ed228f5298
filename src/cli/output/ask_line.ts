import { readLine } from "../../core/support/standard_input.ts";
import { writeAll } from "./write_all.ts";

/** Asks a question in the terminal; gives the line that the user writes, undefined if there is none any more. */
export function askLine(question: string): string | undefined {
  if (question !== "") writeAll(Deno.stderr, `${question} `);
  return readLine();
}

/** Whether the answer to a question is yes. */
export function askYes(question: string): boolean {
  return /^y(es)?$/i.test(askLine(`${question} [y/N]`)?.trim() ?? "");
}
