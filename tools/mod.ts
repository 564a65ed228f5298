import type { Tool } from "../src/core/tool.ts";
import { bash } from "./bash.ts";
import { edit } from "./edit.ts";
import { find } from "./find.ts";
import { grep } from "./grep.ts";
import { ls } from "./ls.ts";
import { read } from "./read.ts";
import { write } from "./write.ts";

export { toolDefinition } from "./definition.ts";

/** All built-in tools; this order is the order in prompt and request. */
export const TOOLS: readonly Tool[] = [read, bash, edit, write, grep, find, ls];

/** Names of the tools that are on unless somebody chooses. */
export const DEFAULT_TOOLS: readonly string[] = ["read", "bash", "edit", "write"];
