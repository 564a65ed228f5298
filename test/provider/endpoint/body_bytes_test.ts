import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../../src/core/json.ts";
import { createBodyBytes } from "../../../src/provider/endpoint/body_bytes.ts";

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

Deno.test("createBodyBytes() writes what JSON.stringify writes, whatever body came before R422", () => {
  const value = fc.jsonValue({ noneKeys: [] } as never);
  const body = fc.dictionary(fc.string(), fc.oneof(value, fc.array(value)));
  fc.assert(fc.property(fc.array(body, { maxLength: 4 }), (bodies) => {
    const bytesOf = createBodyBytes();
    for (const one of bodies) {
      assertEquals(decode(bytesOf(one as JsonObject)), JSON.stringify(one));
    }
  }));
});

Deno.test("createBodyBytes() writes conversations that grow, shrink and change anywhere R422", () => {
  const item = fc.record({ role: fc.constantFrom("user", "tool"), content: fc.string({ unit: "binary" }) });
  const step = fc.record({ keep: fc.nat(12), add: fc.array(item, { maxLength: 5 }), system: fc.string() });
  fc.assert(fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
    const bytesOf = createBodyBytes();
    let messages: JsonValue[] = [];
    for (const { keep, add, system } of steps) {
      messages = [...messages.slice(0, keep), ...add];
      const body = { model: "m", tools: [{ name: "a" }], messages: [{ role: "system", content: system }, ...messages] };
      assertEquals(decode(bytesOf(body)), JSON.stringify(body));
    }
  }));
});

Deno.test("createBodyBytes() writes what grew far beyond its room, leaves out undefined and takes empty bodies and lists", () => {
  const bytesOf = createBodyBytes();
  const long = Array.from({ length: 40 }, (_, i) => ({ content: "ü€😀".repeat(i * 500) }));
  for (const count of [1, 2, 17, 40, 3, 0, 40]) {
    const body = { messages: long.slice(0, count), stop: [], gone: undefined as never };
    assertEquals(decode(bytesOf(body)), JSON.stringify(body));
  }
  assertEquals(decode(bytesOf({})), "{}");
});
