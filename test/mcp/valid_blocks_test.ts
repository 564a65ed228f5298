import { assertEquals } from "@std/assert";
import type { Transport } from "@modelcontextprotocol/client";
import { mendResults, validResult } from "../../src/mcp/valid_blocks.ts";

/** What a client gets of a result. */
function received(result: unknown): unknown {
  const seen: unknown[] = [];
  const transport: Transport = { start: async () => {}, send: async () => {}, close: async () => {} };
  mendResults(transport);
  assertEquals(transport.onmessage, undefined);
  transport.onmessage = (message) => void seen.push(message);
  transport.onmessage({ jsonrpc: "2.0", id: 1, result } as never);
  const [message] = seen as { readonly result: unknown }[];
  return message?.result;
}

Deno.test("mendResults() names the type of a result that needs none, and leaves other types and other results alone", () => {
  const content = [{ type: "text", text: "a" }];
  assertEquals(received({ content }), { content, resultType: "complete" });
  assertEquals(received({ tools: [] }), { tools: [], resultType: "complete" });
  assertEquals(received({ resultType: "input_required", content: [], state: 1 }), {
    resultType: "input_required",
    content: [],
    state: 1,
  });
  assertEquals(received({ serverInfo: {} }), { serverInfo: {} });
});

const LEFT_OUT = "[left out: a block of the result that is not valid: ";

Deno.test("validResult() keeps each valid block, and says what the others are", () => {
  const resource = { uri: "file:///a", text: "a" };
  const blocks: readonly (readonly [block: unknown, valid: unknown])[] = [
    ["plain", { type: "text", text: "plain" }],
    [{ type: "text", text: "a", extra: 1 }, { type: "text", text: "a" }],
    [{ type: "text", text: 5 }, "it is a text block without text"],
    [null, "it is not an object"],
    [{ type: "image", data: "AAAA", mimeType: "image/png" }, { type: "image", data: "AAAA", mimeType: "image/png" }],
    [{ type: "image", data: "AAAA" }, "its image has no data or type"],
    [{ type: "audio", data: "?", mimeType: "audio/wav" }, "its audio is not base64"],
    [{ type: "resource_link", uri: "a:b", name: "n", title: 1 }, { type: "resource_link", uri: "a:b", name: "n" }],
    [{ type: "resource_link", uri: "a:b" }, "it is a link without an address or a name"],
    [{ type: "resource", resource }, { type: "resource", resource }],
    [{ type: "resource", resource: { uri: "a:b", blob: "?" } }, "the resource a:b has neither text nor valid base64"],
    [{ type: "resource", resource: { text: "a" } }, "its resource has no address"],
    [{ type: "resource" }, "it is a resource without a resource"],
    [{ type: "video" }, 'its type "video" is not known'],
  ];
  const content = blocks.map(([, valid]) =>
    typeof valid === "string" ? { type: "text", text: `${LEFT_OUT}${valid}]` } : valid
  );
  assertEquals<unknown>(validResult({ content: blocks.map(([block]) => block) as never, isError: "yes", _meta: 1 }), {
    content,
  });
  assertEquals<unknown>(validResult({ content: null, isError: true, structuredContent: null }), {
    content: [],
    isError: true,
  });
});
