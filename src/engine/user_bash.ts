import type { UserCommandOutcome } from "../core/engine.ts";
import { messageOf, UserError } from "../core/error.ts";
import type { AgentEvent } from "../core/event.ts";
import { textOf } from "../core/message.ts";
import type { CallOptions } from "../core/runner.ts";
import { once } from "../core/support/once.ts";
import { errorResult } from "../core/tool.ts";
import type { ToolResult } from "../core/tool_result.ts";
import type { EngineCore } from "./parts.ts";
import type { Pending } from "./work.ts";

/** Commands that the person types (`!`, or `!!` to keep them from the model). */
export interface UserBash {
  /** Runs one and puts it into the conversation (R205): at once, or at the end of a run that goes on. */
  readonly run: (command: string, hidden: boolean) => Promise<UserCommandOutcome>;
  /** Stops those that run, and nothing else; resolves when they have ended. */
  readonly abort: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How the audit names a command that the person typed. */
const NAME = "user_bash";

/**
 * Runs them in the scope of the bash tool, or in none where the user's settings say so. `audit` keeps them, as it keeps calls of
 * tools; nobody else is told of them as of calls.
 */
export function createUserBash(core: EngineCore, pending: Pending, audit: (event: AgentEvent) => void): UserBash {
  // Its code is loaded with the first command.
  const unconfined = core.config().user.userBash !== "unconfined" ? undefined : once(async () => {
    const { openUnconfinedBash } = await import("./tools/unconfined_bash.ts");
    return openUnconfinedBash(core.config(), core.model.choice(), core.tools.policy);
  });
  let isOpened = false;
  const running = new Map<AbortController, Promise<unknown>>();

  async function run(command: string, hidden: boolean, signal: AbortSignal): Promise<UserCommandOutcome> {
    const hooks = core.hooks();
    const cwd = core.tools.policy.root;
    const said = hooks?.has("user_bash")
      ? await hooks.userBash({ command, excludeFromContext: hidden, cwd }, signal)
      : undefined;
    if (said?.block) throw refused(said.reason ?? "an extension blocked it");
    const outcome = said?.result
      ? { cancelled: false, truncated: false, ...said.result }
      : outcomeOf(await audited(command, signal), signal);
    pending.add({
      role: "bashExecution",
      command,
      ...outcome,
      ...(hidden ? { excludeFromContext: true } : {}),
      timestamp: Date.now(),
    });
    return outcome;
  }

  async function audited(command: string, signal: AbortSignal): Promise<ToolResult> {
    const toolCallId = `user-${crypto.randomUUID()}`;
    audit({ type: "tool_execution_start", toolCallId, toolName: NAME, args: { command } });
    const begin = performance.now();
    const end = (result: ToolResult): void =>
      audit({
        type: "tool_execution_end",
        toolCallId,
        toolName: NAME,
        result,
        isError: result.isError ?? false,
        durationMs: performance.now() - begin,
      });
    try {
      core.changes.touched();
      const result = await execute(toolCallId, command, signal).finally(core.changes.touched);
      end(result);
      return result;
    } catch (error) {
      end(errorResult(messageOf(error)));
      throw error;
    }
  }

  async function execute(id: string, command: string, signal: AbortSignal): Promise<ToolResult> {
    const options: CallOptions = {
      signal,
      onUpdate: (partial) => core.emit({ type: "bash_execution_update", output: textOf(partial.content) }),
    };
    if (unconfined) {
      isOpened = true;
      return await (await unconfined()).run(command, options);
    }
    const bash = core.toolset.active().find(({ tool }) => tool.name === "bash");
    if (!bash) throw refused("the bash tool, whose scope it would have, is off");
    return await bash.run({ command }, id, options);
  }

  async function watched(command: string, hidden: boolean, outer?: AbortSignal): Promise<UserCommandOutcome> {
    const own = new AbortController();
    const done = run(command, hidden, outer ? AbortSignal.any([outer, own.signal]) : own.signal);
    running.set(own, done);
    try {
      return await done;
    } finally {
      running.delete(own);
    }
  }

  return {
    run: (command, hidden) =>
      core.work.kind() === "run"
        ? watched(command, hidden)
        : core.work.run("bash", (signal) => watched(command, hidden, signal)),
    async abort() {
      for (const command of running.keys()) command.abort();
      await Promise.allSettled(running.values());
    },
    async close() {
      if (isOpened) await (await unconfined?.())?.close();
    },
  };
}

function outcomeOf({ content, details }: ToolResult, signal: AbortSignal): UserCommandOutcome {
  const { exitCode, truncated, fullOutputPath } = details ?? {};
  return {
    output: printedOf(textOf(content), exitCode),
    cancelled: signal.aborted,
    truncated: truncated === true,
    ...(typeof exitCode === "number" ? { exitCode } : {}),
    ...(typeof fullOutputPath === "string" ? { fullOutputPath } : {}),
  };
}

/** What the tool says to a model of a command's end stands in fields here: programs want what the command printed. */
function printedOf(text: string, exitCode: unknown): string {
  const ending = `\n\nCommand exited with code ${String(exitCode)}`;
  const at = text.lastIndexOf(ending);
  const printed = at === -1 ? text : text.slice(0, at) + text.slice(at + ending.length);
  return printed === "(no output)" ? "" : printed;
}

function refused(why: string): UserError {
  return new UserError({
    what: "The command was not run",
    why,
    fix: "Change what stands in its way, then run it again",
  });
}
