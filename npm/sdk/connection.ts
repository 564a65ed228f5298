import { spawn } from "node:child_process";
import { UserError } from "../../src/core/error.ts";
import type { ClientLine, ProgramLine, WireError } from "../../src/cli/sdk/wire.ts";

/** How long the program may take to end when its input has ended, and after SIGTERM, milliseconds. */
const END_MS = 10_000;
const TERM_MS = 2_000;
/** How long output may still come when the program has ended, milliseconds. */
const LAST_OUTPUT_MS = 1_000;
/** Characters of its standard error that an error repeats. */
const STDERR_CHARACTERS = 2_000;

/** How the program is started: its words, and all of its environment. */
export interface Start {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A running program, and the lines between it and this one. */
export interface Connection {
  readonly send: (line: ClientLine) => void;
  /** Calls a method and waits for its response. Rejects with what it threw, and with a UserError when the program ends. */
  readonly call: (method: string, args: readonly unknown[], signal?: AbortSignal) => Promise<unknown>;
  /** Rejects when the program ends, also where `close` ended it. */
  readonly ended: Promise<never>;
  /** From now on the session counts as open: an error says so. */
  readonly opened: () => void;
  /** Ends the program: its input ends, and what does not end by itself is ended. Resolves when the process is gone. */
  readonly close: () => Promise<void>;
}

/**
 * Starts the program. Whatever is wrong with it rejects `ended`. `onLine` gets everything but responses; `thrownBy` gives
 * what a failed call throws.
 */
export function connect(
  { command, env }: Start,
  onLine: (line: ProgramLine) => void,
  thrownBy: (error: WireError) => unknown,
): Connection {
  const [program = "", ...args] = command;
  // Its own group on no system: a signal of the terminal reaches it as it reaches this program.
  const child = spawn(program, args, { env: { ...env }, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
  const open = new Map<number, { readonly give: (value: unknown) => void; readonly fail: (error: unknown) => void }>();
  let last = 0;
  let stderr = "";
  let over: Error | undefined;
  let isOpen = false;
  let isClosing = false;
  let tellEnded: (error: Error) => void = () => {};
  const ended = new Promise<never>((_, reject) => tellEnded = reject);
  ended.catch(() => {}); // whoever waits for it is told; nobody has to
  let tellGone = (): void => {};
  const gone = new Promise<void>((resolve) => tellGone = resolve);
  const end = (error: Error): void => {
    if (over) return;
    over = error;
    for (const { fail } of open.values()) fail(error);
    open.clear();
    tellEnded(error);
  };
  const take = (text: string): void => {
    const line = parse(text);
    if (line === undefined) {
      end(notSandpiper(program, text));
      child.kill("SIGKILL");
    } else if (line.type === "response") {
      const waiting = open.get(line.id);
      open.delete(line.id);
      if (line.error) waiting?.fail(thrownBy(line.error));
      else waiting?.give(line.value);
    } else onLine(line);
  };
  const split = lineSplitter((text) => {
    if (!over) take(text);
  });
  child.stdout.on("data", split);
  child.stderr.setEncoding("utf8").on("data", (text: string) => stderr = (stderr + text).slice(-STDERR_CHARACTERS));
  // A program that has ended is told by its exit.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
  child.on("error", (error: NodeJS.ErrnoException) => {
    if (child.pid !== undefined) return;
    end(notStarted(program, error));
    tellGone();
  });
  child.on("exit", (code, signal) => {
    const finish = (): void => {
      clearTimeout(timer);
      end(isClosing ? closed() : died(isOpen, signal ?? `exit code ${code}`, stderr));
      tellGone();
    };
    const timer = setTimeout(finish, LAST_OUTPUT_MS);
    child.once("close", finish);
  });
  const send = (line: ClientLine): void => {
    if (!over && !isClosing) child.stdin.write(JSON.stringify(line) + "\n");
  };
  return {
    send,
    ended,
    call(method, args, signal) {
      if (over || isClosing) return Promise.reject(over ?? closed());
      const id = ++last;
      return new Promise((give, fail) => {
        const drop = (): void => {
          if (!open.delete(id)) return;
          send({ type: "drop", id });
          fail(signal?.reason);
        };
        if (signal?.aborted) return fail(signal.reason);
        signal?.addEventListener("abort", drop, { once: true });
        const forget = <T>(then: (value: T) => void) => (value: T): void => {
          signal?.removeEventListener("abort", drop);
          then(value);
        };
        open.set(id, { give: forget(give), fail: forget(fail) });
        send({ type: "call", id, method, args });
      });
    },
    opened: () => void (isOpen = true),
    async close() {
      if (!isClosing) {
        isClosing = true;
        child.stdin.end();
      }
      // One that has opened nothing has nothing to bring to its end.
      const endMs = isOpen ? END_MS : TERM_MS;
      const term = setTimeout(() => child.kill("SIGTERM"), endMs);
      const kill = setTimeout(() => child.kill("SIGKILL"), endMs + TERM_MS);
      await gone;
      clearTimeout(term);
      clearTimeout(kill);
    },
  };
}

/** Calls back with each line of the bytes that it is given. A line ends at LF and nowhere else. */
export function lineSplitter(onLine: (text: string) => void): (chunk: Uint8Array) => void {
  let pieces: Uint8Array[] = [];
  return (chunk) => {
    let start = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
      const decoder = new TextDecoder();
      const text = [...pieces, chunk.subarray(start, at)].map((piece) => decoder.decode(piece, { stream: true })).join(
        "",
      );
      pieces = [];
      start = at + 1;
      onLine(text);
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  };
}

const TYPES = ["opened", "failed", "view", "event", "response", "question", "cancel"];

function parse(text: string): ProgramLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
    // The program that the user chose; its version is compared with the first line.
    return TYPES.includes(String(type)) ? value as ProgramLine : undefined;
  } catch {
    return undefined;
  }
}

function notStarted(program: string, { code, message }: NodeJS.ErrnoException): UserError {
  return new UserError({
    what: "sandpiper was not started",
    why: code === "ENOENT" ? `there is no program "${program}"` : message,
    fix: 'Install it (npm install sandpiper), or name the binary: createAgent({ binary: "/path/to/sandpiper" })',
  });
}

function notSandpiper(program: string, text: string): UserError {
  return new UserError({
    what: `"${program}" does not answer as sandpiper does`,
    why: `it wrote ${JSON.stringify(text.slice(0, 200))}`,
    fix: "Name a sandpiper binary of this package's version",
  });
}

function died(wasOpen: boolean, how: string, stderr: string): UserError {
  const said = stderr.trim();
  const why = said === "" ? how : `${how}; it wrote: ${said}`;
  if (!wasOpen) {
    const fix = "Name a sandpiper binary of this package's version, and look at what it wrote";
    return new UserError({ what: "sandpiper ended before it opened a session", why, fix });
  }
  return new UserError({
    ...{ what: "sandpiper ended while the session was open", why, exitCode: 1 },
    fix: "Open another agent; a session that is kept in a file can be resumed",
  });
}

function closed(): UserError {
  return new UserError({
    what: "The message was not sent",
    why: "the session is closed",
    fix: "Open it again to go on",
  });
}
