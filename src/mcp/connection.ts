import type { CallToolResult, Client, GetPromptResult, Tool, Transport } from "@modelcontextprotocol/client";
import * as z from "zod/mini";
import { isObject, type JsonObject } from "../core/json.ts";
import { boundedFetch } from "./bounded_fetch.ts";
import { isStdio, type McpServer, timesOf } from "./config.ts";
import { cleanLine } from "./clean.ts";
import type { McpDeps } from "./deps.ts";
import type { RequestAuth } from "./login.ts";
import { CLOSED, pipeTransport } from "./pipe_transport.ts";
import { mendResults } from "./valid_blocks.ts";
import { allowsSampling, askForm, samplingRequest } from "./user_input.ts";
import { READ_RESOURCE, readResource } from "./resources.ts";

/** Tools that one server may have. */
export const MOST_TOOLS = 128;
const MOST_PAGES = 32;

/** Times that one call may ask for more input. */
const MAX_INPUT_ROUNDS = 8;

/** A server that has introduced itself. */
export interface Connection {
  /** Its tools as it lists them now, at most one more than may be; nothing of them has been looked at. */
  list(): Promise<readonly unknown[]>;
  /** Whether arguments travel as headers, too: then a tool must name these as the protocol demands. */
  readonly sendsHeaders: boolean;
  call(tool: Tool, args: JsonObject, options: RawCall): Promise<CallToolResult>;
  /** Its prompts; nothing of them has been looked at. */
  prompts(): Promise<readonly unknown[]>;
  prompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<GetPromptResult>;
  /** What the sandbox undid or denied since this was last asked. */
  notes(): readonly string[];
  /** Why it is over, as a clause; never rejects. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/** How one call is watched. */
export interface RawCall {
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
}

/** What a connection has to do with: the thing that carries it, and how to let go of that. */
interface Carrier {
  readonly transport: Transport;
  readonly auth?: RequestAuth;
  readonly notes: () => readonly string[];
  readonly why: () => string | undefined;
  readonly close: () => Promise<void>;
}

/** How a connection is made. */
export interface ConnectOptions {
  /** As the settings call it. */
  readonly name: string;
  /** Aborting gives the attempt up; a connection that was made is ended by `close` alone. */
  readonly signal: AbortSignal;
  /** The server says that its tools or prompts are others now; may come at any rate. */
  readonly onListChanged: () => void;
}

/**
 * Starts a server, or goes to it, and introduces this program: the stateless revision where the server knows it, else the
 * older handshake (X14). Rejects with a clause within the server's start time; nothing of it is left running then.
 */
export async function connect(server: McpServer, deps: McpDeps, options: ConnectOptions): Promise<Connection> {
  const began = performance.now();
  try {
    return await attempt(server, deps, options, "auto");
  } catch (error) {
    const left = timesOf(server).startMs - (performance.now() - began);
    // An old server may take a question that it does not know for its end; it gets the older handshake and nothing else.
    if (!(error instanceof EndedByQuestion) || left < 500) throw error;
    return await attempt({ ...server, startMs: left }, deps, options, "legacy");
  }
}

class EndedByQuestion extends Error {}

async function attempt(
  server: McpServer,
  deps: McpDeps,
  { name, signal, onListChanged }: ConnectOptions,
  mode: "auto" | "legacy",
): Promise<Connection> {
  const { startMs, callMs } = timesOf(server);
  // With the first server, not with the program: nobody else needs the library.
  const library = await import("@modelcontextprotocol/client");
  signal.throwIfAborted();
  const carrier = carry(name, server, deps, library);
  mendResults(carrier.transport);
  const changes = { autoRefresh: false, debounceMs: 0, onChanged: () => onListChanged() };
  const { user, sample } = deps;
  const elicits = server.elicitation === true && user !== undefined;
  const samples = server.sampling === true && user !== undefined && sample !== undefined;
  const client = new library.Client(deps.client, {
    capabilities: {
      ...(elicits ? { elicitation: { form: { applyDefaults: true } } } : {}),
      ...(samples ? { sampling: {} } : {}),
    },
    versionNegotiation: mode === "legacy" ? { mode } : { mode, probe: { timeoutMs: Math.min(3_000, startMs / 3) } },
    // Other requests of the server to the client are answered with an error.
    inputRequired: { autoFulfill: elicits || samples, maxRounds: MAX_INPUT_ROUNDS },
    // Schemas of servers are never compiled: that would run what they wrote.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
    listChanged: { tools: changes, prompts: changes },
  });
  if (elicits) {
    client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) => {
      const { message } = params;
      const requestedSchema = "requestedSchema" in params ? params.requestedSchema as unknown as JsonObject : {};
      return askForm(name, { message, requestedSchema }, user, mcpReq.signal);
    });
  }
  if (samples) {
    client.setRequestHandler("sampling/createMessage", async ({ params }, { mcpReq: { signal: stop } }) => {
      const request = samplingRequest(params);
      if (!await allowsSampling(name, request, user, stop)) throw new Error("the user did not allow it");
      const { text, model } = await sample(request, stop);
      return { role: "assistant", content: { type: "text", text }, model, stopReason: "endTurn" };
    });
  }
  const ended = Promise.withResolvers<string>();
  client.onclose = () => ended.resolve(carrier.why() ?? "the connection was closed");
  // The failing calls report it.
  client.onerror = () => {};
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), startMs);
  const over = AbortSignal.any([late.signal, signal]);
  try {
    await Promise.race([
      client.connect(carrier.transport, { timeout: startMs, signal: over }),
      rejection(over, () => signal.aborted ? "the session is over" : `it did not answer within ${seconds(startMs)}`),
    ]);
  } catch (error) {
    const why = carrier.why();
    await carrier.close();
    if (mode === "auto" && why !== undefined && why !== CLOSED && !over.aborted) throw new EndedByQuestion(why);
    throw why !== undefined && why !== CLOSED ? new Error(why) : inWords(error, name, carrier.auth);
  } finally {
    clearTimeout(timer);
  }
  let readsResources = false;
  /** A request; what the library says of a failure comes in words of this program. */
  const asked = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error) => {
      throw inWords(error, name, carrier.auth);
    });
  return {
    sendsHeaders: !isStdio(server) && client.getProtocolEra() === "modern",
    async list() {
      const tools = await asked(listTools(client, startMs));
      // A tool of that name is the server's own.
      readsResources = client.getServerCapabilities()?.resources !== undefined &&
        !tools.some((tool) => isObject(tool) && tool["name"] === READ_RESOURCE.name);
      return readsResources ? [...tools, READ_RESOURCE] : tools;
    },
    async prompts() {
      if (client.getServerCapabilities()?.prompts === undefined) return [];
      return (await client.request({ method: "prompts/list", params: {} }, PROMPTS, { timeout: startMs })).prompts;
    },
    prompt: (wanted, args, stop) =>
      asked(client.getPrompt({ name: wanted, arguments: { ...args } }, { timeout: callMs, signal: stop })),
    async call(tool, args, { signal: stop, onProgress }) {
      if (readsResources && tool.name === READ_RESOURCE.name) {
        return await asked(readResource(client, args, { timeout: callMs, signal: stop }));
      }
      // The definition is handed in, so that the library neither lists again nor checks results against a schema.
      const definition = { name: tool.name, inputSchema: tool.inputSchema };
      return await asked(client.callTool({ name: tool.name, arguments: { ...args } }, {
        toolDefinition: definition,
        timeout: callMs,
        signal: stop,
        onprogress: ({ progress, total, message }) =>
          onProgress(message ?? `${progress}${total === undefined ? "" : ` of ${total}`}`),
      }));
    },
    notes: carrier.notes,
    ended: ended.promise,
    async close() {
      await client.close().catch(() => {});
      await carrier.close();
    },
  };
}

