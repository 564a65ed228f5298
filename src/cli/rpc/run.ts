import { UserError } from "../../core/error.ts";
import type { AgentEvent } from "../../core/event.ts";
import { unlessAborted, within } from "../../core/support/sleep.ts";
import type { Config } from "../../config/config.ts";
import { namedFilesOf, namedFilesUnder } from "../../config/named_files.ts";
import { openEngine } from "../../engine/engine.ts";
import { assembleMessage, attachedImages } from "../input/message.ts";
import type { ModelChoice } from "../../engine/model/model.ts";
import { watchSignals } from "../output/signals.ts";
import { runWarner } from "../output/report.ts";
import type { RpcContext } from "./command.ts";
import { linesOf } from "./lines.ts";
import { rpcModels } from "./models.ts";
import { behindReason, standardOutput } from "./outgoing.ts";
import { rpcGrants, rpcUi } from "./ui.ts";
import { type RpcQuestions, rpcQuestions } from "./questions.ts";
import { failure, serve } from "./serve.ts";

/**
 * Serves one session over standard input and output. Returns the exit code: 0 at the end of the input, 1 when nobody reads
 * the output any more, else that of the signal. The command line's message is the first prompt.
 */
export async function runRpc(config: Config, choice: ModelChoice): Promise<number> {
  const first = firstPrompt(config);
  const watch = watchSignals();
  const questions = rpcQuestions();
  const warn = runWarner(config.invocation);
  try {
    const engine = await watch.opened(openEngine({
      config,
      choice,
      channel: "rpc",
      ask: questions.ask,
      ui: rpcUi(questions),
      // The client's answers are read when the session is open.
      grants: { ask: rpcGrants(questions), isLater: true },
      onLeft: warn,
    }));
    if (!engine) return watch.exitCode() ?? 1;
    const output = standardOutput();
    try {
      for (const notice of engine.notices) warn(notice);
      const { sessionId: id, cwd } = engine.state();
      output.send({ type: "session", version: 3, id, timestamp: new Date().toISOString(), cwd });
      const stop = AbortSignal.any([watch.signal, output.gone]);
      await serveLines({
        engine,
        models: rpcModels(config, choice),
        files: () => namedFilesUnder(config, engine.state().policy),
        questions,
        first,
        send: output.send,
        stop,
      });
    } finally {
      output.stopLooking();
      await engine.close();
      await output.end();
    }
    const signalled = watch.exitCode();
    if (signalled !== undefined) return signalled;
    if (output.isBehind()) throw behind();
    return output.gone.aborted ? 1 : 0;
  } finally {
    watch.stop();
  }
}

/** How long commands may take to answer when they have been stopped, milliseconds. */
const LAST_ANSWERS_MS = 500;

/** What is served, and to whom. */
interface Served extends Pick<RpcContext, "engine" | "models" | "files"> {
  readonly questions: RpcQuestions;
  /** Served before the first line of the input. */
  readonly first: string | undefined;
  /** Writes one value as a line. */
  readonly send: (value: object) => void;
  /** Aborts when nobody reads any more, or when the process is to end. */
  readonly stop: AbortSignal;
}

/**
 * Serves a session over lines of JSON until the input ends or `stop` aborts: `{id?, type, …}` in, responses and events out.
 *
 * A response has the id of its command; events have none. Commands start in the order in which they come, and one that
 * takes its time (a compaction, a typed command) does not hold up the others. At the end of the input what was asked is
 * still done; `stop` ends it. Nothing runs any more when this returns.
 */
async function serveLines({ engine, models, files, questions, first, send, stop }: Served): Promise<void> {
  const starting = new Set<() => void>();
  let isRetrying = false;
  const context: RpcContext = {
    engine,
    models,
    files,
    answerPermission: questions.answer,
    announce: questions.announce,
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
    for await (const line of linesOf(Deno.stdin.readable, { stop })) {
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

/** The command line's message as the command that it stands for. Standard input is the client's. */
function firstPrompt(config: Config) {
  const { invocation: { words, values }, world: { cwd, home } } = config;
  if (values["print"]) throw notBoth();
  const parts = { words, cwd, home, files: namedFilesOf(config) };
  const message = assembleMessage(parts);
  return message === "" ? undefined : JSON.stringify({ type: "prompt", message, images: attachedImages(parts) });
}

function notBoth(): UserError {
  return new UserError({
    what: "--print and --mode rpc do not go together",
    why: "one asks for a single answer, the other for a session with a program",
    fix: "Leave one of them out",
  });
}

function behind(): UserError {
  return new UserError({
    what: "The session was ended",
    why: behindReason(),
    fix: "Read standard output to its end while the session runs; the session itself is kept and can be resumed",
    exitCode: 1,
  });
}
