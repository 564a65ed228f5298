import { isObject, type JsonObject } from "../../core/json.ts";
import { createBodyBytes } from "./body_bytes.ts";
import type { Connection } from "./connection.ts";

/**
 * Posts a body and gives the raw response; rejects with the package's `APIError` for everything but a success, and with
 * what `fetch` rejects with where there was no answer.
 *
 * The connection's `beforeRequest` is called when all that costs time is done, right before the body leaves.
 */
export type Post = (path: string, body: JsonObject, signal: AbortSignal) => Promise<Response>;

/** A server that says no needs a sentence for it; the rest of a longer body is not read. Bytes. */
const ERROR_BODY_BYTES = 1024 * 1024;

/**
 * A poster for one connection. It sends what the `openai` package's client would send, without loading that client:
 * retries, time limits and reading the stream are ours anyway, and its code would be a third of every start
 * (docs/decisions/0011). The package's error class loads with the first refusal.
 */
export function createPost(connection: Connection): Post {
  const { baseUrl, apiKey, headers } = connection;
  const bytesOf = createBodyBytes();
  return async (path, body, signal) => {
    // A body that somebody had in hand may have been changed in place.
    const seen = await connection.beforeRequest?.(body);
    const added = await connection.beforeHeaders?.();
    const response = await follow(baseUrl.replace(/\/$/, "") + path, {
      method: "POST",
      headers: headersOf([
        { "content-type": "application/json", accept: "application/json", "user-agent": "sandpiper" },
        apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` },
        headers ?? {},
        added ?? {},
      ]),
      body: seen === undefined ? bytesOf(body) : JSON.stringify(seen),
      signal,
    });
    connection.onResponse?.(response.status, () => headersWithout(apiKey, response.headers));
    if (!response.ok) throw await refusalOf(response);
    return response;
  };
}

/** Redirects of one request that are followed. */
const MOST_REDIRECTS = 5;

/**
 * Fetches, and follows redirects that keep the request and lead to the same server. Elsewhere the conversation and the
 * headers would go to somebody whom nobody chose, and the other kinds of redirect would lose the body.
 */
async function follow(url: string, init: RequestInit): Promise<Response> {
  let at = url;
  for (let redirects = 0;; redirects++) {
    const response = await fetch(at, { ...init, redirect: "manual" });
    const to = URL.parse(response.headers.get("location") ?? "", at);
    const isKept = (response.status === 307 || response.status === 308) && to?.origin === new URL(at).origin;
    if (!isKept || redirects === MOST_REDIRECTS) return response;
    await response.body?.cancel();
    at = to.href;
  }
}

/** Later ones win; `null` takes a header away. */
function headersOf(layers: readonly Readonly<Record<string, string | null>>[]): Headers {
  const all = new Headers();
  for (const [name, value] of layers.flatMap((layer) => Object.entries(layer))) {
    if (value === null) all.delete(name);
    else all.set(name, value);
  }
  return all;
}

/** Headers of an answer; where a server says the key back, nobody hears it. */
function headersWithout(apiKey: string, headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([, value]) => apiKey === "" || !value.includes(apiKey)));
}

async function refusalOf(response: Response): Promise<Error> {
  const said = await startOf(response);
  const location = isRedirect(response.status) ? response.headers.get("location") : null;
  const text = location === null ? said : `It redirects to ${location}`;
  const { APIError } = await import("openai/core/error");
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Pages of proxies, and half a JSON text.
  }
  // Whole, because not every server puts what it says under `error`.
  return new APIError(response.status, isObject(body) ? body : undefined, text, response.headers);
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

async function startOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    bytes += chunk.length;
    // Leaving the loop cancels the body.
    if (bytes > ERROR_BODY_BYTES) break;
  }
  return text;
}
