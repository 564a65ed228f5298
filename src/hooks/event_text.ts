import type { JsonObject, JsonValue } from "../core/json.ts";

/**
 * An event from its JSON text; a copy that nobody shares.
 *
 * The messages of a `context` event are read when they are first looked at: most handlers look at them in few turns, and
 * reading them is nearly all that the event costs.
 */
export function parseEvent(name: string, text: () => string): JsonObject {
  // The program wrote the text from an object.
  if (name !== "context") return JSON.parse(text()) as JsonObject;
  let event: JsonObject | undefined;
  return {
    type: name,
    get messages(): JsonValue {
      return (event ??= JSON.parse(text()) as JsonObject)["messages"] ?? null;
    },
  };
}
