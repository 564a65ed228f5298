import type { OpenAI } from "openai";
import type { JsonObject } from "../core/json.ts";
import type { Connection } from "./connection.ts";
import { STALL_MS } from "./connection.ts";

/**
 * Posts a body and gives the raw response; rejects with the client's error for everything but a success.
 *
 * The connection's `beforeRequest` is called when all that costs time is done, right before the body leaves.
 */
export type Post = (path: string, body: JsonObject, signal: AbortSignal) => Promise<Response>;

let loading: Promise<typeof import("openai")> | undefined;

/** Starts loading the client early, so that it is there when the first request is built. Never rejects. */
export function warmUp(): void {
  load().catch(() => {});
}

function load(): Promise<typeof import("openai")> {
  loading ??= import("openai");
  return loading;
}

/** A poster that makes its client with the first request and keeps it, and with it the connection. */
export function createPost(connection: Connection): Post {
  const { baseUrl, apiKey, headers, stallMs = STALL_MS } = connection;
  let client: OpenAI | undefined;
  return async (path, body, signal) => {
    // Everything that the package would otherwise look up in the environment is set here.
    client ??= new (await load()).OpenAI({
      baseURL: baseUrl,
      // The package insists on a key; without one no header is sent, for servers that want none.
      apiKey: apiKey === "" ? "none" : apiKey,
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      maxRetries: 0,
      logLevel: "off",
      // The silence watch is the clock; the client's own must never be the first.
      timeout: Math.min(2 ** 31 - 1, stallMs * 2 + 1000),
      defaultHeaders: { ...(apiKey === "" ? { authorization: null } : {}), ...headers },
    });
    const last = connection.beforeRequest ? await connection.beforeRequest(body) : body;
    const added = await connection.beforeHeaders?.();
    return await client.post(path, { body: last, signal, stream: true, ...(added ? { headers: added } : {}) })
      .asResponse();
  };
}
