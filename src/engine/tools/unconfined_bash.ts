import type { Policy } from "../../core/policy.ts";
import type { CallOptions } from "../../core/runner.ts";
import type { ToolResult } from "../../core/tool_result.ts";
import { thisProgram } from "../../sandbox/confine/self.ts";
import { toolsUnder } from "../../../tools/mod.ts";
import { backgroundCommands } from "./background_commands.ts";
import type { Config } from "../../config/config.ts";
import { keyVariables, openSecrets } from "../model/secrets.ts";
import type { ModelChoice } from "../model/model.ts";
import { cacheRoot } from "../sessions/session_folders.ts";
import { openToolProcesses } from "./tool_processes.ts";

/** A shell for what the person types, with nothing around it. */
export interface UnconfinedBash {
  readonly run: (command: string, options: CallOptions) => Promise<ToolResult>;
  /** Ends everything that was started. Safe to call twice. */
  readonly close: () => Promise<void>;
}

const ALL = { all: true, list: [] } as const;
/** Nobody is there to answer or to page: standard input is empty. */
const UNATTENDED = { GIT_TERMINAL_PROMPT: "0", PAGER: "cat", GIT_PAGER: "cat" } as const;

/**
 * Opens the shell of `userBash: "unconfined"`: the user's own scope and environment, but for the model's key. Bounds of time
 * and output stay. Nothing is started before the first command.
 */
export function openUnconfinedBash(config: Config, choice: ModelChoice, tools: Policy): UnconfinedBash {
  const { isKey, scrub } = openSecrets(config, choice);
  // Also of a model that may be gone over to later.
  const keys = keyVariables(config.settings);
  const named = config.invocation.values["api-key-env"];
  const own = Object.entries(config.world.env).filter(([name, value]) =>
    name !== named && !keys.has(name) && !isKey(name, value) && !value.includes("\0")
  );
  const policy: Policy = {
    ...tools,
    ...{ read: ALL, write: ALL, run: ALL, net: ALL },
    ...{ denyRead: [], denyWrite: [], protected: [] },
    env: { ...Object.fromEntries(own), ...UNATTENDED, PWD: tools.root },
    sandbox: "off",
  };
  const bash = toolsUnder(policy).filter(({ name }) => name === "bash");
  const [tool] = bash;
  if (!tool) throw new Error("there is no tool bash");
  const ground = { self: thisProgram(), cache: cacheRoot(config.world.env), numbered: backgroundCommands().numbered };
  const processes = openToolProcesses(policy, { active: bash, known: bash }, ground);
  return {
    async run(command, options) {
      const result = await processes.run(tool, { command }, options);
      const content = result.content.map((part) => part.type === "text" ? { ...part, text: scrub(part.text) } : part);
      return { ...result, content };
    },
    close: processes.close,
  };
}
