import { ToolError } from "../core/error.ts";
import { type CommandHost, drain, startCommand } from "./command_process.ts";
import { killTree } from "./end_tree.ts";
import { openTree } from "./process_tree.ts";
import type { ProtectedGuard } from "./protected_guard.ts";
import { openSpill } from "./spill.ts";
import { openStop } from "./stop.ts";
import { stripStream } from "./strip_stream.ts";
import { watch } from "./watchdog.ts";
import { within } from "./within.ts";

/** Longest output of one command that is kept, bytes. */
const OUTPUT_BYTES = 256 * 1024 * 1024;
/** A command that cannot work ends at once: waiting this long tells it from one that runs. */
const FIRST_LOOK_MS = 250;
const AFTER_EXIT_MS = 150;
/** Each has a tree of its own to be watched. */
const MOST = 16;
/** 128 + SIGKILL. */
const KILLED = 137;

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
  /** Ends all of them at once. */
  close(): Promise<void>;
}

interface Running {
  state: BackgroundCommand;
  readonly ended: Promise<void>;
  end(how: "gently" | "atOnce"): void;
}

/** Opens the background of a shell. */
export function openBackground(host: CommandHost, guard: ProtectedGuard): Background {
  const commands = new Map<string, Running>();
  let closed = false;
  const list = (): BackgroundCommand[] => [...commands.values()].map(({ state }) => state);

  return {
    async start(command) {
      if (closed) throw new ToolError("The session is ending: nothing is started any more.");
      const running = list().filter(({ exitCode }) => exitCode === undefined);
      if (running.length >= MOST) {
        throw new ToolError(`${MOST} commands run in the background already. Stop one: ${idsOf(running)}.`);
      }
      const id = `b${commands.size + 1}`;
      const begun = begin(host, guard, id, command);
      commands.set(id, begun);
      await within(FIRST_LOOK_MS, begun.ended);
      return begun.state;
    },
    async stop(id) {
      const command = commands.get(id);
      if (!command) throw new ToolError(`No background command ${id}. Running: ${idsOf(list()) || "none"}.`);
      if (command.state.exitCode === undefined) command.end("gently");
      await command.ended;
      return command.state;
    },
    list,
    async close() {
      closed = true;
      const all = [...commands.values()];
      for (const command of all) command.end("atOnce");
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}

function idsOf(commands: readonly BackgroundCommand[]): string {
  return commands.filter(({ exitCode }) => exitCode === undefined).map(({ id }) => id).join(", ");
}

function begin(host: CommandHost, guard: ProtectedGuard, id: string, command: string): Running {
  const { policy } = host;
  guard.begin();
  const started = startCommand(host, command);
  const tree = openTree(started.pid);
  guard.add(tree);
  const spill = openSpill(policy.tmp, OUTPUT_BYTES);
  const write = writer(spill);
  const reader = started.stdout.getReader();
  const drained = drain(reader, write.chunk);
  const stop = openStop(tree, policy.sandbox === "kernel+");
  const watchdog = watch(tree, policy.limits, (sentence) => stop.atOnce("limit", sentence));

  // From then on its number may be another process's.
  let over = false;
  const follow = async (): Promise<void> => {
    const status = await Promise.race([started.status, stop.done.then(() => within(AFTER_EXIT_MS, started.status))]);
    if (stop.reason()) await stop.done;
    await within(stop.reason() ? 0 : AFTER_EXIT_MS, drained);
    const left = await killTree(tree);
    watchdog.close();
    over = true;
    tree.close();
    guard.end(tree, left);
    const settled = await started.settle?.(left === 0) ?? [];
    const failure = status && await started.failure(status);
    const exitCode = status?.code ?? KILLED;
    const reason = stop.reason()?.limit ?? failure;
    await reader.cancel().catch(() => {});
    const taken = settled.map((note) => `\n[${note}]`).join("");
    write.end(`${taken}\n[${reason === undefined ? "" : `${reason}; `}ended with code ${exitCode}]\n`);
    running.state = { ...running.state, exitCode };
  };
  const running: Running = {
    state: { id, command, ...(spill.path === undefined ? {} : { outputPath: spill.path }) },
    ended: follow(),
    end: (how) => over ? undefined : stop[how]("aborted"),
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
