import { stringOf } from "../system/byte_path.ts";
import { canonicalHost, hostText, readPort } from "../policy/net_rules.ts";

/** The head of a message and what came after it. */
export interface ReadHead {
  /** One character a byte, without the empty line. */
  readonly head: string;
  readonly rest: Uint8Array<ArrayBuffer>;
}

/** Reads up to the first empty line; `ended` before it, `too long` when there is none in so many bytes. */
export async function readHead(
  from: Pick<Deno.Conn, "read">,
  maxBytes: number,
  before: Uint8Array<ArrayBuffer> = new Uint8Array(0),
): Promise<ReadHead | "ended" | "too long"> {
  const bytes = new Uint8Array(maxBytes + before.length);
  bytes.set(before);
  for (let length = before.length, searched = 0;;) {
    const end = emptyLine(bytes, searched, length);
    if (end !== undefined) return { head: stringOf(bytes, 0, end), rest: bytes.slice(end + 4, length) };
    if (length >= maxBytes) return "too long";
    searched = Math.max(0, length - 3);
    const count = await from.read(bytes.subarray(length));
    if (count === null) return "ended";
    length += count;
  }
}

/** Bytes of a text of which each character is one. */
export function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function emptyLine(bytes: Uint8Array, from: number, to: number): number | undefined {
  for (let at = from; at + 3 < to; at++) {
    if (bytes[at] === 13 && bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at;
  }
  return undefined;
}

/** How the end of a request's body is found. */
export type Framing =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" };

/** One request to the proxy. */
export interface ProxyRequest {
  /** Canonical; see `canonicalHost`. */
  readonly host: string;
  readonly port: number;
  readonly authorization: string | undefined;
  /** The head to send on and the body that follows; undefined for a tunnel. */
  readonly forward: { readonly head: string; readonly framing: Framing } | undefined;
}

/** Why a head is no request; the text goes to whoever sent it. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}

type Header = readonly [name: string, value: string];

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([\x21-\x7e]+) HTTP\/1\.([01])$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\x80-\xff\t]*?)[ \t]*$/;
const MOST_HEADERS = 128;
/** Between two hops alone (RFC 9110, 7.6.1), or written anew here. */
const OWN_HEADERS =
  /^(?:proxy-.*|connection|keep-alive|te|upgrade|http2-settings|host|content-length|transfer-encoding)$/;

/**
 * Reads a request's head, without its empty line.
 *
 * Strict, because what two readers take for two different requests passes the wrong one: only CRLF, one Host, one way to
 * tell the body's length, no folded lines. The host asked for is the target's; a Host header that says otherwise is
 * replaced, so that no server sees a name that was not checked. Throws BadRequest.
 */
export function parseProxyRequest(head: string): ProxyRequest {
  const [first = "", ...lines] = head.split("\r\n");
  const [, method, target, minor] = REQUEST_LINE.exec(first) ?? [];
  if (method === undefined || target === undefined) throw new BadRequest("the request line is malformed");
  if (lines.length > MOST_HEADERS) throw new BadRequest("there are too many headers");
  const headers = lines.map(readHeader);
  const all = (name: string): string[] => headers.filter(([key]) => key === name).map(([, value]) => value);
  if (all("host").length > 1) throw new BadRequest("there is more than one Host");
  const credentials = all("proxy-authorization");
  const authorization = credentials.length === 1 ? credentials[0] : undefined;
  if (method === "CONNECT") return { ...authority(target, undefined), authorization, forward: undefined };

  const parts = /^http:\/\/([^/?#]*)([^#]*)$/i.exec(target);
  if (!parts) throw new BadRequest("the target is no http:// address; use CONNECT for anything else");
  const place = authority(parts[1] ?? "", 80);
  const path = parts[2] ?? "";
  const framing = framingOf(all("content-length"), all("transfer-encoding"), minor === "0");
  const dropped = new Set(all("connection").join(",").split(",").map((name) => name.trim().toLowerCase()));
  const kept = headers.filter(([name]) => !OWN_HEADERS.test(name) && !dropped.has(name));
  const written = [
    `${method} ${path.startsWith("/") ? path : `/${path}`} HTTP/1.${minor}`,
    `Host: ${hostText(place.host, place.port === 80 ? undefined : place.port)}`,
    ...kept.map(([name, value]) => `${name}: ${value}`),
    ...framingHeaders(framing),
    "Connection: close",
  ];
  return { ...place, authorization, forward: { head: written.join("\r\n") + "\r\n\r\n", framing } };
}

function readHeader(line: string): Header {
  const [, name, value] = HEADER_LINE.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new BadRequest("a header is malformed");
  return [name.toLowerCase(), value];
}

function authority(text: string, otherwise: number | undefined): { readonly host: string; readonly port: number } {
  const parts = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(text);
  const host = canonicalHost(parts?.[1] ?? "");
  const port = parts?.[2] ? readPort(parts[2]) : otherwise;
  if (host === undefined || port === undefined) throw new BadRequest("the target names no host and port");
  return { host, port };
}

function framingOf(lengths: readonly string[], encodings: readonly string[], old: boolean): Framing {
  if (encodings.length > 0) {
    const known = encodings.length === 1 && encodings[0]?.toLowerCase() === "chunked";
    if (!known || lengths.length > 0 || old) throw new BadRequest("the body's length is told in two ways");
    return { kind: "chunked" };
  }
  const [length] = lengths;
  if (length === undefined) return { kind: "none" };
  const bytes = /^\d{1,15}$/.test(length) ? Number(length) : undefined;
  if (lengths.length > 1 || bytes === undefined) throw new BadRequest("the body's length is malformed");
  return { kind: "length", bytes };
}

function framingHeaders(framing: Framing): string[] {
  switch (framing.kind) {
    case "none":
      return [];
    case "length":
      return [`Content-Length: ${framing.bytes}`];
    case "chunked":
      return ["Transfer-Encoding: chunked"];
  }
}

/** A server's answer to one request, its head read. */
export interface ResponseHead {
  readonly status: number;
  /** As it goes to the client: it ends the connection, and nothing in it speaks for the proxy. */
  readonly head: string;
}

const STATUS_LINE = /^HTTP\/1\.[01] ([1-5]\d\d)(?: [^\r\n]*)?$/;
const BETWEEN_HOPS = /^(?:connection|keep-alive|upgrade|proxy-[^:]*)\s*:/i;

/** Reads a head without its empty line; undefined for what is no HTTP/1 answer. */
export function parseResponseHead(head: string): ResponseHead | undefined {
  const [first = "", ...lines] = head.split("\r\n");
  const status = Number(STATUS_LINE.exec(first)?.[1] ?? "0");
  // A change of protocol was never asked for: the request was sent without it.
  if (status === 0 || status === 101) return undefined;
  const kept = lines.filter((line) => !BETWEEN_HOPS.test(line));
  const end = status < 200 ? [] : ["Connection: close"];
  return { status, head: [first, ...kept, ...end].join("\r\n") + "\r\n\r\n" };
}

/** An answer of the proxy itself: a status and one sentence. */
export function ownResponse(status: number, sentence: string): string {
  const names: Readonly<Record<number, string>> = {
    400: "Bad Request",
    403: "Forbidden",
    407: "Proxy Authentication Required",
    431: "Request Header Fields Too Large",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
  };
  const body = `sandpiper: ${sentence}\n`;
  return [
    `HTTP/1.1 ${status} ${names[status] ?? "Error"}`,
    ...(status === 407 ? [`Proxy-Authenticate: Basic realm="sandpiper"`] : []),
    "Content-Type: text/plain",
    `Content-Length: ${new TextEncoder().encode(body).length}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}
