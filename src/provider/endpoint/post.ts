import type { JsonObject } from "../../core/json.ts";
import { secretForms } from "../../core/support/hide_secrets.ts";
import { RefusedRequest } from "../failure/refused_request.ts";
import { createBodyBytes } from "./body_bytes.ts";
import type { KeyHeader } from "../table/entry.ts";
import type { Connection } from "./connection.ts";

/**
 * Posts a body and gives the raw response; rejects with `RefusedRequest` for everything but a success, and with
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
 * (dev/decisions/0011).
 */
export function createPost(connection: Connection): Post {
  const { baseUrl, apiKey, key, keyHeader = "bearer", headers, query } = connection;
  const bytesOf = createBodyBytes();
  return async (path, body, signal) => {
    // A body that somebody had in hand may have been changed in place.
    const seen = await connection.beforeRequest?.(body);
    const added = await connection.beforeHeaders?.();
    const bytes = seen === undefined ? bytesOf(body) : JSON.stringify(seen);
    const send = async (value: string): Promise<Response> => {
      const response = await follow(urlOf(baseUrl, path, query), {
        method: "POST",
        headers: headersOf([
          { "content-type": "application/json", accept: "application/json", "user-agent": "sandpiper" },
          keyHeaders(value, keyHeader),
          headers ?? {},
          added ?? {},
        ]),
        body: bytes,
        signal,
      });
      connection.onResponse?.(
        response.status,
        () => headersWithout([value, ...connection.secrets?.() ?? []], response.headers),
      );
      return response;
    };
    const current = key ? await key.current(signal) : apiKey;
    let response = await send(current);
    if (response.status === 401 && key) {
      const other = await key.renew(current, signal);
      if (other !== undefined) {
        await response.body?.cancel();
        response = await send(other);
      }
    }
    if (!response.ok) throw await refusalOf(response);
    return response;
  };
}

/** The address of a path below a base URL, with what the provider wants in its query. */
export function urlOf(baseUrl: string, path: string, query: Readonly<Record<string, string>> = {}): string {
  const address = baseUrl.replace(/\/$/, "") + path;
  const words = new URLSearchParams(query).toString();
  return words === "" ? address : `${address}?${words}`;
}

/** The header that carries a key; none for the empty one. */
export function keyHeaders(key: string, header: KeyHeader): Readonly<Record<string, string>> {
  if (key === "") return {};
  return header === "bearer" ? { authorization: `Bearer ${key}` } : { [header]: key };
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
    if ((response.status !== 307 && response.status !== 308) || redirects === MOST_REDIRECTS) return response;
    const to = URL.parse(response.headers.get("location") ?? "", at);
    if (to?.origin !== new URL(at).origin) return response;
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

/** Headers of an answer; where a server says a key back, nobody hears it. */
function headersWithout(secrets: readonly string[], headers: Headers): Record<string, string> {
  const forms = [...secrets.filter((secret) => secret !== ""), ...secretForms(secrets)];
  return Object.fromEntries([...headers].filter(([, value]) => !forms.some((form) => value.includes(form))));
}

async function refusalOf(response: Response): Promise<Error> {
  const said = await startOf(response);
  const { status, headers } = response;
  const location = status >= 300 && status < 400 ? headers.get("location") : null;
  return new RefusedRequest({ status, headers, text: location === null ? said : `It redirects to ${location}` });
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
