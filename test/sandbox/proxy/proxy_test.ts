import { assert, assertEquals, assertMatch } from "@std/assert";
import { closeQuietly } from "../../../src/sandbox/proxy/relay.ts";
import { AUTHORIZED, readAll, say, startProxy, startServer } from "./proxy_world.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const ANSWERED = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
const GET = `GET http://good.test/a HTTP/1.1\r\nHost: good.test\r\n${AUTHORIZED}\r\n\r\n`;
const statusOf = (answer: string): string => answer.split("\r\n")[0]?.slice(9, 12) ?? "";

Deno.test("serveConnection() brings back an allowed host's answer, connects to the checked address and hides the token R470", async () => {
  using server = startServer((conn) => say(conn, OK));
  await using proxy = startProxy(["good.test"], server.port);
  assertEquals(await proxy.ask(GET), ANSWERED);
  assertEquals(proxy.connected, ["93.184.216.34:80"]);
  assertEquals(server.received, ["GET /a HTTP/1.1\r\nHost: good.test\r\nConnection: close\r\n\r\n"]);
  assertEquals(proxy.notes, []);
});

Deno.test("serveConnection() refuses another host and reports it R471", async () => {
  using server = startServer((conn) => say(conn, OK));
  await using proxy = startProxy(["good.test"], server.port);
  const answers = [
    await proxy.ask(GET.replace("http://good", "http://evil")),
    await proxy.ask(`CONNECT evil.test:443 HTTP/1.1\r\n${AUTHORIZED}\r\n\r\n`),
  ];
  assertEquals(answers.map(statusOf), ["403", "403"]);
  assertEquals([server.received, proxy.connected], [[], []]);
  assertEquals(proxy.notes.map((note) => note.split(": ")[1]), ["connect to evil.test:80", "connect to evil.test:443"]);
});

Deno.test("serveConnection() says which allowed host cannot be reached and why, and that it is no denial", async () => {
  // Nobody listens there any more.
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const nobody = closed.addr.port;
  closed.close();
  await using proxy = startProxy(["good.test", "*.gone.test"], nobody);
  const is = (host: string, why: string): string =>
    `${host} is allowed, but cannot be reached from this machine: ${why}`;
  const none = "resolving its name failed, there is no such name, or no name server";
  const CASES = [
    [GET, "good.test:80", "the connection was refused"],
    [`CONNECT enotfound.gone.test:443 HTTP/1.1\r\n${AUTHORIZED}\r\n\r\n`, "enotfound.gone.test:443", none],
    [
      GET.replaceAll("good.test", "eai_again.gone.test"),
      "eai_again.gone.test:80",
      "resolving its name failed, no name server answers",
    ],
  ] as const;
  for (const [request, host, why] of CASES) {
    const answer = await proxy.ask(request);
    assertEquals([statusOf(answer), answer.includes(is(host, why))], ["502", true], answer);
  }
  assertEquals(proxy.unreached, CASES.map(([, host, why]) => `Network: ${is(host, why)}.`));
  assertEquals(proxy.notes, []);
});

Deno.test("serveConnection() asks whoever comes without the call's own token for it and reports nothing", async () => {
  using server = startServer((conn) => say(conn, OK));
  await using proxy = startProxy(["good.test"], server.port);
  const lines = [
    "",
    `Proxy-Authorization: Basic ${btoa("sandpiper:wrong")}\r\n`,
    `${AUTHORIZED}x\r\n`,
    "Authorization: x\r\n",
  ];
  for (const line of lines) {
    const answer = await proxy.ask(`GET http://good.test/ HTTP/1.1\r\n${line}\r\n`);
    assertMatch(answer, /^HTTP\/1\.1 407 .*\r\nProxy-Authenticate: Basic /);
    assertEquals(statusOf(await proxy.ask(`CONNECT evil.test:443 HTTP/1.1\r\n${line}\r\n`)), "407");
  }
  assertEquals([server.received, proxy.notes], [[], []]);
});

