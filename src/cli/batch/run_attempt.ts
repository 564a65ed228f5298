import { join } from "@std/path";
import { type AttemptRecord, recordOf } from "../../batch/results.ts";
import type { Attempt } from "../../batch/task.ts";
import type { UserError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { attempt } from "../../core/support/attempt.ts";
import { replaceFile } from "../../core/support/replace_file.ts";
import { stripControls, visibleJson } from "../../core/support/text.ts";
import { wholeProgram } from "../../sandbox/confine/self.ts";
import { PARENT } from "../output/signals.ts";
import { isProving } from "./task_options.ts";

/** How long a process may take to end in good order; milliseconds. */
const ENDING_MS = 15_000;
/** What is kept of what a process says on standard error, for one that wrote no report. */
const LAST_WORDS = 400;

/** Where and how one attempt runs. */
export interface AttemptPlace {
  /** An empty folder for all that it leaves. */
  readonly folder: string;
  /** Where that folder will be once it has ended: what it says of its own files is about those. */
  readonly kept: string;
  /** Where it begins. */
  readonly workspace: string;
  /** What relative paths in the task's options are relative to. */
  readonly base: string;
  /** Less than the task's own limit where less is left, US dollars. */
  readonly maxCostUsd?: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** What an attempt came to. */
export interface AttemptOutcome {
  readonly record: AttemptRecord;
  /** It was ended by what is not the task's, and proves nothing. */
  readonly isInterrupted: boolean;
}

/** Runs one attempt as a process of its own, whose files are `events.jsonl`, `stderr.txt`, `report.json`, `patch` and `session`. */
export async function runAttempt(attempt: Attempt, place: AttemptPlace): Promise<AttemptOutcome> {
  const { task } = attempt;
  const { folder, workspace, base, maxCostUsd, signal } = place;
  const file = (name: string): string => join(folder, name);
  const self = wholeProgram();
  const startedAt = new Date();
  const started = performance.now();
  Deno.mkdirSync(file("session"));
  const child = new Deno.Command(self.program, {
    args: [
      ...self.args,
      ...["--mode", "json", "-C", workspace, "--session-dir", file("session"), "--report", file("report.json")],
      ...(task.isReadOnly ? [] : ["--trial", "--patch", file("patch")]),
      ...task.args,
      ...(maxCostUsd === undefined ? [] : [`--max-cost=${maxCostUsd}`]),
    ],
    cwd: base,
    env: { [PARENT]: String(Deno.pid) },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const ends = endAt(child, signal);
  const words: string[] = [];
  const [status] = await Promise.all([
    child.status,
    kept(child.stdout, file("events.jsonl")),
    kept(
      child.stderr,
      file("stderr.txt"),
      (text) => words.splice(0, words.length, (words.join("") + text).slice(-4096)),
    ),
    told(child.stdin, task.prompt),
  ]);
  ends();
  const report = readReport(file("report.json"), join(place.kept, "patch"));
  const said = stripControls(words.join("")).trim().slice(-LAST_WORDS);
  const lastWords = status.signal === null ? said : `its process was ended from outside (${status.signal})`;
  const record = recordOf(attempt, report, {
    exitCode: status.code,
    durationMs: Math.round(performance.now() - started),
    startedAt,
    proven: isProving(task.args),
    ...(lastWords === "" ? {} : { lastWords }),
  });
  replaceFile(file("attempt.json"), visibleJson(record, 2) + "\n");
  // Cut short by what the whole may cost, it says nothing of its task.
  const isCut = report?.["limit"] === "maxCostUsd" && maxCostUsd !== undefined &&
    maxCostUsd < (task.maxCostUsd ?? Infinity);
  return { record, isInterrupted: isCut || (signal.aborted && status.code !== 0) };
}

/** What an attempt came to that could not begin. */
export function withoutRun(attempt: Attempt, folder: string, { what, why, exitCode }: UserError): AttemptOutcome {
  const proven = isProving(attempt.task.args);
  const end = { exitCode, durationMs: 0, startedAt: new Date(), proven, lastWords: `${what}: ${why}` };
  const record = recordOf(attempt, undefined, end);
  replaceFile(join(folder, "attempt.json"), visibleJson(record, 2) + "\n");
  return { record, isInterrupted: false };
}

/** Ends a process when `signal` aborts: asked first, then not. The returned function leaves it alone again. */
function endAt(child: Deno.ChildProcess, signal: AbortSignal): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const send = (name: Deno.Signal): void => attempt(() => child.kill(name)); // it may have ended by itself
  const end = (): void => {
    send("SIGTERM");
    timer = setTimeout(() => send("SIGKILL"), ENDING_MS);
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  return () => {
    signal.removeEventListener("abort", end);
    clearTimeout(timer);
  };
}

async function kept(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  path: string,
  also: (text: string) => void = () => {},
): Promise<void> {
  using file = Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
  const decoder = new TextDecoder();
  for await (const piece of stream) {
    for (let done = 0; done < piece.length;) done += file.writeSync(piece.subarray(done));
    also(decoder.decode(piece, { stream: true }));
  }
}

async function told(stdin: WritableStream<Uint8Array>, text: string): Promise<void> {
  try {
    const writer = stdin.getWriter();
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch {
    // It ended before it had read all: its exit code says why.
  }
}

/** The report, in which the patch stands where it will be. */
function readReport(path: string, patch: string): JsonObject | undefined {
  try {
    const read: unknown = JSON.parse(Deno.readTextFileSync(path));
    if (!isObject(read)) return undefined;
    const { trial } = read;
    if (!isObject(trial) || typeof trial["patch"] !== "string") return read;
    const report = { ...read, trial: { ...trial, patch } };
    replaceFile(path, visibleJson(report, 2) + "\n");
    return report;
  } catch {
    return undefined;
  }
}
