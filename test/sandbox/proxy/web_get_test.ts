import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../src/core/error.ts";
import { MACHINE_NET } from "../../../src/sandbox/proxy/network.ts";
import { PROXY_LIMITS } from "../../../src/sandbox/proxy/proxy.ts";
import { WEB_LIMITS, WebDenied, webGet } from "../../../src/sandbox/proxy/web_get.ts";

const HUGE = 64 * 1024 * 1024;
const never = new AbortController().signal;

interface Site {
  readonly port: number;
  readonly origin: string;
  /** `METHOD path` and headers of each request. */
  readonly asked: { readonly line: string; readonly headers: Headers }[];
}

async function gzipped(bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunk = new Uint8Array(1024 * 1024).fill(97);
  const zeros = ReadableStream.from((function* () {
    for (let at = 0; at < bytes; at += chunk.length) yield chunk;
  })());
  return new Uint8Array(await new Response(zeros.pipeThrough(new CompressionStream("gzip"))).arrayBuffer());
}

/** Sends for as long as anybody reads. */
function endless(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(97)) });
}

async function withSite(work: (site: Site) => Promise<void>): Promise<void> {
  const asked: Site["asked"] = [];
  const bomb = await gzipped(HUGE);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    asked.push({ line: `${request.method} ${pathname}`, headers: request.headers });
    const headers = { "set-cookie": "a=b", "content-type": "text/html; charset=utf-8" };
    switch (pathname) {
      case "/to":
        return new Response("moved", { status: 302, headers: { ...headers, location: searchParams.get("at") ?? "" } });
      case "/loop":
        return new Response(null, { status: 302, headers: { location: "/loop" } });
      case "/picture":
        return new Response(new Uint8Array(3_000), {
          headers: { "content-type": "image/png", "content-length": "3000" },
        });
      case "/bytes":
        return new Response(new Uint8Array([1, 0, 2]), { headers: { "content-type": "application/octet-stream" } });
      case "/bomb":
        return new Response(bomb, { headers: { "content-type": "text/plain", "content-encoding": "gzip" } });
      case "/endless":
        return new Response(endless(), { headers: { "content-type": "text/plain" } });
      case "/slow":
        return new Response(new ReadableStream({}), { headers });
      case "/missing":
        return new Response("<p>nothing here", { status: 404, headers });
      default:
        return new Response("<p>hello", { headers });
    }
  });
  const { port } = server.addr;
  try {
    await work({ port, origin: `http://127.0.0.1:${port}`, asked });
  } finally {
    server.shutdown().catch(() => {});
    await server.shutdown();
  }
}

const scope = (...list: readonly string[]) => ({ all: false, list });

Deno.test("webGet() gets a page with GET and no cookie or credential, and says which host it reached", () =>
  withSite(async ({ port, origin, asked }) => {
    const net = scope(`127.0.0.1:${port}`);
    const { body, ...rest } = await webGet(`${origin}/page#part`, net, never);
    assertEquals(new TextDecoder().decode(body), "<p>hello");
    assertEquals(rest, {
      url: `${origin}/page`,
      status: 200,
      type: "text/html; charset=utf-8",
      isCut: false,
      hosts: [`127.0.0.1:${port}`],
    });
    // What a server sets is sent to nobody, not even to itself after a redirect.
    await webGet(`${origin}/to?at=/page`, net, never);
    assertEquals(asked.map(({ line }) => line), ["GET /page", "GET /to", "GET /page"]);
    for (const { headers } of asked) {
      for (const name of ["cookie", "authorization", "proxy-authorization", "referer"]) {
        assertEquals(headers.get(name), null);
      }
    }
    assertEquals((await webGet(`${origin}/missing`, net, never)).status, 404);
  }));

Deno.test("webGet() refuses a host outside of the scope with the grant, before anything is sent", () =>
  withSite(async ({ port, origin, asked }) => {
    const error = await assertRejects(() => webGet(origin, scope("example.com"), never), WebDenied);
    assertStringIncludes(error.message, `--allow-net=+127.0.0.1:${port}`);
    assertEquals(error.claim, { kind: "net", target: `127.0.0.1:${port}` });
    await assertRejects(() => webGet(origin, scope(), never), WebDenied);
    // Another port of a listed address is another target.
    await assertRejects(() => webGet(origin, scope("127.0.0.1:9"), never), WebDenied);
    assertEquals(asked, []);
  }));

Deno.test("webGet() judges each redirect anew: host, port, address and scheme", () =>
  withSite(async ({ port, origin, asked }) => {
    const net = scope(`127.0.0.1:${port}`);
    const to = (at: string) => webGet(`${origin}/to?at=${encodeURIComponent(at)}`, net, never);
    const other = await assertRejects(() => to(`http://localhost:${port}/page`), WebDenied);
    assertEquals([other.claim?.target, other.hosts], [`localhost:${port}`, [`127.0.0.1:${port}`]]);
    await assertRejects(
      () => to("http://169.254.169.254/latest/meta-data/"),
      WebDenied,
      "--allow-net=+169.254.169.254:80",
    );
    await assertRejects(() => to("file:///etc/passwd"), ToolError, "no http or https address");
    await assertRejects(() => to(`http://me:pw@127.0.0.1:${port}/page`), ToolError, "holds a name or password");
    await assertRejects(() => webGet(`${origin}/loop`, net, never), ToolError, "more than 5 redirects");
    assertEquals(asked.filter(({ line }) => line === "GET /page"), []);
  }));

