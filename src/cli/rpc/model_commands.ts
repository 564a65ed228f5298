import { THINKING_LEVELS } from "../../core/provider.ts";
import * as z from "zod/mini";
import type { Engine } from "../../core/engine.ts";
import { UserError } from "../../core/error.ts";
import { command, type ModelView, plain } from "./command.ts";

const level = z.enum(THINKING_LEVELS);
const queueMode = z.object({ mode: z.enum(["one-at-a-time", "all"]) });

/** Commands that set what the next request is made with. */
export const MODEL_COMMANDS = {
  set_model: command(
    z.object({ provider: z.optional(z.string()), modelId: z.string() }),
    async ({ provider, modelId }, { engine }) => {
      await engine.setModel(provider === undefined ? modelId : nameOf(provider, modelId));
      return engine.state().model;
    },
  ),
  cycle_model: plain(async ({ engine, models }) => {
    const at = models.findIndex(({ id }) => id === engine.state().model.id);
    const next = models[(at + 1) % Math.max(models.length, 1)];
    if (next === undefined || next.id === engine.state().model.id) return null;
    await engine.setModel(nameOf(next.provider, next.id), "cycle");
    return { model: engine.state().model, thinkingLevel: engine.state().thinking, isScoped: false };
  }),
  get_available_models: plain(({ engine, models }) => ({ models: withCurrent(engine, models) })),
  set_thinking_level: command(z.object({ level }), ({ level }, { engine }) => engine.setThinking(level)),
  cycle_thinking_level: plain(({ engine }) => {
    const next = THINKING_LEVELS[(THINKING_LEVELS.indexOf(engine.state().thinking) + 1) % THINKING_LEVELS.length] ??
      "off";
    engine.setThinking(next, "cycle");
    return { level: next };
  }),
  get_available_thinking_levels: plain(() => ({ levels: THINKING_LEVELS })),
  set_steering_mode: command(queueMode, ({ mode }, { engine }) => engine.setQueueModes({ steering: mode })),
  set_follow_up_mode: command(queueMode, ({ mode }, { engine }) => engine.setQueueModes({ followUp: mode })),
  set_tools: command(
    z.object({ tools: z.array(z.string()) }),
    ({ tools }, { engine }) => ({ active: engine.setActiveTools(tools) }),
  ),
};

/** What `setModel` knows a provider's model by. A model's own name may begin with that of a provider. */
function nameOf(provider: string, id: string): string {
  if (provider === "openai") return `openai/${id}`;
  if (provider === "replay") return id.startsWith("replay:") ? id : `replay:${id}`;
  throw new UserError({
    what: `There is no provider "${provider.slice(0, 100)}"`,
    why: "servers that speak OpenAI's protocol are openai, cassettes are replay",
    fix: "Take provider and id from get_available_models, or leave the provider out",
  });
}

/** The model at hand may be one that no setting names. */
function withCurrent(engine: Engine, models: readonly ModelView[]): readonly object[] {
  const { model } = engine.state();
  return models.some(({ id }) => id === model.id) ? models : [model, ...models];
}
