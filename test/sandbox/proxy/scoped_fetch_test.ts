import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ToolError } from "../../../src/core/error.ts";
import { MACHINE_NET } from "../../../src/sandbox/proxy/network.ts";
import { PROXY_LIMITS } from "../../../src/sandbox/proxy/proxy.ts";
import { openScopedFetch } from "../../../src/sandbox/proxy/scoped_fetch.ts";

const none = { all: false, list: [] };

async function withServer(work: (base: URL, port: number) => Promise<void>): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/moved") return new Response(null, { status: 307, headers: { location: "/" } });
    return new Response(`${request.method} ${request.headers.get("proxy-authorization")} ${await request.text()}`);
  });
  try {
    await work(new URL(`http://localhost:${server.addr.port}/mcp`), server.addr.port);
  } finally {
    await server.shutdown();
  }
}

Deno.test("openScopedFetch() refuses a host that no scope names, with the grant", () => {
  assertThrows(() => openScopedFetch(new URL("https://a.example/x"), none), ToolError, "--allow-net=+a.example:443");
  assertThrows(() => openScopedFetch(new URL("http://[::1]/x"), none), ToolError, "--allow-net='+[::1]:80'");
});

Deno.test("openScopedFetch() goes over http and https alone, in a scope of everything too", () => {
  for (
    const address of ["file:///etc/hostname", "data:application/json,{}", "blob:http://a.example/1", "ftp://a.example/"]
  ) {
    for (const net of [{ all: true, list: [] }, { all: false, list: ["a.example"] }]) {
      assertThrows(() => openScopedFetch(new URL(address), net).close(), ToolError, "no http or https address");
    }
  }
});

Deno.test("openScopedFetch() goes through the proxy to a listed host, which does not see the token", () =>
  withServer(async (base, port) => {
    const scoped = openScopedFetch(base, { all: false, list: [`localhost:${port}`] });
    try {
      for (const body of ["one", "two"]) {
        assertEquals(await (await scoped.fetch(base, { method: "POST", body })).text(), `POST null ${body}`);
      }
      const moved = await scoped.fetch(new URL("/moved", base));
      assertEquals([moved.status, await moved.text(), scoped.notes()], [307, "", []]);
      await assertRejects(() => scoped.fetch(`http://127.0.0.1:${port}/`), Error, "it is another host");
    } finally {
      scoped.close();
      scoped.close();
    }
    await assertRejects(() => scoped.fetch(base));
  }));

Deno.test("openScopedFetch() does not follow a listed name to a private address", () =>
  withServer(async (_, port) => {
    const world = { ...MACHINE_NET, resolve: () => Promise.resolve(["10.1.2.3"]) };
    const base = new URL(`http://localhost:${port}/`);
    const scoped = openScopedFetch(base, { all: false, list: ["localhost"] }, { world, limits: PROXY_LIMITS });
    try {
      const answer = await scoped.fetch(base);
      assertEquals([answer.status, /a private address/.test(await answer.text())], [403, true]);
      assertEquals(scoped.notes().length, 1);
    } finally {
      scoped.close();
    }
  }));

for (const variable of ["NO_PROXY", "no_proxy"]) {
  Deno.test(`openScopedFetch() judges addresses whatever ${variable} says`, () =>
    withServer(async (base, port) => {
      const world = { ...MACHINE_NET, resolve: () => Promise.resolve(["10.1.2.3"]) };
      const before = Deno.env.get(variable);
      Deno.env.set(variable, "*");
      try {
        const scoped = openScopedFetch(base, { all: false, list: [`localhost:${port}`] }, {
          world,
          limits: PROXY_LIMITS,
        });
        try {
          const answer = await scoped.fetch(base);
          assertEquals([answer.status, /a private address/.test(await answer.text())], [403, true]);
        } finally {
          scoped.close();
        }
        assertEquals(Deno.env.get(variable), "*");
      } finally {
        if (before === undefined) Deno.env.delete(variable);
        else Deno.env.set(variable, before);
      }
    }));
}

Deno.test("openScopedFetch() without bounds goes straight, and to its own origin alone", () =>
  withServer(async (base, port) => {
    const scoped = openScopedFetch(base, { all: true, list: [] });
    assertEquals(await (await scoped.fetch(base)).text(), "GET null ");
    const moved = await scoped.fetch(new URL("/moved", base));
    assertEquals([moved.status, await moved.text()], [307, ""]);
    await assertRejects(() => scoped.fetch(`http://127.0.0.1:${port}/`), Error, "it is another host");
    scoped.close();
  }));
