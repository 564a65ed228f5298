// All built-in tools: to add one write its file and its line here, then `deno task docs`, which writes definitions.ts. The
// runner has them from here; the host, which runs hardly any, from mod.ts.
import { hasRealShell, type Policy } from "../src/core/policy.ts";
import type { Tool } from "../src/core/tool.ts";
import { bash } from "./bash.ts";
import { bashInProcess } from "./bash_in_process.ts";
import { edit } from "./edit.ts";
import { fetch } from "./fetch.ts";
import { find } from "./find.ts";
import { grep } from "./grep.ts";
import { ls } from "./ls.ts";
import { read } from "./read.ts";
import { readSkill } from "./read_skill.ts";
import { webSearch } from "./web_search.ts";
import { write } from "./write.ts";

/** All built-in tools with their code; this order is the order in prompt and request. */
export const WHOLE_TOOLS: readonly Tool[] = [read, bash, edit, write, grep, find, ls, readSkill, fetch, webSearch];

/** Those that stand in for one of the table under some policies. */
export const SUBSTITUTES: readonly Tool[] = [bashInProcess];

/** The built-in tools under a policy: bash is the machine's shell only where that may run everything. */
export function wholeToolsUnder(policy: Policy): readonly Tool[] {
  return hasRealShell(policy) ? WHOLE_TOOLS : WHOLE_TOOLS.map((tool) => tool.name === bash.name ? bashInProcess : tool);
}
