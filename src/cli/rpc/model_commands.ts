import { THINKING_LEVELS } from "../../core/provider.ts";
import * as z from "zod/mini";
import { command, type ModelView, type PiModel, plain } from "./command.ts";

const level = z.enum(THINKING_LEVELS);
const queueMode = z.object({ mode: z.enum(["one-at-a-time", "all"]) });

/** Commands that set what the next request is made with. */
export const MODEL_COMMANDS = {
  set_model: command(
    z.object({ provider: z.optional(z.string()), modelId: z.string() }),
    async ({ provider, modelId }, { engine, models }) => {
      await engine.setModel(provider === undefined ? modelId : models.nameOf(provider, modelId));
      return models.full(engine.state().model);
    },
  ),
  cycle_model: plain(async ({ engine, models }) => {
    const { own } = models;
    const at = own.findIndex(({ id }) => id === engine.state().model.id);
    const next = own[(at + 1) % Math.max(own.length, 1)];
    if (next === undefined || next.id === engine.state().model.id) return null;
    await engine.setModel(models.nameOf(next.provider, next.id), "cycle");
    return { model: models.full(engine.state().model), thinkingLevel: engine.state().thinking, isScoped: false };
  }),
  get_available_models: plain(async ({ engine, models }) => ({
    models: withCurrent(models.full(engine.state().model), await models.available()),
  })),
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

/** The model at hand may be one that nobody lists. */
function withCurrent(model: PiModel, models: readonly ModelView[]): readonly object[] {
  const isListed = models.some(({ id, provider }) => id === model.id && provider === model.provider);
  return isListed ? models : [model, ...models];
}
