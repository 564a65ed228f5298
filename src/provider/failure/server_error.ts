import { isObject } from "../../core/json.ts";

/** What an error body says, wherever its server put it. */
export interface ServerError {
  readonly message: string;
  readonly code?: string;
  readonly type?: string;
  readonly param?: string;
  /** A status told inside the body, for errors in the middle of a 200. */
  readonly status?: number;
  readonly retryDelay?: string;
  /** Tokens. */
  readonly contextWindow?: number;
}

function textIn(value: unknown): string | undefined {
  if (typeof value === "string" && value !== "") return value;
  return typeof value === "number" ? String(value) : undefined;
}

function statusIn(value: unknown): number | undefined {
  const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

function retryDelayIn(details: unknown): string | undefined {
  if (!Array.isArray(details)) return undefined;
  return details.map((detail: unknown) => isObject(detail) ? textIn(detail.retryDelay) : undefined).find((delay) =>
    delay
  );
}

/**
 * Reads any error body: `{error: {…}}`, `{error: "text"}`, `[{error}]`, `{object: "error", message}`, `{message, code}`,
 * `{detail}`, plain text.
 */
export function readServerError(body: unknown): ServerError {
  if (Array.isArray(body)) return readServerError(body[0]);
  if (!isObject(body)) {
    const text = textIn(body) ?? "";
    // A proxy's web page says nothing that the status does not.
    return { message: /^\s*</.test(text) ? "" : text };
  }
  const { error } = body;
  if (Array.isArray(error)) return readServerError(error[0]);
  const inner = isObject(error) ? error : body;
  const metadata = isObject(inner.metadata) ? inner.metadata : {};
  const message = textIn(isObject(error) ? error.message : error) ?? textIn(inner.message) ?? textIn(inner.detail) ??
    (inner.detail === undefined ? "" : JSON.stringify(inner.detail));
  const code = textIn(inner.code) ?? textIn(inner.status);
  const type = textIn(inner.type) ?? textIn(metadata.error_type);
  const status = statusIn(inner.code) ?? statusIn(inner.status_code) ?? statusIn(inner.status) ??
    statusIn(body.status_code);
  const param = textIn(inner.param);
  const retryDelay = retryDelayIn(inner.details) ?? retryDelayIn(metadata.details);
  const contextWindow = typeof inner.n_ctx === "number" ? inner.n_ctx : undefined;
  return {
    message,
    ...(code === undefined ? {} : { code }),
    ...(type === undefined ? {} : { type }),
    ...(param === undefined ? {} : { param }),
    ...(status === undefined ? {} : { status }),
    ...(retryDelay === undefined ? {} : { retryDelay }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  };
}

/** The reason, its place and codes; never what a server says back of the request. */
export function saidIn(answer: unknown): string {
  const { message, code, type, param } = readServerError(answer);
  const body = isObject(answer) ? answer : {};
  const inner = isObject(body.error) ? body.error : body;
  const raw = isObject(inner.metadata) && typeof inner.metadata.raw === "string" ? inner.metadata.raw : undefined;
  const details = [body.detail, inner.detail].find(Array.isArray);
  const places = details?.filter(isObject).map(({ loc, msg }) =>
    `${Array.isArray(loc) ? loc.join(".") : ""}: ${typeof msg === "string" ? msg : ""}`
  );
  return [places ? undefined : message, code, type, param, raw, ...places ?? []].filter((text) => text).join("\n");
}
