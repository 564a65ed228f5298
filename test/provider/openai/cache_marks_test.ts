import { assert, assertEquals } from "@std/assert";
import type { Message } from "../../../src/core/message.ts";
import { openProvider } from "../../../src/provider/mod.ts";
import { READ } from "../anthropic/wire.ts";
import { type CacheCounts, createCache } from "../anthropic/cache_rules.ts";
import { chunk, collect, requestOf, saying, serve, sse } from "../wire_server.ts";

// deno-lint-ignore no-explicit-any -- bodies of the wire format
type Body = any;

const MARK = { cache_control: { type: "ephemeral" } };
const user = (text: string): Message => ({ role: "user", content: text, timestamp: 1 });
const call = (...ids: readonly string[]): Message => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "toolCall", id, name: "read", arguments: { path: id } }) as const),
  provider: "openai",
  model: "m",
  stopReason: "toolUse",
  timestamp: 1,
});
const result = (id: string, text: string): Message => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "read",
  content: [{ type: "text", text }],
  isError: false,
  timestamp: 1,
});

const SYSTEM = { stable: "STABLE ".repeat(1000), dynamic: "DYNAMIC" };
const takes = { capabilities: { cacheControl: true } };

Deno.test("a gateway that takes Claude's marks gets them at the last tool, the stable half and the last two turns R427", async () => {
  await using server = serve(saying("done"));
  const messages = [user("hi"), call("c1"), result("c1", "one"), call("c2"), result("c2", "two"), user("and?")];
  const config = { baseUrl: server.url, apiKey: "k", model: "anthropic/claude-opus-5.5" };
  const request = requestOf({ system: SYSTEM, tools: [{ ...READ, name: "first" }, READ], messages });
  await collect(await openProvider("chat", { ...config, ...takes }), request);
  await collect(await openProvider("chat", config), request);
  const [marked, plain]: Body[] = server.bodies;
  assertEquals(marked.tools.map((tool: Body) => tool.cache_control), [undefined, MARK.cache_control]);
  assertEquals(marked.messages.map(({ content }: Body) => content), [
    [{ type: "text", text: SYSTEM.stable, ...MARK }, { type: "text", text: "DYNAMIC" }],
    "hi",
    null,
    [{ type: "text", text: "one", ...MARK }],
    null,
    "two",
    [{ type: "text", text: "and?", ...MARK }],
  ]);
  assert(!JSON.stringify(plain).includes("cache_control"));
});

Deno.test("OpenRouter gets marks for Claude and for nobody else", async () => {
  const { knownCapabilities } = await import("../../../src/provider/capabilities/known.ts");
  const of = (model: string) => knownCapabilities("https://openrouter.ai/api/v1", model).cacheControl === true;
  assertEquals([of("anthropic/claude-opus-5.5"), of("openai/gpt-5"), of("google/gemini-3-pro")], [true, false, false]);
});

/** A chat body as a gateway hands it on. */
function handedOn({ model, tools, messages }: Body): Body {
  const blocks = (content: Body): Body[] =>
    typeof content === "string" ? [{ type: "text", text: content }] : content ?? [];
  const [system, ...rest] = messages;
  return {
    model,
    tools,
    system: blocks(system.content),
    messages: rest.map(({ role, content, tool_calls }: Body) => ({
      role: role === "tool" ? "user" : role,
      content: [...blocks(content), ...tool_calls ?? []],
    })),
  };
}

Deno.test("over twenty turns a gateway's cache reads nine tenths of the input, and a failed call costs nothing of it", async () => {
  const reply = chunk({ content: "ok" }) + chunk({}, "stop") + "data: [DONE]\n\n";
  await using server = serve(sse(reply));
  const provider = await openProvider("chat", {
    baseUrl: server.url,
    apiKey: "k",
    model: "anthropic/claude-sonnet-5",
    ...takes,
  });
  const messages: Message[] = [user("hi")];
  for (let turn = 0; turn < 20; turn++) {
    const dynamic = turn === 9 ? "DYNAMIC\n\n## Retry\nIt failed." : SYSTEM.dynamic;
    await collect(provider, requestOf({ system: { ...SYSTEM, dynamic }, tools: [READ], messages }));
    const ids = Array.from({ length: turn === 12 ? 30 : 1 }, (_, index) => `call_${turn}_${index}`);
    messages.push(call(...ids), ...ids.map((id) => result(id, "line\n".repeat(turn === 12 ? 3 : 60))));
  }
  const cache = createCache();
  const counts: CacheCounts[] = server.bodies.map((body) => cache(handedOn(body)));
  const sum = (key: keyof CacheCounts): number => counts.reduce((total, count) => total + count[key], 0);
  const share = sum("read") / (sum("read") + sum("written") + sum("input"));
  assert(share >= 0.9, `${share} ${JSON.stringify(counts)}`);
  assertEquals(JSON.stringify(server.bodies[9]).includes("It failed."), true);
});
