import type { JsonObject } from "../../core/json.ts";
import type { ThinkingLevel } from "../../core/provider.ts";
import type { Capabilities } from "../capabilities/capabilities.ts";

type Effort = Pick<Capabilities, "effortStyle" | "efforts">;

/** The word by which an endpoint knows a level of thinking; `undefined` where it is told none. */
export function effortWord(level: ThinkingLevel, { effortStyle, efforts }: Effort): string | undefined {
  if (effortStyle === "none") return undefined;
  const word = efforts[level];
  return word === undefined ? (level === "off" ? undefined : level) : word ?? undefined;
}

/** The fields of a chat request that ask for thinking. `off` leaves them out, unless the endpoint has a word for it. */
export function effortFields(level: ThinkingLevel, takes: Effort): JsonObject {
  const word = effortWord(level, takes);
  const isOn = level !== "off";
  switch (takes.effortStyle) {
    case "none":
      return {};
    case "effort":
      return word === undefined ? {} : { reasoning_effort: word };
    case "reasoning":
      return word === undefined ? {} : { reasoning: { effort: word } };
    case "thinking":
      return {
        ...(isOn ? { thinking: { type: "enabled" } } : {}),
        ...(word === undefined ? {} : { reasoning_effort: word }),
      };
    case "enable":
      return isOn ? { enable_thinking: true } : {};
    case "template":
      return isOn ? { chat_template_kwargs: { enable_thinking: true } } : {};
  }
}
