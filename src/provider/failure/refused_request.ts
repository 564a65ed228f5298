import { isObject } from "../../core/json.ts";
import { attempt } from "../../core/support/attempt.ts";

/** No model that can work has a smaller output limit; tokens. A smaller number in a refusal is about something else. */
export const LEAST_LIMIT = 256;

/** A refusal that says: it is this schema that the server does not like. Another one may pass. */
export const BAD_SCHEMA =
  /(?:invalid|bad|unsupported)[^.]{0,20}schema|schema[^.]{0,60}(?:too|exceed|invalid|must|deep|nest)/i;

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
  const value: unknown = attempt(() => JSON.parse(text));
  return isObject(value) || Array.isArray(value) ? value : undefined;
}
