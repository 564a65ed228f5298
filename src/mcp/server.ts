import { messageOf } from "../core/error.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { CallOptions } from "../core/runner.ts";
import { errorResult, textResult } from "../core/tool.ts";
import type { ToolResult } from "../core/tool_result.ts";
import { unlessAborted, within } from "../core/support/sleep.ts";
import { cleanLine } from "./clean.ts";
import { type Exposure, isStdio, type McpServer, timesOf } from "./config.ts";
import { connect, type Connection, seconds } from "./connection.ts";
import type { McpDeps } from "./deps.ts";
import { type ListedPrompt, promptText, usablePrompts } from "./prompts.ts";
import { resultOf } from "./results.ts";
import { changeOf, type ListedTool, usableTools } from "./tools.ts";

/** Starts after the first, in one session. */
const MOST_RESTARTS = 3;
/** Of why a server does not work: room for two paths and the option that mends it. */
const WHY_CHARACTERS = 1_000;
/** Between two lists that a server asked to be read. */
const RELIST_MS = 2_000;
/** How long a call's result waits for the list that its server asked to be read, so that the next turn has it. */
const RELIST_WAIT_MS = 5_000;

/** What has become of a server. */
export interface ServerState {
  readonly name: string;
  /** `asleep`: it has ended and is started again with the next call. */
  readonly state: "starting" | "ready" | "asleep" | "failed" | "closed";
  readonly tools: number;
  /** Of a server that is not well. */
  readonly why?: string;
}

