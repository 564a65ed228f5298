import type { Engine } from "../../core/engine.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { RpcContext, RpcModels } from "./command.ts";
import { unlessAborted, within } from "../../core/support/sleep.ts";
import { linesOf } from "./lines.ts";
import type { RpcQuestions } from "./questions.ts";
import { failure, serve } from "./serve.ts";

/** How long commands may take to answer when they have been stopped, milliseconds. */
const LAST_ANSWERS_MS = 500;

/** Where RPC mode reads and writes. */
export interface RpcPipes {
  readonly input: ReadableStream<Uint8Array>;
  /** Writes one value as a line. */
  readonly send: (value: object) => void;
  /** Aborts when nobody reads any more, or when the process is to end. */
  readonly stop: AbortSignal;
}

/** What RPC mode serves. */
export interface RpcSession {
  readonly engine: Engine;
  readonly models: RpcModels;
  readonly questions: RpcQuestions;
  /** Served before the first line of the input. */
  readonly first?: string;
}

/**
 * Serves a session over lines of JSON until the input ends or `stop` aborts: `{id?, type, …}` in, responses and events out.
 *
 * A response has the id of its command; events have none. Commands start in the order in which they come, and one that
 * takes its time (a compaction, a typed command) does not hold up the others. At the end of the input what was asked is
 * still done; `stop` ends it. Nothing runs any more when this returns.
 */
export async function rpcMode(
  { engine, models, questions, first }: RpcSession,
  pipes: RpcPipes,
): Promise<void> {
  const { input, send, stop } = pipes;
  const starting = new Set<() => void>();
  let isRetrying = false;
  const context: RpcContext = {
    engine,
    models,
    answerPermission: questions.answer,
    beforeRun(callback) {
      starting.add(callback);
      return () => void starting.delete(callback);
    },
    isRetrying: () => isRetrying,
  };
  const unsubscribe = engine.subscribe((event: AgentEvent) => {
    if (event.type === "auto_retry_start") isRetrying = true;
    if (event.type === "auto_retry_end") isRetrying = false;
    if (startsRun(event)) {
      const callbacks = [...starting];
      starting.clear();
      for (const callback of callbacks) callback();
    }
    send(event);
  });
  const end = (): void => void engine.abort();
  stop.addEventListener("abort", end);
  questions.open(send);
  const running = new Set<Promise<void>>();
  const start = (text: string): void => {
    const work = serve(text, { context, send, answerUi: questions.answerUi });
    running.add(work);
    void work.finally(() => running.delete(work));
  };
  try {
    if (first !== undefined && !stop.aborted) start(first);
    for await (const line of linesOf(input, { stop })) {
      if ("error" in line) send(failure(undefined, "parse", line.error));
      else start(line.text);
    }
    // Nobody can answer any more.
    questions.close();
    const answered = Promise.all(running).then(() => engine.waitForIdle());
    await unlessAborted(answered, stop).catch((error) => {
      if (!stop.aborted) throw error;
    });
    if (!stop.aborted) return;
    await engine.abort();
    // What was stopped still answers; a command of an extension may go on for as long as it likes.
    await within(LAST_ANSWERS_MS, answered);
  } finally {
    stop.removeEventListener("abort", end);
    questions.close();
    unsubscribe();
  }
}

/** A prompt may begin with a compaction; either way it is on its way when one of these comes. */
function startsRun({ type }: AgentEvent): boolean {
  return type === "agent_start" || type === "compaction_start";
}