Deno.test("webGet() does not go where a listed name leads: private, metadata, or another address at the second look", () =>
  withSite(async ({ port, asked }) => {
    for (const address of ["10.1.2.3", "169.254.169.254", "::ffff:10.1.2.3", "fd00::1"]) {
      const world = { ...MACHINE_NET, resolve: () => Promise.resolve([address]) };
      const options = { world, limits: PROXY_LIMITS };
      const error = await assertRejects(
        () => webGet(`http://localhost:${port}/`, scope("localhost"), never, WEB_LIMITS, options),
        WebDenied,
      );
      assertEquals([address, error.claim], [address, undefined]);
      assertStringIncludes(error.message, "which is not in the network scope itself");
    }
    // A name that is public when it is judged and private when it is asked again: the judged address is connected to.
    let looks = 0;
    const connected: string[] = [];
    const world = {
      ...MACHINE_NET,
      resolve: () => Promise.resolve([++looks === 1 ? "93.184.215.14" : "127.0.0.1"]),
      connect: (address: string) => {
        connected.push(address);
        return Promise.reject(new Deno.errors.ConnectionRefused("refused"));
      },
    };
    await assertRejects(
      () =>
        webGet(`http://localhost:${port}/`, scope("localhost"), never, WEB_LIMITS, {
          world,
          limits: PROXY_LIMITS,
        }),
      ToolError,
      "cannot be reached",
    );
    assertEquals([looks, connected, asked], [1, ["93.184.215.14"], []]);
  }));

Deno.test("webGet() reads no picture and no unknown bytes, and names their type", () =>
  withSite(async ({ port, origin }) => {
    const net = scope(`127.0.0.1:${port}`);
    const picture = await webGet(`${origin}/picture`, net, never);
    assertEquals([picture.body.length, picture.refused], [0, "it is no text (image/png, 2.9KB)"]);
    assertStringIncludes((await webGet(`${origin}/bytes`, net, never)).refused ?? "", "application/octet-stream");
  }));

Deno.test("webGet() stops where 64 MiB are packed into some kilobytes, and in time where nothing comes", () =>
  withSite(async ({ port, origin }) => {
    const net = scope(`127.0.0.1:${port}`);
    const { body, isCut } = await webGet(`${origin}/bomb`, net, never);
    assertEquals([body.length, isCut], [WEB_LIMITS.bytes, true]);
    // What never ends is left as soon as there is enough of it.
    const endless = await webGet(`${origin}/endless`, net, never);
    assertEquals([endless.body.length, endless.isCut], [WEB_LIMITS.bytes, true]);
    const limits = { ...WEB_LIMITS, ms: 200 };
    await assertRejects(() => webGet(`${origin}/slow`, net, never, limits), ToolError, "took longer than");
    const ending = new AbortController();
    const stopped = webGet(`${origin}/slow`, net, ending.signal);
    ending.abort();
    await assertRejects(() => stopped, ToolError, "it was stopped");
  }));

Deno.test("webGet() takes http and https alone", async () => {
  const all = { all: true, list: [] };
  for (
    const address of ["ftp://a.example/x", "file:///etc/passwd", "data:text/plain,x", "javascript:1", "nothing", ""]
  ) {
    await assertRejects(() => webGet(address, all, never), ToolError, "no http or https address");
  }
  await assertRejects(() => webGet("https://me:pw@a.example", all, never), ToolError, "holds a name or password");
  assert(true);
});

Deno.test("webGet() with the network open as a whole reaches neither this machine nor its link unless that is named", () =>
  withSite(async ({ port, origin, asked }) => {
    const open = { all: true, list: [] };
    await assertRejects(
      () => webGet(`${origin}/page`, open, never),
      WebDenied,
      `with --allow-net=+127.0.0.1:${port} in place of`,
    );
    await assertRejects(
      () => webGet(`http://localhost:${port}/page`, open, never),
      WebDenied,
      "--allow-net=+localhost:",
    );
    for (const address of ["127.0.0.1", "169.254.169.254", "192.168.7.7"]) {
      const world = {
        ...MACHINE_NET,
        resolve: () => Promise.resolve([address]),
        ownAddresses: () => ["192.168.7.7"],
        connect: () => Promise.reject(new Error(`${address} was connected to`)),
      };
      const options = { world, limits: PROXY_LIMITS };
      const error = await assertRejects(
        () => webGet(`http://localhost:${port}/`, open, never, WEB_LIMITS, options),
        WebDenied,
        "which has to be named",
      );
      // A question could not open it: the network is open already.
      assertEquals([address, error.claim], [address, undefined]);
    }
    assertEquals(asked, []);
    const named = { all: true, list: [`127.0.0.1:${port}`] };
    assertEquals((await webGet(`${origin}/page`, named, never)).status, 200);
    const away = `${origin}/to?at=${encodeURIComponent("http://localhost:8123/latest/meta-data/")}`;
    await assertRejects(() => webGet(away, named, never), WebDenied, "an address of this machine");
  }));