Deno.test("serveConnection() refuses names that lead to this machine or to metadata R492", async () => {
  using server = startServer((conn) => say(conn, OK));
  await using proxy = startProxy(["*.bind.test", "127.0.0.1:9"], server.port);
  for (const host of ["to-127-0-0-1", "to-169-254-169-254", "to-10-0-0-1", "to-0-0-0-0"]) {
    assertEquals(statusOf(await proxy.ask(`CONNECT ${host}.bind.test:80 HTTP/1.1\r\n${AUTHORIZED}\r\n\r\n`)), "403");
  }
  for (const address of ["127.0.0.1", "2130706433", "[::ffff:7f00:1]", "0x7f.1", "localhost"]) {
    assertEquals(statusOf(await proxy.ask(`CONNECT ${address}:80 HTTP/1.1\r\n${AUTHORIZED}\r\n\r\n`)), "403", address);
  }
  assertEquals([proxy.connected, proxy.notes.length], [[], 9]);
  await proxy.ask(`CONNECT to-127-0-0-1.bind.test:9 HTTP/1.1\r\n${AUTHORIZED}\r\n\r\n`, true);
  assertEquals(proxy.connected, ["127.0.0.1:9"]);
});

Deno.test("serveConnection() tunnels to the ports of the scope alone", async () => {
  using server = startServer((conn, first) => say(conn, `echo ${first}`));
  await using proxy = startProxy(["good.test:443"], server.port);
  const connect = (port: string) => proxy.ask(`CONNECT good.test:${port} HTTP/1.1\r\n${AUTHORIZED}\r\n\r\nhello`);
  assertEquals(await connect("443"), "HTTP/1.1 200 Connection established\r\n\r\necho hello");
  const wrong = [];
  for (const port of ["22", "80", "65535", "0", "65536", "443x", "-1", "", "4 3"]) {
    wrong.push(statusOf(await connect(port)));
  }
  assertEquals(wrong, ["403", "403", "403", "400", "400", "400", "400", "400", "400"]);
});

Deno.test("serveConnection() carries a tunnel's half-close and what comes after it", async () => {
  using server = startServer(async (conn) => {
    // The answer begins when the client has ended its half.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await say(conn, "x".repeat(300_000));
  });
  await using proxy = startProxy(["good.test"], server.port);
  const answer = await proxy.ask(`CONNECT good.test:7 HTTP/1.1\r\n${AUTHORIZED}\r\n\r\nall of it`, true);
  assertEquals(answer.length, "HTTP/1.1 200 Connection established\r\n\r\n".length + 300_000);
  assertEquals(server.received, ["all of it"]);
});

Deno.test("serveConnection() serves a client that ends its half after a request", async () => {
  using server = startServer(async (conn) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await say(conn, OK);
  });
  await using proxy = startProxy(["good.test"], server.port);
  assertEquals(await proxy.ask(GET, true), ANSWERED);
});

Deno.test("serveConnection() replaces a Host that is not the target's", async () => {
  using server = startServer((conn) => say(conn, OK));
  await using proxy = startProxy(["good.test"], server.port);
  assertEquals(await proxy.ask(GET.replace("Host: good", "Host: evil")), ANSWERED);
  assertEquals(statusOf(await proxy.ask(GET.replace("http://good", "http://evil"))), "403");
  assertEquals(server.received.map((text) => /Host: (.*)\r/.exec(text)?.[1]), ["good.test"]);
});

for (
  const [name, request] of [
    ["no body", GET],
    ["a body of known length", GET.replace("GET", "POST").replace("\r\n\r\n", "\r\nContent-Length: 4\r\n\r\nbody")],
    [
      "a chunked body",
      GET.replace("GET", "POST").replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"),
    ],
  ] as const
) {
  Deno.test(`serveConnection() never reads a second request after one with ${name}`, async () => {
    using server = startServer(async (conn) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      await say(conn, OK);
    });
    await using proxy = startProxy(["good.test"], server.port);
    const second = GET.replace("http://good", "http://evil").replace("/a", "/second");
    assertEquals(await proxy.ask(request + second + GET.replace("/a", "/third")), ANSWERED);
    assertEquals([server.received.length, proxy.notes], [1, []]);
    assert(!/second|third/.test(server.received.join()), server.received.join());
    if (name !== "no body") assertMatch(server.received.join(), /body/);
  });
}

