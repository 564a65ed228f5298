/** Limits of a run by their names in events: as a person reads them, with the option or setting that changes each. */
const TEXTS: Readonly<Record<string, string>> = {
  timeoutMs: "the time limit (--timeout)",
  maxTurns: "the turn limit (--max-turns)",
  maxTokensTotal: "the token limit (--max-tokens-total)",
  maxCostUsd: "the cost limit (--max-cost)",
  identicalCalls: "the limit of identical tool calls in a row",
  output: "the output limit of the model",
  parent: "a limit of the run that started it",
};

/** Describes a limit, for example `the time limit (--timeout)`. An unknown name is shown as it is. */
export function limitText(limit: string): string {
  return TEXTS[limit] ?? `the limit ${limit}`;
}