/** One server of the settings, whatever state it is in. */
export interface ServerHandle {
  readonly name: string;
  readonly exposure: Exposure;
  state(): ServerState;
  tools(): readonly ListedTool[];
  prompts(): readonly ListedPrompt[];
  /** The text that a prompt gives. Rejects with a clause. */
  prompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string>;
  /** Settles when it is ready or has failed for the first time; never rejects. */
  readonly settled: Promise<void>;
  /** Never rejects. */
  call(tool: ListedTool, args: JsonObject, options: CallOptions): Promise<ToolResult>;
  /** Whether it is a program that was started and not ended. */
  hasProcess(): boolean;
  /** Ends a program with everything that it started; its next call starts it again. Does nothing for a server at a URL. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server in the background. `onChanged` is called whenever its tools are others than before. */
export function openServer(name: string, server: McpServer, deps: McpDeps, onChanged: () => void): ServerHandle {
  const { callMs } = timesOf(server);
  let state: ServerState["state"] = "starting";
  let why: string | undefined;
  let listed: readonly ListedTool[] = [];
  let prompts: readonly ListedPrompt[] = [];
  let current: Promise<Connection> | undefined;
  let restarts = 0;
  let relist: ReturnType<typeof setTimeout> | undefined;
  let relisting: Promise<void> | undefined;
  let listedAt = -RELIST_MS;
  const closing = new AbortController();

  const clause = (error: unknown): string =>
    cleanLine(deps.scrub(messageOf(error).replace(/^Version negotiation probe failed: /, "")), WHY_CHARACTERS);
  const notice = (text: string): void => deps.onNotice(`MCP server "${name}": ${text}`);

  const take = (tools: readonly ListedTool[], isFirst: boolean): void => {
    const change = changeOf(listed, tools);
    listed = tools;
    if (change === undefined) return;
    // What a server said at first a person may have looked at; what it says later nobody has.
    if (!isFirst) notice(`its tools have changed (${change})`);
    onChanged();
  };

  const lose = (text: string, next: "asleep" | "failed"): void => {
    current = undefined;
    why = text;
    state = next;
    if (next === "failed") take([], true);
  };

  const readTools = async (connection: Connection, isFirst: boolean): Promise<void> => {
    const { tools, notices } = usableTools(name, await connection.list(), connection.sendsHeaders);
    if (state === "closed") return;
    for (const text of notices) notice(text);
    take(tools, isFirst);
  };

  /** What cannot be listed is not there: a server is of use without its prompts. */
  const readPrompts = async (connection: Connection): Promise<void> => {
    const sent = await connection.prompts().catch(() => undefined);
    if (sent !== undefined) prompts = usablePrompts(sent);
  };

  const start = (): Promise<Connection> => {
    if (current) return current;
    const isFirst = restarts === 0;
    state = "starting";
    const opening = (async () => {
      const connection = await connect(server, deps, { name, signal: closing.signal, onListChanged: askAgain });
      try {
        if (isClosed()) throw new Error("the session is over");
        await readTools(connection, isFirst);
        await readPrompts(connection);
      } catch (error) {
        await connection.close();
        throw error;
      }
      state = "ready";
      why = undefined;
      void connection.ended.then((text) => {
        if (isClosed() || current !== opening) return;
        const clean = clause(new Error(text));
        const last = restarts >= MOST_RESTARTS;
        lose(clean, last ? "failed" : "asleep");
        notice(`${clean}${last ? "; it is not started again" : "; the next call of its tools starts it again"}`);
        void connection.close();
      });
      return connection;
    })();
    current = opening;
    return opening;
  };

  const isClosed = (): boolean => state === "closed";

  const askAgain = (): void => {
    if (relist !== undefined || isClosed()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    relisting = promise;
    // The first at once; one that floods is asked every now and then.
    relist = setTimeout(() => {
      relist = undefined;
      listedAt = performance.now();
      const read = current?.then(async (connection) => {
        await readTools(connection, false);
        await readPrompts(connection);
      });
      (read ?? Promise.resolve()).catch(() => {}).then(resolve); // its end tells itself
    }, Math.max(0, listedAt + RELIST_MS - performance.now()));
  };

  /** Waits for a list that is being read, but not for ever. */
  const settleList = async (signal: AbortSignal): Promise<void> => {
    // The abort inside, so that no timer is left after it.
    if (relisting) await within(RELIST_WAIT_MS, unlessAborted(relisting, signal)).catch(() => {});
  };

  const first = start().then(() => {}, (error) => {
    if (isClosed()) return;
    lose(clause(error), "failed");
    notice(`${why}; its tools are not there`);
  });

  const call: ServerHandle["call"] = async (tool, args, { signal, onUpdate }) => {
    const shown = `Tool "${cleanLine(tool.raw.name, 60)}" of the MCP server "${name}"`;
    let connection: Connection;
    try {
      if (isClosed() || state === "failed") throw new Error(why ?? "the session is over");
      if (state === "asleep") restarts++;
      connection = await unlessAborted(start(), signal);
    } catch (error) {
      if (state === "starting" && !signal.aborted) lose(clause(error), restarts >= MOST_RESTARTS ? "failed" : "asleep");
      return errorResult(`${shown} was not run: ${clause(error)}. Do without it`);
    }
    try {
      const answer = await connection.call(tool.raw, args, {
        signal,
        onProgress: (text) => onUpdate(textResult(cleanLine(text))),
      });
      await settleList(signal);
      return resultOf(answer, { server: name, tool: tool.raw.name, notes: connection.notes(), limits: deps.limits });
    } catch (error) {
      const notes = connection.notes().map((note) => `\n[sandbox: ${note}]`).join("");
      // A session that the server has forgotten is begun anew with the next call.
      if (!isStdio(server) && statusOf(error) === 404) void connection.close();
      if (signal.aborted) return errorResult(`${shown} was stopped. Check what it did${notes}`);
      return errorResult(`${shown} failed: ${failure(error)}. Correct the call, or do without it${notes}`);
    }
  };

  const failure = (error: unknown): string => {
    const code = isObject(error) ? error["code"] : undefined;
    if (code === "REQUEST_TIMEOUT") return `it did not answer within ${seconds(callMs)}`;
    if (code === "CONNECTION_CLOSED") return why ?? "it ended before it answered";
    return clause(error);
  };

  return {
    name,
    exposure: server.exposure ?? "all",
    state: () => ({ name, state, tools: listed.length, ...(why === undefined ? {} : { why }) }),
    tools: () => listed,
    prompts: () => prompts,
    async prompt(wanted, args, signal) {
      try {
        if (isClosed() || state === "failed") throw new Error(why ?? "the session is over");
        if (state === "asleep") restarts++;
        const connection = await unlessAborted(start(), signal);
        return promptText(name, wanted, await connection.prompt(wanted, args, signal));
      } catch (error) {
        throw new Error(clause(error));
      }
    },
    settled: first,
    call,
    hasProcess: () => isStdio(server) && current !== undefined,
    async rest() {
      if (!isStdio(server) || current === undefined) return;
      const open = current;
      current = undefined;
      await open.then((connection) => connection.close(), () => {});
      // A call that came meanwhile has started it again.
      if (!isClosed() && current === undefined) state = "asleep";
    },
    async close() {
      if (isClosed()) return;
      state = "closed";
      closing.abort();
      clearTimeout(relist);
      relisting = undefined;
      const open = current;
      current = undefined;
      await open?.then((connection) => connection.close(), () => {});
    },
  };
}

/** Status of an HTTP answer, where an error stands for one. */
function statusOf(error: unknown): unknown {
  const data = isObject(error) ? error["data"] : undefined;
  return isObject(data) ? data["status"] : undefined;
}
