// All built-in tools: to add one write its file and its line here, then `deno task docs`, which writes definitions.ts. The
// runner has them from here; the host, which runs hardly any, from mod.ts.
import { hasRealShell, type Policy } from "../src/core/policy.ts";
import type { Tool } from "../src/core/tool.ts";
import { bash } from "./bash.ts";
import { bashOutput } from "./bash_output.ts";
import { bashStop } from "./bash_stop.ts";
import { bashInProcess } from "./bash_in_process.ts";
import { edit } from "./edit.ts";
import { fetch } from "./fetch.ts";
import { find } from "./find.ts";
import { grep } from "./grep.ts";
import { ls } from "./ls.ts";
import { read } from "./read.ts";
import { readSkill } from "./read_skill.ts";
import { task } from "./task.ts";
import { todo } from "./todo.ts";
import { webSearch } from "./web_search.ts";
import { write } from "./write.ts";

/** All built-in tools with their code; this order is the order in prompt and request. */
export const WHOLE_TOOLS: readonly Tool[] = [
  read,
  bash,
  edit,
  write,
  grep,
  find,
  ls,
  readSkill,
  fetch,
  webSearch,
  bashOutput,
  bashStop,
  todo,
  task,
];

/** Those that stand in for one of the table under some policies. */
export const SUBSTITUTES: readonly Tool[] = [bashInProcess];

/**
 * The built-in tools under a policy: bash is the machine's shell only where that may run everything, and nothing goes on in
 * the background elsewhere.
 */
export function wholeToolsUnder(policy: Policy): readonly Tool[] {
  if (hasRealShell(policy)) return WHOLE_TOOLS;
  return WHOLE_TOOLS.filter((tool) => ![bashOutput.name, bashStop.name].includes(tool.name))
    .map((tool) => tool.name === bash.name ? bashInProcess : tool);
}
