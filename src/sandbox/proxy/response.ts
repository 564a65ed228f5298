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
