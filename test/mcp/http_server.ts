import type { JsonObject } from "../../src/core/json.ts";

/** A tool as a server lists it. */
export interface ServedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: JsonObject;
}

/** What a served server has; a function is asked with each request. */
export interface ServedMcp {
  readonly tools: (server: string) => readonly ServedTool[];
  /** The text of a call's result. */
  readonly call?: (server: string, tool: string, args: JsonObject) => string;
  /** Other methods, by name; their capabilities are said to be there. */
  readonly methods?: Readonly<Record<string, (params: JsonObject, server: string) => JsonObject>>;
  readonly capabilities?: JsonObject;
  /** Answers before anything else does, where it gives an answer. */
  readonly before?: (request: Request) => Response | undefined | Promise<Response | undefined>;
}

/** Servers of the older revision at addresses of this machine: each path is one, and bears its name. */
export interface McpHost extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  /** `METHOD server` of each message, in order. */
  readonly heard: readonly string[];
}

const SCHEMA = { type: "object", properties: { text: { type: "string", description: "What to work on" } } };

/** Serves MCP over HTTP, answers as JSON and never as a stream. */
export function serveMcp(served: ServedMcp): McpHost {
  const heard: string[] = [];
  const answer = async (request: Request): Promise<Response> => {
    const early = await served.before?.(request);
    if (early) return early;
    const server = new URL(request.url).pathname.slice(1);
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const { id, method, params = {} } = await request.json();
    heard.push(`${method} ${server}`);
    if (id === undefined) return new Response(null, { status: 202 });
    const result = resultOf(method, params, server);
    const error = { code: -32601, message: "Method not found" };
    return Response.json({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) });
  };
  const resultOf = (method: string, params: JsonObject, server: string): JsonObject | undefined => {
    switch (method) {
      case "initialize":
        return {
          protocolVersion: params["protocolVersion"] ?? "2025-06-18",
          capabilities: { tools: {}, ...served.capabilities },
          serverInfo: { name: server, version: "1" },
        };
      case "tools/list":
        return { tools: served.tools(server).map((tool) => ({ inputSchema: SCHEMA, ...tool })) };
      case "tools/call": {
        const { name, arguments: args = {} } = params as { name: string; arguments?: JsonObject }; // a call
        return { content: [{ type: "text", text: served.call?.(server, name, args) ?? `${name} of ${server} ran` }] };
      }
      default:
        return served.methods?.[method]?.(params, server);
    }
  };
  const listening = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  const { port } = listening.addr;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    heard,
    [Symbol.asyncDispose]: () => listening.shutdown(),
  };
}
