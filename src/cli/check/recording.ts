import { join } from "@std/path";
import { messageOf, UserError } from "../../core/error.ts";
import type { NamedFiles } from "../../core/named_files.ts";
import { attempt } from "../../core/support/attempt.ts";
import { stripControls } from "../../core/support/text.ts";
import { isObject } from "../../core/json.ts";
import { type Seen, seenIn } from "../../provider/replay/seen.ts";
import { wholeProgram } from "../../sandbox/confine/self.ts";
import type { Values } from "../../config/options/parse.ts";
import { listenToEnds } from "../../core/support/signals.ts";
import { recordedOptions } from "./recorded_options.ts";

/** Longer tasks do not fit into an argument of a process everywhere; characters. */
const LONGEST_WORD = 30_000;

/** More than any recording has, bytes. */
const MAX_BYTES = 500 * 1024 ** 2;

/** Returns the recorded context of a run. Throws UserError if the file is not a complete recording. */
export function readSeen(files: NamedFiles, file: string): Seen[] {
  const { seen } = readRecording(files, file);
  if (!seen.some(({ kind }) => kind === "run")) {
    throw cannot(file, "it has replies alone, and nothing of what the run saw");
  }
  if (!seen.some(({ kind }) => kind === "end")) throw cannot(file, "its run was cut off");
  return seen;
}

/** A recording, or the part of it before a reply. */
export interface Recorded {
  readonly seen: Seen[];
  /** Lines of replies, those of sub-agents among them. */
  readonly lines: string[];
  /** Replies to the agent itself. */
  readonly replies: number;
}

/** A recording up to the reply after the first `most`, which its agent itself got. Throws UserError for a file that cannot be read. */
export function readRecording(files: NamedFiles, file: string, most = Infinity): Recorded {
  let text: string;
  try {
    text = new TextDecoder().decode(files.read(files.find(file, { access: "read", typed: true }), MAX_BYTES));
  } catch (error) {
    if (error instanceof UserError) throw error;
    const why = error instanceof Deno.errors.NotFound ? "there is no such file" : messageOf(error);
    throw cannot(file, why, "Name a recording; sandpiper -p --record FILE TASK makes one");
  }
  const seen: Seen[] = [];
  const lines: string[] = [];
  let replies = 0;
  for (const line of text.split("\n")) {
    const value: unknown = attempt(() => JSON.parse(line));
    const one = seenIn(value);
    if (one) seen.push(one);
    else if (isObject(value)) {
      const isOwn = value["agent"] === undefined;
      if (isOwn && replies === most) break;
      if (isOwn) replies++;
      lines.push(line);
    }
  }
  return { seen, lines, replies };
}

function cannot(file: string, why: string, fix = "Record it again: sandpiper -p --record FILE TASK"): UserError {
  return new UserError({ what: `Cannot check ${file}`, why, fix });
}

/** How a recorded run is run once more. */
export interface Again {
  /** The recording, for errors. */
  readonly file: string;
  readonly root: string;
  /** For its session and, in `patch` and `report.json`, what came of it. */
  readonly folder: string;
  /** The recording that it makes. */
  readonly again: string;
  /** Options that say who answers. */
  readonly model: readonly string[];
  /** The command line of the check: its options stand behind those of the recording. */
  readonly given: Values;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Runs what was recorded once more, on a copy of the workspace; its exit code, and the first that it said on standard error. */
export async function runAgain(
  before: readonly Seen[],
  { file, root, folder, again, model, given, env = {}, signal }: Again,
): Promise<{ readonly code: number; readonly said: readonly string[] }> {
  const run = before.find((one) => one.kind === "run");
  const { args, isReadOnly } = recordedOptions(file, run?.options ?? [], given, root);
  const self = wholeProgram();
  const { task = "", channel = "stdin" } = run ?? {};
  // A word that begins so would be read as a file.
  const isWord = channel === "text" && task.length < LONGEST_WORD && !task.startsWith("@");
  const child = new Deno.Command(self.program, {
    args: [
      ...self.args,
      ...(channel === "json" ? ["--mode", "json"] : ["-p"]),
      ...["-C", root, "--session-dir", folder, "--record", again, "--report", join(folder, "report.json")],
      ...model,
      ...(isReadOnly ? [] : ["--trial", "--patch", join(folder, "patch")]),
      ...args,
      ...(isWord ? ["--", task] : []),
    ],
    env,
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
    signal,
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(isWord ? "" : task)).then(() => writer.close()).catch(() => {});
  const { code, stderr } = await child.output();
  return { code, said: stripControls(new TextDecoder().decode(stderr)).trim().split("\n").slice(0, 3) };
}

/**
 * What playing each recording came to, in their order; `onDone` is told of each at once. A signal's exit code where one came:
 * what it ended is not told.
 */
export async function untilSignal<T>(
  words: readonly string[],
  play: (word: string, signal: AbortSignal) => Promise<T>,
  onDone: (done: T, word: string) => void,
): Promise<readonly T[] | number> {
  const stop = new AbortController();
  let signalled: number | undefined;
  const stopWatching = listenToEnds((code) => {
    signalled = code;
    stop.abort();
  });
  const all: T[] = [];
  try {
    for (const word of words) {
      const done = await play(word, stop.signal);
      if (signalled !== undefined) return signalled;
      all.push(done);
      onDone(done, word);
    }
  } finally {
    stopWatching();
  }
  return all;
}
