import { limitText } from "../../core/support/limit_text.ts";
import { counted, visibleJson } from "../../core/support/text.ts";
import { resolve } from "@std/path";
import type { Engine, EngineState, PromptOutcome, UserPrompt } from "../../core/engine.ts";
import type { TrialResult } from "../../core/changes.ts";
import { messageOf, UserError } from "../../core/error.ts";
import type { Config } from "../../config/config.ts";
import type { NamedFile } from "../../core/named_files.ts";
import { namedFilesOf } from "../../config/named_files.ts";
import type { Values } from "../../config/options/parse.ts";
import { runLimitsOf } from "../../config/run_settings.ts";
import { openEngine } from "../../engine/engine.ts";
import { eventsOf } from "../output/engine_events.ts";
import { endOutputSoon, standardError, standardOutput } from "../output/write_all.ts";
import { assembleMessage, attachedImages } from "../input/message.ts";
import { readStdin } from "../input/stdin.ts";
import { endOf, failedCheck, isWithoutRun, unkept, unlooked } from "./run_ending.ts";
import type { ModeOutcome } from "./json.ts";
import { isTextEvent, textMode } from "./text.ts";
import type { ModelChoice } from "../../engine/model/model.ts";
import { type SignalWatch, watchSignals } from "../output/signals.ts";
import { exitCodeOf, runWarner } from "../output/report.ts";
import { collectFacts, type FactCollector, type RunFacts } from "../report/facts.ts";
import type { RunEnd } from "../report/report.ts";
import type { SeenRecorder } from "../check/record_seen.ts";

/** Runs one task to its end; the exit code. Throws UserError for everything that is wrong before the first request. */
export async function runTask(config: Config, choice: ModelChoice): Promise<number> {
  const proof = await proofOf(config);
  const seen: Seen = { facts: collectFacts(), started: performance.now() };
  const watch = watchSignals();
  const interrupted = (): number => {
    const code = watch.exitCode() ?? 1;
    seen.end = { outcome: "aborted", exitCode: code };
    return code;
  };
  try {
    const engine = await watch.opened(
      openEngine({ config, choice, channel: channelOf(config), onLeft: runWarner(config.invocation) }),
    );
    if (!engine) return interrupted();
    seen.trial = () => engine.trialResult();
    try {
      const task = taskOf(config, seen.started);
      const said = await watch.before(task());
      if (said && typeof config.invocation.values["record"] === "string") {
        const { recordSeen } = await import("../check/record_seen.ts");
        seen.recorder = recordSeen(
          config,
          { task: said.text, channel: channelOf(config) },
          engine,
          runWarner(config.invocation),
        );
      }
      return said ? await answer(engine, config, said, { watch, proof, seen }) : interrupted();
    } finally {
      await engine.close();
    }
  } catch (error) {
    const exitCode = exitCodeOf(error);
    const end = exitCode === 4 ? { outcome: "limit", limit: "timeoutMs" } as const : { outcome: "error" } as const;
    seen.end ??= { ...end, exitCode, why: messageOf(error) };
    throw error;
  } finally {
    watch.stop();
    if (seen.end) seen.recorder?.end(seen.end, seen.facts.facts().answer);
    if (proof.reports.length > 0 && seen.end) {
      const { runReport, writeReports } = await reports();
      await writeReports(
        namedFilesOf(config),
        proof.reports,
        runReport(seen.end, seen.facts.facts(), seen.state, seen.trial?.()),
        (text) => standardOutput.put(text),
      );
    }
  }
}

/** Throws UserError for a task and demands that no model could be given; what standard input holds is left in it. */
export async function refuseTask(config: Config): Promise<void> {
  await proofOf(config);
  const task = taskOf(config, performance.now());
  if (config.world.stdinIsTerminal) await task();
}

/** What is known of a run while it goes on. */
interface Seen {
  readonly facts: FactCollector;
  /** When the run began, by `performance.now()`: `--timeout` counts from here. */
  readonly started: number;
  state?: EngineState;
  /** Only with `--record`. */
  recorder?: SeenRecorder;
  /** What became of the trial, once it has ended. */
  trial?: () => TrialResult | undefined;
  end?: RunEnd;
}

