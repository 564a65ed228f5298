import { assertEquals, assertGreater } from "@std/assert";
import { acceptEach } from "../../../src/sandbox/proxy/accept.ts";
import { openScopedFetch } from "../../../src/sandbox/proxy/scoped_fetch.ts";
import { resetAtOnce } from "../../helpers/reset.ts";
import { until } from "../../helpers/until.ts";

const ignore = Deno.build.os !== "linux";

Deno.test(
  { name: "acceptEach() goes on after clients that reset at once, and ends with its listener", ignore },
  async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    let taken = 0;
    const loop = acceptEach(listener, (conn) => {
      taken++;
      conn.close();
    });
    for (let round = 0; round < 10; round++) {
      resetAtOnce(listener.addr.port, 50);
      const before = taken;
      const conn = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
      await until(() => taken > before);
      conn.close();
    }
    assertGreater(taken, 9);
    listener.close();
    await loop;
  },
);

Deno.test({ name: "openScopedFetch() goes on after clients that reset at once", ignore }, async () => {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => new Response("here"));
  const before = new Set(listening());
  const base = new URL(`http://localhost:${server.addr.port}/`);
  const scoped = openScopedFetch(base, { all: false, list: [`localhost:${server.addr.port}`] });
  try {
    const [proxy = 0] = listening().filter((port) => !before.has(port));
    for (let round = 0; round < 10; round++) {
      resetAtOnce(proxy, 50);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assertEquals(await (await scoped.fetch(base, { signal: AbortSignal.timeout(30_000) })).text(), "here");
  } finally {
    scoped.close();
    await server.shutdown();
  }
});

/** Ports that this process listens on. Told by another program: tests may not look into /proc themselves. */
function listening(): number[] {
  const args = ["-c", `ls -l /proc/${Deno.pid}/fd; cat /proc/net/tcp`];
  const text = new TextDecoder().decode(new Deno.Command("sh", { args, stderr: "null" }).outputSync().stdout);
  const own = new Set(Array.from(text.matchAll(/socket:\[(\d+)\]/g), ([, inode]) => inode));
  return text.split("\n").flatMap((line) => {
    const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
    return state === "0A" && own.has(inode) ? [parseInt(local.split(":")[1] ?? "", 16)] : [];
  });
}