Deno.test("serveConnection() answers 431 to a head without end and 400 to what is no request", async () => {
  using server = startServer((conn) => say(conn, OK));
  await using proxy = startProxy(["good.test"], server.port);
  assertEquals(statusOf(await proxy.ask(`${GET.trimEnd()}\r\nX: ${"x".repeat(100_000)}`)), "431");
  assertEquals(statusOf(await proxy.ask("GET / HTTP/1.1\r\nHost: good.test\r\n\r\n")), "400");
  assertEquals(statusOf(await proxy.ask("\x16\x03\x01\x02\r\n\r\n")), "400");
  const broken = GET.replace("GET", "POST").replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
  assertEquals(statusOf(await proxy.ask(broken)), "400");
  assertEquals(server.received.filter((text) => !text.startsWith("POST")), []);
});

Deno.test("serveConnection() closes on a client that drips its head", async () => {
  await using proxy = startProxy(["good.test"], 9, { headMs: 200 });
  const conn = await proxy.connect();
  const begin = performance.now();
  let dripping = true;
  const drip = (async () => {
    while (dripping) {
      await conn.write(new TextEncoder().encode("G")).catch(() => dripping = false);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  assertEquals(await readAll(conn), "");
  const ms = performance.now() - begin;
  dripping = false;
  await drip;
  closeQuietly(conn);
  assert(ms > 150 && ms < 9_000, `${ms} ms`);
});

Deno.test("serveConnection() closes a tunnel in which nothing moves", async () => {
  using server = startServer(() => Promise.resolve());
  await using proxy = startProxy(["good.test"], server.port, { idleMs: 150 });
  const begin = performance.now();
  const answer = await proxy.ask(`CONNECT good.test:7 HTTP/1.1\r\n${AUTHORIZED}\r\n\r\nhi`);
  assertEquals(statusOf(answer), "200");
  assert(performance.now() - begin < 20_000);
});

Deno.test("serveConnection() says what is wrong with a server", async () => {
  using garbage = startServer((conn) => say(conn, "SSH-2.0-x\r\n\r\n"));
  using silent = startServer((conn) => say(conn, ""));
  using upgrading = startServer((conn) => say(conn, "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"));
  using early = startServer((conn) => say(conn, "HTTP/1.1 100 Continue\r\n\r\n" + OK));
  const answers = [];
  for (const { port } of [garbage, silent, upgrading, early]) {
    await using proxy = startProxy(["good.test"], port);
    answers.push(await proxy.ask(GET));
  }
  assertEquals(answers.slice(0, 3).map(statusOf), ["502", "502", "502"]);
  assertEquals(answers[3], "HTTP/1.1 100 Continue\r\n\r\n" + ANSWERED);
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  closed.close();
  await using proxy = startProxy(["good.test"], closed.addr.port);
  assertEquals(statusOf(await proxy.ask(GET)), "502");
});

Deno.test("serveConnection() ends when its client is closed from outside", async () => {
  using server = startServer(() => Promise.resolve());
  const proxy = startProxy(["good.test"], server.port);
  const conn = await proxy.connect();
  await conn.write(new TextEncoder().encode(`CONNECT good.test:7 HTTP/1.1\r\n${AUTHORIZED}\r\n\r\n`));
  await conn.read(new Uint8Array(100));
  const begin = performance.now();
  await proxy[Symbol.asyncDispose]();
  assert(performance.now() - begin < 30_000, `${performance.now() - begin} ms`);
  closeQuietly(conn);
});
