import type { JsonObject, JsonValue } from "../core/json.ts";
import type { AgentEvent, RunTotals } from "../core/event.ts";
import type { Budget } from "../core/runner.ts";

/** Bounds of one run; an absent one does not bind. */
export interface RunLimits {
  /** Replies before the final one that is made without tools. */
  readonly maxTurns?: number;
  /** Wall clock, milliseconds. */
  readonly timeoutMs?: number;
  /** Tokens of all requests of the run, cached ones included. */
  readonly maxTokensTotal?: number;
  readonly maxCostUsd?: number;
  /** Equal successful calls in a row; 3 unless told otherwise. */
  readonly identicalCalls?: number;
  /** Automatic continuations of a reply that was cut by the output limit; 3 unless told otherwise. */
  readonly maxContinuations?: number;
}

/**
 * Which limit ended a run; `output`: the last reply stayed cut after all its continuations; `parent`: a limit of the run
 * that started this one.
 */
export type LimitName =
  | "parent"
  | "maxTurns"
  | "timeoutMs"
  | "maxTokensTotal"
  | "maxCostUsd"
  | "identicalCalls"
  | "output";

/** Counts what a run used up, and the runs that its calls started. */
export interface Meter extends Budget {
  addCall(name: string, args: JsonObject, succeeded: boolean): void;
  /** The first limit that leaves no room for another turn with tools; undefined if none is reached. */
  reached(): LimitName | undefined;
  totals(): Omit<RunTotals, "durationMs">;
}

/** A meter at zero. `whole`: the budget of the run that started this one; everything is added to it, too. */
export function createMeter(limits: RunLimits, whole?: Budget): Meter {
  const { maxTurns = Infinity, maxTokensTotal = Infinity, maxCostUsd = Infinity, identicalCalls = 3 } = limits;
  let turns = 0;
  let toolCalls = 0;
  const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
  let cost: number | undefined;
  let lastCall = "";
  let repeats = 0;
  const used = (): LimitName | undefined => {
    if (turns >= maxTurns) return "maxTurns";
    if (tokens.totalTokens > maxTokensTotal) return "maxTokensTotal";
    return (cost ?? 0) > maxCostUsd ? "maxCostUsd" : undefined;
  };
  return {
    addTurn() {
      turns++;
      whole?.addTurn();
    },
    addUsage(usage) {
      if (!usage) return;
      whole?.addUsage(usage);
      for (const name of Object.keys(tokens) as (keyof typeof tokens)[]) tokens[name] += usage[name]; // its own keys
      if (usage.cost) cost = (cost ?? 0) + usage.cost.total;
    },
    addAsked(calls) {
      toolCalls += calls;
      whole?.addAsked(calls);
    },
    addCall(name, args, succeeded) {
      // A failed call in between breaks the row: trying again after a failure is what the model should do.
      const call = succeeded ? canonicalJson([name, args]) : "";
      repeats = succeeded && call === lastCall ? repeats + 1 : 1;
      lastCall = call;
    },
    reached() {
      return used() ?? (lastCall !== "" && repeats >= identicalCalls ? "identicalCalls" : undefined);
    },
    spent: () => used() ?? whole?.spent(),
    totals: () => ({ turns, toolCalls, ...tokens, ...(cost === undefined ? {} : { cost }) }),
  };
}

/** Passes on the events of a compaction and adds the cost of its summary to the meter. */
export async function* metered<T>(
  events: AsyncGenerator<AgentEvent, T>,
  meter: Pick<Meter, "addUsage">,
): AsyncGenerator<AgentEvent, T> {
  for (;;) {
    const step = await events.next();
    if (step.done) return step.value;
    if (step.value.type === "compaction_end") meter.addUsage(step.value.usage);
    yield step.value;
  }
}

/** JSON text in which equal values look equal: keys sorted at every level. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_key, part: JsonValue) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