function carry(
  name: string,
  server: McpServer,
  deps: McpDeps,
  library: typeof import("@modelcontextprotocol/client"),
): Carrier {
  if (isStdio(server)) {
    const pipe = deps.startProcess(server);
    const transport = pipeTransport(pipe);
    return { transport, notes: () => pipe.notes(), why: transport.why, close: () => pipe.end() };
  }
  const way = deps.openHttp(server);
  const auth = deps.auth(name, server);
  const transport = new library.StreamableHTTPClientTransport(new URL(server.url), {
    fetch: boundedFetch(way),
    authProvider: auth,
    onInsufficientScope: "throw",
    redirectPolicy: "same-origin",
    reconnectionOptions: {
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 30_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 3,
    },
  });
  const close = async (): Promise<void> => {
    await transport.close().catch(() => {});
    way.close();
  };
  return { transport, auth, notes: () => way.notes(), why: () => undefined, close };
}

/** A failure in words of this program, where the library's are about its own options; the others stay. */
function inWords(error: unknown, name: string, auth: RequestAuth | undefined): unknown {
  if (!(error instanceof Error)) return error;
  const { code, data } = error as { readonly code?: unknown; readonly data?: unknown };
  if (error.name === "InsufficientScopeError") {
    const { requiredScope: scope = "" } = error as { readonly requiredScope?: string };
    auth?.wants(scope);
    const rights = scope === "" ? "" : ` (${cleanLine(scope, 200)})`;
    return new Error(`its login does not allow this${rights}: sandpiper mcp login ${name}`);
  }
  if (code === "UNSUPPORTED_RESULT_TYPE") {
    const kind = isObject(data) ? data["resultType"] : undefined;
    if (kind !== "input_required") {
      return new Error(`it answered with a result of the unknown type ${JSON.stringify(kind)}`);
    }
    return new Error(
      "it asks for input, which it may not: the user allows it with elicitation or sampling in the settings of the server",
    );
  }
  return error;
}

/** The library's own schema would refuse all tools of a server for one that is not described as it should be. */
const LIST = z.object({ tools: z.array(z.unknown()), nextCursor: z.catch(z.optional(z.string()), undefined) });

const PROMPTS = z.object({ prompts: z.array(z.unknown()) });

async function listTools(client: Client, timeout: number): Promise<readonly unknown[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: unknown[] = [];
  let cursor: string | undefined;
  // Page by page and not all at once: a list that never ends is cut here.
  for (let page = 0; page < MOST_PAGES && tools.length <= MOST_TOOLS; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, LIST, { timeout });
    tools.push(...answer.tools);
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return tools.slice(0, MOST_TOOLS + 1);
}

function rejection(signal: AbortSignal, why: () => string): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error(why())), { once: true }));
}

/** A time as people read it. */
export function seconds(ms: number): string {
  return `${ms % 1000 === 0 ? ms / 1000 : (ms / 1000).toFixed(1)} s`;
}
