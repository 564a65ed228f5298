import { createMailbox } from "./mailbox.ts";
import { appendMessages, type RunState } from "./run_state.ts";
import { executeCall, resultMessage, type RoutedCall } from "./tool_call.ts";
import { messageOf } from "../core/error.ts";
import type { AgentEvent } from "../core/event.ts";
import { textOf, type ToolResultMessage } from "../core/message.ts";
import { errorResult } from "../core/tool.ts";
import type { ToolResult } from "../core/tool_result.ts";

const SKIPPED = "Skipped due to queued user message";
const STOPPED = "Not run: the run was stopped before this call";

/** Runs the calls of one reply in order; steering and an abort leave the rest unrun but answered (R234, R244, R261). */
export async function* runCalls(
  calls: readonly RoutedCall[],
  run: RunState,
): AsyncGenerator<AgentEvent, readonly ToolResultMessage[]> {
  const results: ToolResultMessage[] = [];
  for (let next = 0; next < calls.length;) {
    const group = groupAt(calls, next, run.deps.toolExecution === "parallel");
    const wasSteered = next > 0 && run.deps.queues.hasSteering();
    const unrun = run.signal.aborted ? STOPPED : wasSteered ? SKIPPED : undefined;
    for (const message of yield* runGroup(group, unrun, run)) {
      results.push(message);
      yield* appendMessages(run, [message]);
    }
    next += group.length;
  }
  return results;
}

/**
 * The calls from `start` on that run in parallel: the longest sequence of calls that cannot disturb each other
 * (`keepsApart`) or, if `lookersToo`, of read-only ones; else one call.
 */
function groupAt(calls: readonly RoutedCall[], start: number, lookersToo: boolean): readonly RoutedCall[] {
  const row = (fits: (call: RoutedCall | undefined) => boolean): number => {
    let end = start;
    while (fits(calls[end])) end++;
    return end;
  };
  const end = Math.max(row(keepsApart), lookersToo ? row(isReadOnly) : start, start + 1);
  return calls.slice(start, end);
}

function keepsApart(routed: RoutedCall | undefined): boolean {
  return routed?.kind === "ready" && routed.tool.keepsApart === true;
}

function isReadOnly(routed: RoutedCall | undefined): boolean {
  return routed?.kind === "ready" && routed.tool.readOnly;
}

type Delivery =
  | { readonly kind: "update"; readonly index: number; readonly partial: ToolResult }
  | { readonly kind: "end"; readonly index: number; readonly result: ToolResult; readonly times: CallTimes };

/** Runs a group side by side. Ends are shown as they come, messages are returned in the order of the calls. */
async function* runGroup(
  group: readonly RoutedCall[],
  unrun: string | undefined,
  run: RunState,
): AsyncGenerator<AgentEvent, readonly ToolResultMessage[]> {
  const { deps, signal } = run;
  const mailbox = createMailbox<Delivery>();
  const results: ToolResult[] = [];
  const checked: RoutedCall[] = [];
  for (const routed of group) {
    const { call } = routed;
    const answer = unrun ?? await forbid(routed, run);
    const settled: RoutedCall = answer === undefined ? routed : { kind: "answered", call, result: errorResult(answer) };
    checked.push(settled);
    if (settled.kind === "answered") { // what does not run has no execution events (R211)
      if (unrun === undefined) yield rejected(settled, routed.kind === "answered" ? "program" : "extension");
      continue;
    }
    yield { type: "tool_execution_start", toolCallId: call.id, toolName: call.name, args: call.arguments };
  }
  let running = 0;
  for (const [index, routed] of checked.entries()) {
    if (routed.kind === "answered") {
      results[index] = routed.result;
      continue;
    }
    running++;
    // Asked again here: the reader of the start events may have stopped the run.
    if (signal.aborted) {
      mailbox.put({ kind: "end", index, result: errorResult(STOPPED), times: { durationMs: 0 } });
      continue;
    }
    const clock = startCallClock(() => performance.now());
    void executeCall(
      routed,
      deps,
      signal,
      (partial) => mailbox.put({ kind: "update", index, partial }),
      clock.wait,
      run.meter,
    )
      .then((result) => mailbox.put({ kind: "end", index, result, times: clock.read() }));
  }
  while (running > 0) {
    for (const delivery of await mailbox.take()) {
      const { id: toolCallId, name: toolName } = checked[delivery.index]!.call;
      if (delivery.kind === "update") {
        yield { type: "tool_execution_update", toolCallId, toolName, partialResult: delivery.partial };
        continue;
      }
      running--;
      const { result, times } = delivery;
      results[delivery.index] = result;
      yield { type: "tool_execution_end", toolCallId, toolName, result, isError: result.isError ?? false, ...times };
    }
  }
  const messages: ToolResultMessage[] = [];
  for (const [index, routed] of checked.entries()) {
    const result = await afterwards(routed, results[index]!, run);
    if (unrun === undefined) account(routed, result, run);
    messages.push(resultMessage(routed.call, result, deps.now()));
  }
  return messages;
}