/** What the person wants to be shown of the run. */
interface WantedProof {
  /** Why a run that ended well is a failure all the same. */
  readonly failure?: (facts: RunFacts) => string | undefined;
  /** What is wrong where no model was asked: nobody looked at what was demanded. */
  readonly unseen?: string;
  readonly reports: readonly (NamedFile | "-")[];
  readonly output?: NamedFile;
  /** Only JSON of a schema is an answer: makes it of the text of a reply. */
  readonly shape?: (answer: string) => string;
}

/** Most runs want none of it: its code is loaded for those that do. */
const reports = () => import("../report/report.ts");

async function proofOf(config: Config): Promise<WantedProof> {
  const { invocation: { values }, world } = config;
  const { report = [], output: answerFile } = values;
  refuseTwoOnStdout(values);
  const place = async (path: string, option: string): Promise<NamedFile> =>
    (await reports()).outputFile(namedFilesOf(config), resolve(world.cwd, path), option);
  const files: (NamedFile | "-")[] = [];
  for (const path of Array.isArray(report) ? report : []) {
    files.push(path === "-" ? path : await place(path, "--report"));
  }
  // The answer goes there in any case.
  const output = typeof answerFile === "string" && answerFile !== "-" ? await place(answerFile, "--output") : undefined;
  const failing = values["fail-on"] === undefined ? undefined : await import("../report/fail_on.ts");
  const conditions = failing?.failOnOf(config) ?? [];
  const answers = values["output-schema"] === undefined ? undefined : await import("../../engine/proof/answer_text.ts");
  const demanded = ["require", "output-schema"].filter((name) => values[name] !== undefined).map((name) => `--${name}`);
  const unseen = `no model was asked, so that nobody looked at what ${demanded.join(" and ")} demands`;
  return {
    ...(demanded.length > 0 ? { unseen } : {}),
    ...(failing ? { failure: (facts) => failing.failureOf(conditions, facts) } : {}),
    reports: files,
    ...(output === undefined ? {} : { output }),
    ...(answers ? { shape: answers.shaped } : {}),
  };
}

/** Standard output is for one thing. Throws UserError where two are to go there. */
function refuseTwoOnStdout({ report, output, mode }: Values): void {
  const named = [
    ...(Array.isArray(report) && report.includes("-") ? ["--report -"] : []),
    ...(output === "-" ? ["--output -"] : []),
  ];
  const isJson = mode === "json";
  if (named.length < (isJson ? 1 : 2)) return;
  throw new UserError({
    what: `Cannot write to standard output for ${named.join(" and for ")}`,
    why: isJson ? "--mode json writes its events there, and the report last" : "only one of the two can be read there",
    fix: isJson
      ? `Leave ${named.join(" and ")} out, or name a file`
      : "Leave --output - out: the report has the answer",
  });
}

interface Running {
  readonly watch: SignalWatch;
  readonly proof: WantedProof;
  readonly seen: Seen;
}

