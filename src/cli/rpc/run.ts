import { UserError } from "../../core/error.ts";
import type { Config } from "../../config/config.ts";
import { openEngine } from "../../engine/engine.ts";
import { assembleMessage, attachedImages } from "../input/message.ts";
import type { ModelChoice } from "../../engine/model/model.ts";
import { watchSignals } from "../output/signals.ts";
import { warner } from "../output/report.ts";
import { rpcModels } from "./models.ts";
import { rpcMode } from "./mode.ts";
import { behindReason, standardOutput } from "./outgoing.ts";
import { rpcGrants, rpcUi } from "./ui.ts";
import { rpcQuestions } from "./questions.ts";

/**
 * Serves one session over standard input and output. Returns the exit code: 0 at the end of the input, 1 when nobody reads
 * the output any more, else that of the signal. The command line's message is the first prompt.
 */
export async function runRpc(config: Config, choice: ModelChoice): Promise<number> {
  const first = firstPrompt(config);
  const watch = watchSignals();
  const questions = rpcQuestions();
  const warn = warner(config.invocation);
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
      await rpcMode(
        { engine, models: rpcModels(config, choice), questions, ...(first === undefined ? {} : { first }) },
        { input: Deno.stdin.readable, send: output.send, stop: AbortSignal.any([watch.signal, output.gone]) },
      );
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

/** The command line's message as the command that it stands for. Standard input is the client's. */
function firstPrompt({ invocation: { words, values }, world: { cwd, home } }: Config) {
  if (values["print"]) throw notBoth();
  const parts = { words, cwd, home };
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
