import { ToolError } from "../../core/error.ts";
import { overwrittenLines } from "../output/overwritten_lines.ts";
import { openSpill } from "../output/spill.ts";
import { stripStream } from "../output/strip_stream.ts";
import { readBytes } from "../../core/support/byte_reader.ts";
import { within } from "../../core/support/sleep.ts";
import { type CommandHost, drain, startCommand } from "./command.ts";
import type { Supervisor } from "./supervisor.ts";

/** Longest output of one command that is kept, bytes. */
const OUTPUT_BYTES = 256 * 1024 * 1024;
/** A command that cannot work ends at once: waiting this long tells it from one that runs. */
const FIRST_LOOK_MS = 250;
/** Each has a tree of its own to be watched. */
const MOST = 16;

/**
 * How much of a command's newest output is held in memory, for the next question about it and for the report of its
 * end, UTF-16 units.
 */
const FRESH_UNITS = 48 * 1024;
const END_UNITS = 4 * 1024;

/** A command that goes on after the call that started it. */
export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** File in the private temporary folder that its output goes to while it runs; absent when none could be made. */
  readonly outputPath?: string;
  /** Absent while it runs. */
  readonly exitCode?: number;
  /** Why it was ended, where it did not end by itself: it was stopped, or went over a limit. */
  readonly why?: string;
  /** Milliseconds since the epoch; absent while it runs. */
  readonly endedAt?: number;
}

/** Output of a command that nobody was given yet. */
export interface FreshOutput {
  readonly text: string;
  /** UTF-16 units before it that are not held any more; the file has them. */
  readonly lost: number;
}

/** Commands that live until they are stopped or the session ends. */
export interface Background {
  /** Starts one; the answer tells when it has ended at once. Throws ToolError when it cannot be started. */
  start(command: string): Promise<BackgroundCommand>;
  /** Ends one, politely first; throws ToolError when there is none of that name. */
  stop(id: string): Promise<BackgroundCommand>;
  /** All that were started, in order. */
  list(): readonly BackgroundCommand[];
  /** What one wrote since this was asked last; throws ToolError when there is none of that name. */
  fresh(id: string): FreshOutput;
  /** The end of what one wrote so far, asked as often as one likes; empty for one that there is not. */
  tail(id: string): string;
  /** Settles when one has ended; at once for one that there is not. */
  end(id: string): Promise<void>;
  /** When none of them runs any more: the supervisor ends them. */
  ended(): Promise<void>;
  /** What is to be reported of their changes to repositories; separate from their output, which may never be read. */
  settled(): readonly string[];
}

interface Running {
  readonly output: Output;
  state: BackgroundCommand;
  settled: readonly string[];
  readonly ended: Promise<void>;
  end(): void;
}

/** Opens the background of a shell. */
export function openBackground(host: CommandHost, supervisor: Supervisor): Background {
  const commands = new Map<string, Running>();
  const list = (): BackgroundCommand[] => [...commands.values()].map(({ state }) => state);

  const commandOf = (id: string): Running => {
    const command = commands.get(id);
    if (command) return command;
    throw new ToolError(`No background command ${id}. Running: ${idsOf(list()) || "none"}.`);
  };

  return {
    async start(command) {
      const running = list().filter(({ exitCode }) => exitCode === undefined);
      if (running.length >= MOST) {
        throw new ToolError(`${MOST} commands run in the background already. Stop one: ${idsOf(running)}.`);
      }
      const id = `b${commands.size + 1}`;
      const begun = begin(host, supervisor, id, command);
      commands.set(id, begun);
      await within(FIRST_LOOK_MS, begun.ended);
      return begun.state;
    },
    async stop(id) {
      const command = commandOf(id);
      if (command.state.exitCode === undefined) command.end();
      await command.ended;
      return command.state;
    },
    list,
    fresh: (id) => commandOf(id).output.fresh(),
    tail: (id) => commands.get(id)?.output.tail() ?? "",
    end: async (id) => void await commands.get(id)?.ended,
    settled: () => [...commands.values()].flatMap((command) => command.settled),
    ended: async () => void await Promise.allSettled([...commands.values()].map(({ ended }) => ended)),
  };
}

function idsOf(commands: readonly BackgroundCommand[]): string {
  return commands.filter(({ exitCode }) => exitCode === undefined).map(({ id }) => id).join(", ");
}

function begin(host: CommandHost, supervisor: Supervisor, id: string, command: string): Running {
  const { policy } = host;
  supervisor.begin();
  const started = startCommand(host, command);
  const spill = openSpill(policy.tmp, OUTPUT_BYTES);
  const output = openOutput();
  const write = writer(spill, output);
  const reader = readBytes(started.stdout);
  const supervised = supervisor.follow(started, { drained: drain(reader, write.chunk) });

  const finish = async (): Promise<void> => {
    const { status, exitCode, reason, settled } = await supervised.ended;
    const why = reason?.limit ?? (status && await started.failure(status));
    const told = why ?? (reason?.ending === "aborted" ? "it was stopped" : undefined);
    await reader.cancel();
    const taken = settled.map((line) => `\n[${line}]`).join("");
    write.end(`${taken}\n[${why === undefined ? "" : `${why}; `}ended with code ${exitCode}]\n`);
    running.settled = settled;
    running.state = { ...running.state, exitCode, endedAt: Date.now(), ...(told === undefined ? {} : { why: told }) };
  };
  const running: Running = {
    output,
    state: { id, command, startedAt: Date.now(), ...(spill.path === undefined ? {} : { outputPath: spill.path }) },
    settled: [],
    ended: finish(),
    end: () => supervised.gently("aborted"),
  };
  return running;
}

/** What is held of an output in memory: the file of it lies where commands can change it. */
interface Output {
  readonly push: (text: string) => void;
  readonly fresh: () => FreshOutput;
  readonly tail: () => string;
  /** Nothing follows. */
  readonly end: () => void;
}

function openOutput(): Output {
  const lines = overwrittenLines();
  let [text, lost, last] = ["", 0, ""];
  const add = (whole: string): void => {
    text += whole;
    last += whole;
    // Twice the bound, so that a long text is not copied with each line.
    if (text.length > 2 * FRESH_UNITS) {
      lost += text.length - FRESH_UNITS;
      text = text.slice(-FRESH_UNITS).toWellFormed();
    }
    if (last.length > 2 * END_UNITS) last = last.slice(-END_UNITS).toWellFormed();
  };
  return {
    push: (more) => add(lines.push(more)),
    fresh() {
      const cut = Math.max(0, text.length - FRESH_UNITS);
      // A line that is not complete is shown, and once more when it is.
      const given = { text: text.slice(cut).toWellFormed() + lines.open(), lost: lost + cut };
      [text, lost] = ["", 0];
      return given;
    },
    tail: () => last.slice(-END_UNITS).toWellFormed() + lines.open(),
    end: () => add(lines.end()),
  };
}

/** Writes output as text that steers no terminal: to the file, and to what is held of it. */
function writer(
  spill: ReturnType<typeof openSpill>,
  output: Output,
): { chunk(bytes: Uint8Array): void; end(line: string): void } {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  const stripper = stripStream();
  const edits = stripStream({ overwrites: true });
  const put = (text: string): void => spill.write(encoder.encode(text));
  return {
    chunk: (bytes) => {
      const text = decoder.decode(bytes, { stream: true });
      put(stripper.push(text));
      output.push(edits.push(text));
    },
    end(line) {
      const rest = decoder.decode();
      put(stripper.push(rest) + stripper.end() + line);
      output.push(edits.push(rest) + edits.end());
      output.end();
      spill.close();
    },
  };
}
