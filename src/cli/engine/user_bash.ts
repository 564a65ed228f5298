import type { UserCommandOutcome } from "../../core/engine.ts";
import { UserError } from "../../core/error.ts";
import { textOf } from "../../core/message.ts";
import type { EngineCore } from "./core.ts";
import type { Pending } from "./pending.ts";

/**
 * Runs a command that the person typed (`!`, or `!!` to keep it from the model) in the scope of the bash tool, and puts it
 * into the conversation (R205). While a run goes on it is put in at its end.
 */
export async function userBash(
  core: EngineCore,
  pending: Pending,
  command: string,
  hidden: boolean,
  signal: AbortSignal,
): Promise<UserCommandOutcome> {
  const hooks = core.hooks();
  const cwd = core.tools.policy.root;
  const said = hooks?.has("user_bash")
    ? await hooks.userBash({ command, excludeFromContext: hidden, cwd }, signal)
    : undefined;
  if (said?.block) throw refused(said.reason ?? "an extension blocked it");
  const outcome = said?.result
    ? { cancelled: false, truncated: false, ...said.result }
    : await runInScope(core, command, signal);
  pending.add({
    role: "bashExecution",
    command,
    ...outcome,
    ...(hidden ? { excludeFromContext: true } : {}),
    timestamp: Date.now(),
  });
  return outcome;
}

async function runInScope(core: EngineCore, command: string, signal: AbortSignal): Promise<UserCommandOutcome> {
  const bash = core.toolset.active().find(({ tool }) => tool.name === "bash");
  if (!bash) throw refused("the bash tool, whose scope it would have, is off");
  const result = await bash.run({ command }, `user-${crypto.randomUUID()}`, {
    signal,
    onUpdate: (partial) => core.emit({ type: "bash_execution_update", output: textOf(partial.content) }),
  });
  const { exitCode, truncated, fullOutputPath } = result.details ?? {};
  return {
    output: textOf(result.content),
    cancelled: signal.aborted,
    truncated: truncated === true,
    ...(typeof exitCode === "number" ? { exitCode } : {}),
    ...(typeof fullOutputPath === "string" ? { fullOutputPath } : {}),
  };
}

function refused(why: string): UserError {
  return new UserError({
    what: "The command was not run",
    why,
    fix: "Change what stands in its way, then run it again",
  });
}
