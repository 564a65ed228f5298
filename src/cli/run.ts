import { messageOf, UserError } from "../core/error.ts";
import type { AgentEvent } from "../core/event.ts";
import { stripControls } from "../core/text.ts";
import { openAudit } from "../session/audit.ts";
import type { App } from "./app.ts";
import { openApp } from "./app.ts";
import { type Config, configure } from "./config.ts";
import { writeAll } from "./main.ts";
import { assembleMessage, readStdin } from "./message.ts";
import { jsonMode, type ModeOutcome } from "./mode_json.ts";
import { textMode } from "./mode_text.ts";
import { chooseModel, type ModelChoice } from "./model.ts";
import type { Invocation } from "./parse.ts";
import { openModel } from "./open_model.ts";
import { type SignalWatch, watchSignals } from "./signals.ts";
import { readVariable, readWorld } from "./world.ts";

/** Runs one task to its end; the exit code. Throws UserError for everything that is wrong before the first request. */
export async function run(invocation: Invocation): Promise<number> {
  const config = configure(invocation, readWorld());
  const choice = chooseModel(invocation.values, config.settings, { cwd: config.world.cwd, variable: readVariable });
  const task = taskOf(config);
  const watch = watchSignals((code) => Deno.exit(code));
  const app = await openApp(config, { startTools: true });
  try {
    return await answer(app, choice, await task(), watch);
  } finally {
    await app.close();
    watch.stop();
  }
}

async function answer(app: App, choice: ModelChoice, text: string, watch: SignalWatch): Promise<number> {
  const { values } = app.config.invocation;
  const json = values["mode"] === "json";
  const model = await openModel(choice, app.config);
  const warn = (line: string): void => {
    if (!values["quiet"]) writeAll(Deno.stderr, `warning: ${stripControls(line)}\n`);
  };
  for (const notice of [...app.notices, ...model.notices]) warn(notice);
  const reader = new AbortController(); // aborted when nobody reads standard output any more
  const session = header(app.config.root);
  const run = app.run(text, model.provider, model.maxTokens, AbortSignal.any([watch.signal, reader.signal]));
  const events = audited(run, session.id, app.config, warn);
  const write = (line: string): boolean => {
    const read = writeAll(Deno.stdout, line);
    if (!read) reader.abort();
    return read;
  };
  if (json) return exitCode(await jsonMode(session, events, write), watch, undefined);
  const outcome = await textMode(events, {
    answer: write,
    warn,
    ...(values["verbose"] ? { progress: (line: string) => void writeAll(Deno.stderr, line + "\n") } : {}),
  });
  if (outcome.limit !== undefined && outcome.ending === "limit") warn(`the run was ended by a limit: ${outcome.limit}`);
  return exitCode(outcome, watch, outcome.last?.errorMessage);
}

/** The events, with a line in the session's audit for each tool call that goes by. */
async function* audited(
  events: AsyncIterable<AgentEvent>,
  session: string,
  config: Config,
  warn: (line: string) => void,
): AsyncGenerator<AgentEvent> {
  const audit = config.auditFolder === undefined
    ? undefined
    : openAudit(config.auditFolder, session, Date.now, (error) =>
      warn(`the audit cannot be written: ${messageOf(error)}`));
  for await (const event of events) {
    audit?.read(event);
    yield event;
  }
}

/** The task as a function, because standard input may still be open while the tools start. */
function taskOf(config: Config): () => Promise<string> {
  const { words } = config.invocation;
  const { stdinIsTerminal, cwd, home } = config.world;
  // Files are read now: a wrong one is a usage error that should start nothing.
  const parts = { words, cwd, home };
  const early = assembleMessage(parts);
  if (stdinIsTerminal) return early === "" ? () => Promise.reject(noTask()) : () => Promise.resolve(early);
  return async () => {
    const text = assembleMessage({ ...parts, stdin: await readStdin(Deno.stdin.readable) });
    if (text === "") throw noTask();
    return text;
  };
}

function noTask(): UserError {
  return new UserError({
    what: "There is no task",
    why: "the command line has no message and standard input is empty",
    fix: 'Write sandpiper -p "what to do", or pipe it: echo "what to do" | sandpiper -p',
  });
}

function header(cwd: string): { id: string; timestamp: string; cwd: string } {
  return { id: crypto.randomUUID(), timestamp: new Date().toISOString(), cwd };
}

function exitCode(outcome: ModeOutcome, watch: SignalWatch, why: string | undefined): number {
  switch (outcome.ending) {
    case "done":
      return 0;
    case "limit":
      return 4;
    case "aborted":
      return watch.exitCode() ?? 1;
    case "error":
      if (why !== undefined) throw failed(why);
      return 1;
  }
}

/** A provider's message says what failed, and after its last sentence what to do. */
function failed(message: string): UserError {
  const [why, fix] = splitFix(message);
  return new UserError({ what: "The model gave no answer", why, fix, exitCode: 1 });
}

function splitFix(message: string): [string, string] {
  const at = message.lastIndexOf(". ");
  if (at < 0) return [message, "Run again with --verbose to see what happened before it"];
  return [message.slice(0, at), message.slice(at + 2)];
}
