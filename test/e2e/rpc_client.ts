import { type Program, type RunOptions, start } from "../helpers/program.ts";
import { runningProcesses } from "../helpers/processes.ts";

// deno-lint-ignore no-explicit-any -- tests look at fields of documented lines
type Line = any;

/** A program on the other end of `--mode rpc`. */
export interface RpcClient {
  readonly pid: number;
  /** Every line so far, parsed. */
  readonly lines: readonly Line[];
  send(command: object): Promise<void>;
  /** Sends text as it is. */
  raw(text: string): Promise<void>;
  /** Waits for the first line from `from` on that fits; throws when the output ends without one. */
  wait(fits: (line: Line) => boolean, from?: number): Promise<Line>;
  /** Sends a command with an id of its own and waits for its response. */
  ask(command: object): Promise<Line>;
  closeInput(): Promise<void>;
  closeOutput(): Promise<void>;
  signal(name: Deno.Signal): void;
  /** Waits for the end. */
  ended(): Promise<{ readonly code: number; readonly stderr: string }>;
}

/** Longest wait for one line, milliseconds. */
const WAIT_MS = 40_000;

function after(ms: number): { readonly promise: Promise<void> } & Disposable {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return { promise, [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Starts the program in rpc mode; `await using` ends it. */
export function rpcClient(program: Program, args: readonly string[], options: RunOptions): RpcClient & AsyncDisposable {
  const child = start(program, ["--mode", "rpc", ...args], { ...options, stdin: "" });
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const lines: Line[] = [];
  let arrived = Promise.withResolvers<void>();
  let isOver = false;
  const reading = (async () => {
    let rest = "";
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const parts = (rest + next.value).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) lines.push(JSON.parse(part));
      arrived.resolve();
      arrived = Promise.withResolvers();
    }
  })().catch(() => {}).finally(() => {
    isOver = true;
    arrived.resolve();
  });
  const stderr = new Response(child.stderr).text();
  let number = 0;
  let isClosed = false;
  const client: RpcClient = {
    pid: child.pid,
    lines,
    raw: (text) => writer.write(new TextEncoder().encode(text)),
    send: (command) => client.raw(JSON.stringify(command) + "\n"),
    async wait(fits, from = 0) {
      const deadline = Date.now() + WAIT_MS;
      using late = after(WAIT_MS + 1);
      for (let at = from;;) {
        for (; at < lines.length; at++) if (fits(lines[at])) return lines[at];
        if (isOver) throw new Error(`no such line; the last were ${JSON.stringify(lines.slice(-3))} ${await stderr}`);
        await Promise.race([arrived.promise, late.promise]);
        if (Date.now() > deadline) {
          throw new Error(`no such line in time; the last were ${JSON.stringify(lines.slice(-3))}`);
        }
      }
    },
    async ask(command) {
      const id = `ask-${number++}`;
      await client.send({ id, ...command });
      return await client.wait((line) => line.type === "response" && line.id === id);
    },
    closeInput: async () => {
      if (!isClosed) await writer.close().catch(() => {});
      isClosed = true;
    },
    closeOutput: () => reader.cancel(),
    signal: (name) => child.kill(name),
    async ended() {
      const { code } = await child.status;
      return { code, stderr: await stderr };
    },
  };
  return {
    ...client,
    async [Symbol.asyncDispose]() {
      await client.closeInput();
      const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
      await child.status;
      clearTimeout(timer);
      await Promise.all([reading, stderr]);
    },
  };
}

/** Whether a line is an event of a type. */
export const isEvent = (type: string) => (line: Line): boolean => line.type === type;

/** Whether a process is there whose command line matches this regular expression. */
export function isRunning(text: string): boolean {
  return runningProcesses().some(({ args }) => new RegExp(text).test(args));
}
