import type { Engine, PromptOutcome, UserPrompt } from "../../core/engine.ts";
import { UserError } from "../../core/error.ts";
import type { Config } from "../../config/config.ts";
import { openEngine } from "../../engine/engine.ts";
import { eventsOf } from "../output/engine_events.ts";
import { writeAll } from "../output/write_all.ts";
import { assembleMessage, attachedImages, readStdin } from "../input/message.ts";
import { jsonMode, type ModeOutcome } from "./json.ts";
import { isTextEvent, textMode } from "./text.ts";
import type { ModelChoice } from "../../engine/model/model.ts";
import { type SignalWatch, watchSignals } from "../output/signals.ts";
import { warner } from "../output/report.ts";

/** Runs one task to its end; the exit code. Throws UserError for everything that is wrong before the first request. */
export async function runTask(config: Config, choice: ModelChoice): Promise<number> {
  const task = taskOf(config);
  const watch = watchSignals();
  const interrupted = (): number => watch.exitCode() ?? 1;
  try {
    const engine = await watch.opened(
      openEngine({ config, choice, channel: channelOf(config), onLeft: warner(config.invocation) }),
    );
    if (!engine) return interrupted();
    try {
      const said = await watch.before(task());
      return said ? await answer(engine, config, said, watch) : interrupted();
    } finally {
      await engine.close();
    }
  } finally {
    watch.stop();
  }
}

async function answer(engine: Engine, config: Config, task: Task, watch: SignalWatch): Promise<number> {
  const { values } = config.invocation;
  const warn = warner(config.invocation);
  for (const notice of engine.notices) warn(notice);
  const { sessionId: id, cwd } = engine.state();
  let outcome: PromptOutcome | undefined;
  const events = eventsOf(engine, async () => {
    return outcome = await engine.prompt({ ...task, source: "interactive", refusesUnknownNames: true });
  }, { stop: watch.signal, ...(values["mode"] === "json" ? {} : { wants: isTextEvent }) });
  const write = (line: string): boolean => writeAll(Deno.stdout, line);
  const seen = values["mode"] === "json"
    ? await jsonMode({ id, timestamp: new Date().toISOString(), cwd }, events, write)
    : await textMode(events, {
      answer: write,
      warn,
      ...(values["verbose"] ? { progress: (line: string) => void writeAll(Deno.stderr, line + "\n") } : {}),
    });
  if (seen.limit !== undefined && seen.ending === "limit") warn(`the run was ended by a limit: ${seen.limit}`);
  return exitCode(outcome, seen, watch);
}

/** A command of an extension ran, or a hook took the text: no model was asked. */
function isWithoutRun(outcome: PromptOutcome | undefined): boolean {
  return outcome !== undefined && outcome.kind !== "run";
}

/** What the person wants, in words and pictures. */
type Task = Pick<UserPrompt, "text" | "images">;

/** The task as a function, because standard input may still be open while the tools start. */
function taskOf(config: Config): () => Promise<Task> {
  const { words } = config.invocation;
  const { stdinIsTerminal, cwd, home } = config.world;
  // Files are read now: a wrong one is a usage error that should start nothing.
  const parts = { words, cwd, home };
  const early = assembleMessage(parts);
  const images = attachedImages(parts);
  if (stdinIsTerminal) {
    return early === "" ? () => Promise.reject(noTask()) : () => Promise.resolve({ text: early, images });
  }
  return async () => {
    const text = assembleMessage({ ...parts, stdin: await readStdin(Deno.stdin.readable) });
    if (text === "") throw noTask();
    return { text, images };
  };
}

function noTask(): UserError {
  return new UserError({
    what: "There is no task",
    why: "the command line has no message and standard input is empty",
    fix: 'Write sandpiper -p "what to do", or pipe it: echo "what to do" | sandpiper -p',
  });
}

/** Who reads along, for what the prompt says about questions (R409). */
function channelOf({ invocation: { values, words }, world }: Config): "text" | "json" | "stdin" {
  if (values["mode"] === "json") return "json";
  return words.length === 0 && !world.stdinIsTerminal ? "stdin" : "text";
}

/** The exit code of a run. Throws UserError where it is 1: no run fails without a word. */
function exitCode(outcome: PromptOutcome | undefined, seen: ModeOutcome, watch: SignalWatch): number {
  if (seen.ending === "done" && !seen.isUnread) return 0;
  const signalled = watch.exitCode();
  if (signalled !== undefined) return signalled;
  if (isWithoutRun(outcome) && !seen.isUnread) return 0;
  if (seen.ending === "limit") return 4;
  if (seen.isUnread) throw unread();
  if (seen.ending === "aborted") throw stopped();
  const why = outcome?.kind === "run" ? outcome.errorMessage : undefined;
  throw failed(why ?? "the run ended without an answer and without a reason");
}

/** A provider's message says what failed, and after its last sentence what to do. */
function failed(message: string): UserError {
  const [why, fix] = splitFix(message);
  return new UserError({ what: "The model gave no answer", why, fix, exitCode: 1 });
}

function stopped(): UserError {
  return new UserError({
    what: "The run was stopped",
    why: "an extension ended it before the model was done",
    fix: "Run again with --no-extensions to see what it does without them",
    exitCode: 1,
  });
}

function unread(): UserError {
  return new UserError({
    what: "The run was given up",
    why: "nobody reads its events any more: standard output is closed",
    fix: "Read the output to its end, or write it to a file",
    exitCode: 1,
  });
}

function splitFix(message: string): [string, string] {
  const at = message.lastIndexOf(". ");
  if (at < 0) return [message, "Run again with --verbose to see what happened before it"];
  return [message.slice(0, at), message.slice(at + 2)];
}
