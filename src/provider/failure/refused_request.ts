import { isObject } from "../../core/json.ts";

/** What a server's refusal says; everything but a success is one. */
export interface Refusal {
  /** HTTP status. */
  readonly status: number;
  readonly headers: Headers;
  /** The body, as far as it was read. */
  readonly text: string;
}

/** A request that a server refused. Its message may hold anything that the server said, so people never see it as it is. */
export class RefusedRequest extends Error {
  override readonly name = "RefusedRequest";
  readonly status: number;
  readonly headers: Headers;
  /** The body where it is JSON: whole, because not every server puts what it says under `error`. */
  readonly error: unknown;
  /** The body's text. */
  readonly text: string;

  constructor({ status, headers, text }: Refusal) {
    super(`${status} ${text}`);
    this.status = status;
    this.headers = headers;
    this.text = text;
    this.error = parsed(text);
  }
}

/** Pages of proxies, and half a JSON text, are no bodies. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) || Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