async function answer(
  engine: Engine,
  config: Config,
  task: Task,
  { watch, proof, seen }: Running,
): Promise<number> {
  const { values } = config.invocation;
  const isJson = values["mode"] === "json";
  const warn = runWarner(config.invocation);
  for (const notice of engine.notices) {
    warn(notice);
    seen.facts.take({ type: "notice", level: "warning", message: notice });
  }
  const state = seen.state = engine.state();
  const { sessionId: id, cwd } = state;
  let outcome: PromptOutcome | undefined;
  const events = eventsOf(engine, async (ready) => {
    const elapsedMs = performance.now() - seen.started;
    const last = { refusesUnknownNames: true, endsSession: true, ready };
    outcome = await engine.prompt({ ...task, source: "interactive", ...last, elapsedMs });
    if (outcome.kind === "run" && outcome.limit === "timeoutMs") endOutputSoon();
    return outcome;
  }, {
    stop: watch.signal,
    ...(isJson ? {} : { wants: isTextEvent }),
    take(event) {
      seen.facts.take(event);
      seen.recorder?.take(event);
    },
  });
  const write = (line: string): Promise<boolean> => standardOutput.put(line);
  let shown: ModeOutcome = isJson
    ? await (await import("./json.ts")).jsonMode({ id, timestamp: new Date().toISOString(), cwd }, events, write)
    : await textMode(events, {
      answer: proof.reports.includes("-") ? () => true : write,
      warn,
      ...(proof.shape ? { shape: proof.shape } : {}),
      ...(values["verbose"] ? { progress: (line: string) => standardError.put(line + "\n") } : {}),
    });
  if (shown.isUnread && outcome?.kind === "run" && (watch.signal.aborted || outcome.ending === "limit")) {
    // The run was not given up for its reader: it ended, and its end was not read.
    shown = { ...outcome, isUnread: true };
  }
  if (shown.limit !== undefined && shown.ending === "limit") warn(`the run reached ${limitText(shown.limit)}`);
  seen.state = engine.state();
  const facts = seen.facts.facts();
  if (!isJson) { for (const line of deniedLine(facts)) warn(line); }
  const unseen = isWithoutRun(outcome) ? proof.unseen : undefined;
  let { end, error } = unseen === undefined
    ? endOf(outcome, shown, watch, proof.failure?.(facts), failedCheck(facts))
    : { end: { outcome: "unproven", exitCode: 5, why: unseen } as RunEnd, error: unlooked(unseen) };
  if (proof.output !== undefined && (end.outcome === "done" || end.outcome === "limit")) {
    // What goes on in the background could change folders while this writes.
    await engine.close();
    try {
      const text = (proof.shape?.(facts.answer) ?? facts.answer) + "\n";
      (await reports()).writeWhole(namedFilesOf(config), proof.output, "--output", text);
    } catch (failed) {
      if (!(failed instanceof UserError)) throw failed;
      end = { ...end, outcome: "error", exitCode: exitCodeOf(failed), why: failed.why };
      error = failed;
    }
  }
  if (values["trial"]) {
    // What goes on in the background could still write.
    await engine.close();
    const lost = seen.trial?.();
    if (lost?.why !== undefined && lost.patch === undefined && end.outcome === "done") {
      error = unkept(lost.why);
      end = { ...end, outcome: "error", exitCode: 1, why: lost.why };
    }
  }
  seen.end = end;
  if (isJson && !shown.isUnread) {
    await write(visibleJson((await reports()).runReport(end, facts, seen.state, seen.trial?.())) + "\n");
  }
  if (error) throw error;
  return end.exitCode;
}

/** One line for a run in which calls were denied, with the grants that are known: its answer may say otherwise. */
function deniedLine({ deniedCalls, denials, isLastDenied }: RunFacts): string[] {
  if (deniedCalls === 0) return [];
  const grants = [...new Set(denials.flatMap(({ grant }) => grant === null ? [] : [grant]))];
  const many = `${counted(deniedCalls, "call was", "calls were")} denied`;
  const last = isLastDenied ? deniedCalls === 1 ? ", the last of the run" : ", including the last of the run" : "";
  const them = deniedCalls === 1 ? "it" : "them";
  // Where no grant is known the line of the denial itself says why, and what may help all the same.
  const how = grants.length === 0
    ? "The warnings above say why"
    : denials.some(({ grant }) => grant === null)
    ? `To allow a part: ${grants.join(" ")}; for the rest see the warnings above`
    : `To allow ${them}: ${grants.join(" ")}`;
  return [`${many}${last}. ${how}`];
}

/** What the person wants, in words and pictures. */
type Task = Pick<UserPrompt, "text" | "images">;

/** The task as a function, because standard input may still be open while the tools start. */
function taskOf(config: Config, started: number): () => Promise<Task> {
  const { words, values } = config.invocation;
  const { stdinIsTerminal, cwd, home } = config.world;
  // Files are read now: a wrong one is a usage error that should start nothing.
  const parts = { words, cwd, home, files: namedFilesOf(config) };
  const early = assembleMessage(parts);
  const images = attachedImages(parts);
  if (stdinIsTerminal) {
    return early === "" ? () => Promise.reject(noTask()) : () => Promise.resolve({ text: early, images });
  }
  return async () => {
    const { timeoutMs } = runLimitsOf(config);
    const wait = values["stdin-wait"];
    const stdin = await readStdin(Deno.stdin.readable, {
      hasMessage: early !== "",
      ...(typeof wait === "number" ? { firstByteMs: wait } : {}),
      ...(timeoutMs === undefined ? {} : { timeoutMs: timeoutMs - (performance.now() - started) }),
      warn: runWarner(config.invocation),
    });
    const text = assembleMessage({ ...parts, stdin });
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
