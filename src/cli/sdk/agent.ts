import { limitText } from "../../core/support/limit_text.ts";
import type { PromptOutcome } from "../../core/engine.ts";
import { UserError } from "../../core/error.ts";
import type { AgentEvent } from "../../core/event.ts";
import { textOf } from "../../core/message.ts";
import { openEngine } from "../../engine/engine.ts";
import type { InProcessExtension } from "../../hooks/open.ts";
import { eventsOf } from "../output/engine_events.ts";
import type { Agent, Said } from "./agent_api.ts";
import { toolsExtension } from "./custom_tool.ts";
import type { AgentOptions } from "./options.ts";
import { resolveConfig } from "./resolve_config.ts";

/**
 * Opens an agent. Throws UserError for options that cannot be had; nothing is left running then.
 *
 * It changes nothing of the process and never ends it. With `hardenProcess` it is, on Linux, closed to debuggers and core
 * files of the same user, because it holds the key.
 */
export async function createAgent(options: AgentOptions = {}): Promise<Agent> {
  return await openAgent(options, extensionsOf(options));
}

/** The same with extensions that may run elsewhere; those and the tools of `options` are passed over. */
export async function openAgent(options: AgentOptions, extensions: readonly InProcessExtension[]): Promise<Agent> {
  const resolved = await resolveConfig(options);
  const engine = await openEngine({
    ...resolved,
    channel: "rpc",
    hardens: options.hardenProcess ?? false,
    ...(options.ask ? { ask: options.ask } : {}),
    ...(options.ui ? { ui: options.ui } : {}),
    ...(options.askGrant ? { grants: { ask: options.askGrant } } : {}),
    extensions,
    additions: options,
    ...(options.answerSchema ? { answerSchema: options.answerSchema } : {}),
    ...(options.promptBuilder ? { promptBuilder: options.promptBuilder } : {}),
  });
  const run = (said: Said): AsyncGenerator<AgentEvent, PromptOutcome> =>
    eventsOf(engine, () => engine.prompt({ ...(typeof said === "string" ? { text: said } : said), source: "rpc" }));
  return {
    ...engine,
    run,
    async answer(said) {
      const text = await answerOf(run(said));
      // A plan is no answer of that shape.
      const hasShape = options.answerSchema !== undefined || resolved.config.agent?.answer !== undefined;
      return hasShape && !engine.state().plan ? (await import("../../engine/proof/answer_text.ts")).shaped(text) : text;
    },
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

function extensionsOf({ extensions = [], customTools = [] }: AgentOptions): readonly InProcessExtension[] {
  const tools = customTools.length > 0 ? [{ name: "custom-tools", factory: toolsExtension(customTools) }] : [];
  return [...tools, ...extensions.map((factory, index) => ({ name: `program-${index + 1}`, factory }))];
}

async function answerOf(events: AsyncGenerator<AgentEvent, PromptOutcome>): Promise<string> {
  let text = "";
  for (let step = await events.next();; step = await events.next()) {
    if (!step.done) {
      const event = step.value;
      if (event.type === "message_end" && event.message.role === "assistant" && !event.discarded) {
        text = textOf(event.message.content);
      }
      continue;
    }
    const outcome = step.value;
    if (outcome.kind !== "run" || outcome.ending === "done") return text;
    throw new UserError({
      what: "The run gave no answer",
      why: outcome.errorMessage ?? outcome.reason ??
        (outcome.limit ? `it reached ${limitText(outcome.limit)}` : `it was ${outcome.ending}`),
      fix: "Look at its events: agent.run() gives them",
      exitCode: outcome.ending === "limit" ? 4 : outcome.ending === "unproven" ? 5 : 1,
    });
  }
}
