/** What a server's finish word amounts to. Unknown words count as `stop`. */
export type Finish = "stop" | "length" | "toolUse" | "content_filter" | "overload" | "context_overflow";

const WORDS: Readonly<Record<string, Finish>> = {
  stop: "stop",
  end: "stop",
  eos: "stop",
  eos_token: "stop",
  length: "length",
  model_length: "length",
  max_tokens: "length",
  tool_calls: "toolUse",
  function_call: "toolUse",
  content_filter: "content_filter",
  sensitive: "content_filter",
  error: "overload",
  network_error: "overload",
  insufficient_system_resource: "overload",
  abort: "overload",
  model_context_window_exceeded: "context_overflow",
};

/** Reads a `finish_reason`; an empty or missing one is `undefined`. */
export function readFinish(word: unknown): Finish | undefined {
  if (typeof word !== "string" || word === "") return undefined;
  return Object.hasOwn(WORDS, word) ? WORDS[word] : "stop";
}

/** Whether a finish ends the reply as a failure. */
export function isFailure(finish: Finish | undefined): finish is "content_filter" | "overload" | "context_overflow" {
  return finish === "content_filter" || finish === "overload" || finish === "context_overflow";
}
