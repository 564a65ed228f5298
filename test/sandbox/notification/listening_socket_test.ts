import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { listenerAt } from "../../../src/sandbox/notification/own_ports.ts";

Deno.test({
  name: "listenerAt() tells the socket that listens at a place of loopback from any that comes after it",
  ignore: Deno.build.os !== "linux",
  // libc stays loaded for the life of the process.
  sanitizeResources: false,
  fn: async () => {
    const first = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = first.addr;
    const cookie = listenerAt("v4", port);
    assert(cookie !== undefined && cookie > 0n);
    assertEquals(listenerAt("mapped", port), cookie);
    // A connection does not stand before the socket that listens.
    const client = await Deno.connect({ hostname: "127.0.0.1", port });
    const server = await first.accept();
    assertEquals(listenerAt("v4", port), cookie);
    assertEquals(listenerAt("v4", (client.localAddr as Deno.NetAddr).port), undefined);
    for (const one of [client, server, first]) one.close();
    assertEquals(listenerAt("v4", port), undefined);
    const second = Deno.listen({ hostname: "127.0.0.1", port });
    assertNotEquals(listenerAt("v4", port), cookie);
    assert(listenerAt("v4", port) !== undefined);
    second.close();
  },
});