function rejected(
  { call, result }: Extract<RoutedCall, { kind: "answered" }>,
  by: "extension" | "program",
): AgentEvent {
  const { id: toolCallId, name: toolName, arguments: args } = call;
  return { type: "tool_call_rejected", toolCallId, toolName, args, by, reason: textOf(result.content) };
}

/** Why a valid call must not run, by its hook. Fails closed. */
async function forbid(routed: RoutedCall, { deps, signal }: RunState): Promise<string | undefined> {
  if (routed.kind === "answered" || !deps.beforeToolCall) return undefined;
  const { id, name, arguments: args } = routed.call;
  try {
    return await deps.beforeToolCall({ id, name, args }, signal);
  } catch (error) {
    return `Blocked: the check of this call failed (${messageOf(error)})`;
  }
}

/** A result as its hook leaves it: what could not be looked at does not reach the model. Calls that never ran have none. */
async function afterwards(routed: RoutedCall, result: ToolResult, { deps, signal }: RunState): Promise<ToolResult> {
  if (!deps.afterToolResult || routed.kind === "answered") return result;
  const { call } = routed;
  try {
    return await deps.afterToolResult({ id: call.id, name: call.name, args: call.arguments }, result, signal);
  } catch (error) {
    return errorResult(`The result is withheld: the check of it failed (${messageOf(error)}). The call itself has run`);
  }
}

function account({ call }: RoutedCall, result: ToolResult, { meter, recovery }: RunState): void {
  const succeeded = !result.isError;
  meter.addCall(call.name, call.arguments, succeeded);
  if (succeeded) recovery.succeeded();
  else recovery.failed(call.name, textOf(result.content));
}

/** How long a call worked, and how long it waited for a person's answer; milliseconds, to a tenth. */
export interface CallTimes {
  readonly durationMs: number;
  /** Absent where nobody was asked. */
  readonly waitedMs?: number;
}

/** The clock of one call. */
export interface CallClock {
  /** Pauses the clock until the returned function is called; pauses do not nest. */
  readonly wait: () => () => void;
  /** The times so far; a pause that has not ended counts up to now. */
  readonly read: () => CallTimes;
}

/** Starts a clock; `now` gives milliseconds of a monotonic clock. */
export function startCallClock(now: () => number): CallClock {
  const start = now();
  let waited: number | undefined;
  let since: number | undefined;
  const end = (): void => {
    if (since !== undefined) waited = (waited ?? 0) + now() - since;
    since = undefined;
  };
  return {
    wait() {
      end();
      since = now();
      return end;
    },
    read() {
      end();
      const durationMs = now() - start - (waited ?? 0);
      return waited === undefined
        ? { durationMs: tenths(durationMs) }
        : { durationMs: tenths(durationMs), waitedMs: tenths(waited) };
    },
  };
}

function tenths(ms: number): number {
  return Math.max(0, Math.round(ms * 10) / 10);
}
