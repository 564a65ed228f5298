import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { BadRequest, parseProxyRequest } from "../../../src/sandbox/proxy/http_head.ts";

const head = (...lines: string[]): string => lines.join("\r\n");

Deno.test("parseProxyRequest() reads a tunnel", () => {
  assertEquals(
    parseProxyRequest(head("CONNECT Example.com.:443 HTTP/1.1", "Host: other", "Proxy-Authorization: Basic x")),
    {
      host: "example.com",
      port: 443,
      authorization: "Basic x",
      forward: undefined,
    },
  );
  const { host, port } = parseProxyRequest("CONNECT [::1]:8443 HTTP/1.0");
  assertEquals([host, port], ["::1", 8443]);
});

Deno.test("parseProxyRequest() makes a request for the target's host alone out of a forwarded one", () => {
  const request = parseProxyRequest(head(
    "POST HTTP://Good.Test:8080/a?b=http://evil.test HTTP/1.1",
    "Host: evil.test",
    "User-Agent: x",
    "Connection: keep-alive, X-Hop",
    "X-Hop: 1",
    "Keep-Alive: 5",
    "Proxy-Connection: keep-alive",
    "Proxy-Authorization: Basic secret",
    "Upgrade: websocket",
    "Content-Length: 3",
  ));
  assertEquals(request, {
    host: "good.test",
    port: 8080,
    authorization: "Basic secret",
    forward: {
      head: head(
        "POST /a?b=http://evil.test HTTP/1.1",
        "Host: good.test:8080",
        "user-agent: x",
        "Content-Length: 3",
        "Connection: close",
        "",
        "",
      ),
      framing: { kind: "length", bytes: 3 },
    },
  });
  assertEquals(parseProxyRequest("GET http://a.test?q HTTP/1.0").forward?.head.split("\r\n")[0], "GET /?q HTTP/1.0");
});

Deno.test("parseProxyRequest() lets two authorizations count for none", () => {
  const lines = ["CONNECT a:1 HTTP/1.1", "Proxy-Authorization: Basic a", "Proxy-Authorization: Basic b"];
  assertEquals(parseProxyRequest(head(...lines)).authorization, undefined);
});

const GET = "GET http://a.test/ HTTP/1.1";
const POST = "POST http://a.test/ HTTP/1.1";
const BAD = [
  ["nothing", ""],
  ["a path alone", head("GET /x HTTP/1.1", "Host: a.test")],
  ["an asterisk", "OPTIONS * HTTP/1.1"],
  ["https without a tunnel", "GET https://a.test/ HTTP/1.1"],
  ["another scheme", "GET file:///etc/passwd HTTP/1.1"],
  ["a user in the target", "GET http://good.test@evil.test/ HTTP/1.1"],
  ["a backslash in the host", "GET http://good.test\\@evil.test/ HTTP/1.1"],
  ["a fragment", "GET http://a.test/#b HTTP/1.1"],
  ["an escaped host", "GET http://%61.test/ HTTP/1.1"],
  ["port 0", "CONNECT a.test:0 HTTP/1.1"],
  ["port 65536", "CONNECT a.test:65536 HTTP/1.1"],
  ["a port with letters", "CONNECT a.test:80x HTTP/1.1"],
  ["a negative port", "CONNECT a.test:-1 HTTP/1.1"],
  ["a tunnel without a port", "CONNECT a.test HTTP/1.1"],
  ["a tunnel to a page", "CONNECT http://a.test:80/ HTTP/1.1"],
  ["a space before the colon", head(GET, "Host : a.test")],
  ["a folded header", head(GET, "X: a", " b")],
  ["a lone line feed", head(GET, "X: a\nHost: evil.test")],
  ["a lone carriage return", head(GET, "X: a\rHost: evil.test")],
  ["a NUL", head(GET, "X: a\0b")],
  ["two Hosts", head(GET, "Host: a.test", "Host: b.test")],
  ["two spaces in the first line", "GET  http://a.test/ HTTP/1.1"],
  ["HTTP/2", "GET http://a.test/ HTTP/2.0"],
  ["HTTP/0.9", "GET http://a.test/"],
  ["two lengths", head(POST, "Content-Length: 3", "Content-Length: 4")],
  ["a list of lengths", head(POST, "Content-Length: 3, 3")],
  ["a signed length", head(POST, "Content-Length: +3")],
  ["length and chunks", head(POST, "Content-Length: 3", "Transfer-Encoding: chunked")],
  ["another encoding", head(POST, "Transfer-Encoding: gzip, chunked")],
  ["two encodings", head(POST, "Transfer-Encoding: chunked", "Transfer-Encoding: identity")],
  ["chunks in HTTP/1.0", head("POST http://a.test/ HTTP/1.0", "Transfer-Encoding: chunked")],
  ["too many headers", head(GET, ...Array(200).fill("X: y"))],
] as const;

for (const [name, text] of BAD) {
  Deno.test(`parseProxyRequest() refuses ${name}`, () => {
    assertThrows(() => parseProxyRequest(text), BadRequest);
  });
}

Deno.test("parseProxyRequest() never sends on a host but the checked one, nor a line that was not there", () => {
  const piece = fc.constantFrom(
    "http://",
    "a.test",
    "evil.test",
    "@",
    ":",
    "/",
    "\\",
    "#",
    "?",
    "80",
    "\t",
    " ",
    "%2f",
    ".",
  );
  const target = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
  const line = fc.constantFrom("Host: evil.test", "X: y", "Connection: host", "Content-Length: 0", "Host", ": x", "");
  fc.assert(
    fc.property(target, fc.array(line, { maxLength: 4 }), (url, lines) => {
      let request;
      try {
        request = parseProxyRequest(head(`GET ${url} HTTP/1.1`, ...lines));
      } catch (error) {
        if (error instanceof BadRequest) return;
        throw error;
      }
      const sent = request.forward?.head.split("\r\n") ?? [];
      const port = request.port === 80 ? "" : `:${request.port}`;
      assertEquals(sent.filter((header) => /^host\s*:/i.test(header)), [`Host: ${request.host}${port}`]);
      assertEquals(new URL(url).hostname.replace(/\.$/, ""), request.host);
    }),
    { numRuns: 2_000 },
  );
});
