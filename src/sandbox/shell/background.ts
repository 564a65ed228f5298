import { ToolError } from "../../core/error.ts";
import { openSpill } from "../output/spill.ts";
import { stripStream } from "../output/strip_stream.ts";
import { within } from "../../core/support/sleep.ts";
import { type CommandHost, drain, startCommand } from "./command.ts";
import type { Supervisor } from "./supervisor.ts";

/** Longest output of one command that is kept, bytes. */
const OUTPUT_BYTES = 256 * 1024 * 1024;
/** A command that cannot work ends at once: waiting this long tells it from one that runs. */
const FIRST_LOOK_MS = 250;
/** Each has a tree of its own to be watched. */
const MOST = 16;

/** A command that goes on after the call that started it. */
export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  /** File in the private temporary folder that its output goes to while it runs; absent when none could be made. */
  readonly outputPath?: string;
  /** Absent while it runs. */
  readonly exitCode?: number;
}

/** Commands that live until they are stopped or the session ends. */
export interface Background {
  /** Starts one; the answer tells when it has ended at once. Throws ToolError when it cannot be started. */
  start(command: string): Promise<BackgroundCommand>;
  /** Ends one, politely first; throws ToolError when there is none of that name. */
  stop(id: string): Promise<BackgroundCommand>;
  /** All that were started, in order. */
  list(): readonly BackgroundCommand[];
  /** When none of them runs any more: the supervisor ends them. */
  ended(): Promise<void>;
  /** What is to be said of what they did to repositories; beside their output, which may be read by nobody. */
  settled(): readonly string[];
}

interface Running {
  state: BackgroundCommand;
  settled: readonly string[];
  readonly ended: Promise<void>;
  end(): void;
}

/** Opens the background of a shell. */
export function openBackground(host: CommandHost, supervisor: Supervisor): Background {
  const commands = new Map<string, Running>();
  const list = (): BackgroundCommand[] => [...commands.values()].map(({ state }) => state);

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
      const command = commands.get(id);
      if (!command) throw new ToolError(`No background command ${id}. Running: ${idsOf(list()) || "none"}.`);
      if (command.state.exitCode === undefined) command.end();
      await command.ended;
      return command.state;
    },
    list,
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
  const write = writer(spill);
  const reader = started.stdout.getReader();
  const supervised = supervisor.follow(started, { drained: drain(reader, write.chunk) });

  const finish = async (): Promise<void> => {
    const { status, exitCode, reason, settled } = await supervised.ended;
    const why = reason?.limit ?? (status && await started.failure(status));
    await reader.cancel().catch(() => {});
    const taken = settled.map((line) => `\n[${line}]`).join("");
    write.end(`${taken}\n[${why === undefined ? "" : `${why}; `}ended with code ${exitCode}]\n`);
    running.settled = settled;
    running.state = { ...running.state, exitCode };
  };
  const running: Running = {
    state: { id, command, ...(spill.path === undefined ? {} : { outputPath: spill.path }) },
    settled: [],
    ended: finish(),
    end: () => supervised.gently("aborted"),
  };
  return running;
}

/** Writes output as text that steers no terminal. */
function writer(spill: ReturnType<typeof openSpill>): { chunk(bytes: Uint8Array): void; end(line: string): void } {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  const stripper = stripStream();
  const put = (text: string): void => spill.write(encoder.encode(text));
  return {
    chunk: (bytes) => put(stripper.push(decoder.decode(bytes, { stream: true }))),
    end(line) {
      put(stripper.push(decoder.decode()) + stripper.end() + line);
      spill.close();
    },
  };
}
