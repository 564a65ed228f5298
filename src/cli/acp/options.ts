import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import type { Engine } from "../../core/engine.ts";
import { THINKING_LEVELS } from "../../core/provider.ts";

/** What a client may set for a session: the model, among those that the settings name, and the reasoning effort. */
export function configOptions(engine: Engine, models: readonly string[]): SessionConfigOption[] {
  const { model, thinking } = engine.state();
  const ids = models.includes(model.id) ? models : [model.id, ...models];
  return [
    {
      id: "model",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: model.id,
      options: ids.map((id) => ({ value: id, name: id })),
    },
    {
      id: "thinking",
      name: "Thinking",
      category: "thought_level",
      type: "select",
      currentValue: thinking,
      options: THINKING_LEVELS.map((level) => ({ value: level, name: level })),
    },
  ];
}

/** Sets one of them; false when there is no such option or value. Throws UserError for a model that cannot be opened. */
export async function setOption(
  engine: Engine,
  models: readonly string[],
  id: string,
  value: unknown,
): Promise<boolean> {
  if (id === "thinking") {
    const level = THINKING_LEVELS.find((known) => known === value);
    if (level) engine.setThinking(level);
    return level !== undefined;
  }
  const isOffered = typeof value === "string" && [engine.state().model.id, ...models].includes(value);
  if (id !== "model" || !isOffered) return false;
  if (value !== engine.state().model.id) await engine.setModel(value);
  return true;
}
