import { isObject } from "../../core/json.ts";
import { THINKING_LEVELS } from "../../core/provider.ts";
import { type Capabilities, DEFAULTS, MOST_EFFORTS, type SomeCapabilities } from "./capabilities.ts";

const STYLES: readonly string[] = ["effort", "reasoning", "thinking", "enable", "template", "none"];
const isCount = (value: unknown): boolean => typeof value === "number" && Number.isInteger(value) && value > 0;
const isClaim = (value: unknown): boolean => typeof value === "boolean";
const oneOf = (...words: readonly string[]) => (value: unknown): boolean =>
  typeof value === "string" && words.includes(value);

/** What is no claim that holds or does not. */
const SPECIAL: { readonly [Name in keyof Capabilities]?: (value: unknown) => boolean } = {
  api: oneOf("chat", "responses"),
  maxTokensField: oneOf("max_tokens", "max_completion_tokens", "none"),
  effortStyle: oneOf(...STYLES),
  efforts: (value) =>
    isObject(value) &&
    Object.entries(value).every(([level, word]) =>
      THINKING_LEVELS.some((known) => known === level) &&
      (word === null || (typeof word === "string" && word.length < 40))
    ),
  systemMessages: oneOf("anywhere", "first", "none"),
  reasoningEcho: oneOf("never", "calls", "always"),
  reasoningField: oneOf("reasoning_content", "reasoning"),
  answerFormat: oneOf("schema", "tool", "none"),
  callIds: oneOf("keep", "mistral9", "max40"),
  thinkingStyle: oneOf("adaptive", "budget", "none"),
  mostEffort: oneOf(...MOST_EFFORTS),
  thinkingDisplay: isClaim,
  eagerInput: isClaim,
  contextWindow: isCount,
  maxTokens: isCount,
};

/** What fits of a value that comes from a file; `undefined` where something in it does not. */
export function readCapabilities(value: unknown): SomeCapabilities | undefined {
  if (!isObject(value)) return undefined;
  const fits = Object.entries(value).every(([name, one]) => {
    const special = Object.hasOwn(SPECIAL, name) ? SPECIAL[name as keyof Capabilities] : undefined;
    return special ? special(one) : Object.hasOwn(DEFAULTS, name) && typeof one === "boolean";
  });
  // Each name was looked at.
  return fits ? value as SomeCapabilities : undefined;
}
