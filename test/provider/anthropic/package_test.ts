// The vendor's own package beside the adapter: its client takes our requests, its accumulator makes the same message of the
// same bytes. It is loaded here and nowhere else.
import Anthropic from "@anthropic-ai/sdk";
import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import fc from "fast-check";
import type { Message } from "../../../src/core/message.ts";
import type { Provider } from "../../../src/core/provider.ts";
import { collect, requestOf, serve, sse } from "../wire_server.ts";
import { type Block, connect, plainBlocks, READ, replyEvents } from "./wire.ts";

const user = (content: Extract<Message, { role: "user" }>["content"]): Message => ({
  role: "user",
  content,
  timestamp: 1,
});

function client(url: string): Anthropic {
  return new Anthropic({ baseURL: url.replace(/\/v1$/, ""), apiKey: "k", maxRetries: 0, logLevel: "off" });
}

// deno-lint-ignore no-explicit-any -- bodies of the wire format
type Body = any;

const words = fc.string({ unit: "grapheme", maxLength: 60 }).map((text) => `w ${text.replaceAll("<", "")}`);
const block: fc.Arbitrary<Block> = fc.oneof(
  words.map((text): Block => ({ type: "text", text })),
  fc.record({ thinking: words, signature: fc.base64String({ minLength: 4 }) }).map((part): Block => ({
    type: "thinking",
    ...part,
  })),
  fc.base64String({ minLength: 4 }).map((data): Block => ({ type: "redacted_thinking", data })),
);
const reply = fc.tuple(fc.array(block, { maxLength: 6 }), fc.array(words, { maxLength: 3 })).map((
  [blocks, paths],
): Block[] =>
  [
    // Neighbouring texts are one block: the API writes no two of them in a row without a source between.
    ...blocks.filter((part, index) => part.type !== "text" || blocks[index - 1]?.type !== "text"),
    { type: "text", text: "and" } as const,
    ...paths.map((path, index): Block => ({ type: "tool_use", id: `toolu_${index}`, name: "read", input: { path } })),
  ].filter((part, index, all) => part.type !== "text" || all[index - 1]?.type !== "text")
);

/** What goes back to the server of a reply: the blocks that the adapter makes of its own message. */
async function sentBack(provider: Provider, bodies: readonly Body[], message: Message): Promise<unknown> {
  await collect(provider, requestOf({ tools: [READ], messages: [user("hi"), message, user("on")] }));
  const assistant = bodies.at(-1).messages.find(({ role }: Body) => role === "assistant");
  return assistant?.content ?? [];
}

Deno.test("the package's accumulator and the adapter make the same message of the same bytes, however they are cut", async () => {
  const replies = fc.sample(reply, { numRuns: 40, seed: 20261123 });
  let compared = 0;
  for (const blocks of replies) {
    for (const size of [1, 7, 1_000_000]) {
      const usage = { input_tokens: 3, cache_read_input_tokens: 40, cache_creation_input_tokens: 5, output_tokens: 6 };
      await using server = serve(sse(replyEvents(blocks, { usage, step: 1 + blocks.length }), size));
      const provider = connect(server.url);
      const { message } = await collect(provider, requestOf({ tools: [READ] }));
      const body = server.bodies[0] as unknown as MessageCreateParamsStreaming;
      const theirs = await client(server.url).messages.stream(body).finalMessage();
      assertEquals(await sentBack(provider, server.bodies, message), plainBlocks(theirs.content));
      assertEquals(message.stopReason === "toolUse" ? "tool_use" : "end_turn", theirs.stop_reason);
      const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = theirs.usage;
      const { input, output, cacheRead, cacheWrite } = message.usage ?? { input: 0 };
      assertEquals([input, output, cacheRead, cacheWrite], [
        input_tokens,
        output_tokens,
        cache_read_input_tokens ?? 0,
        cache_creation_input_tokens ?? 0,
      ]);
      compared++;
    }
  }
  assertEquals(compared, 120);
});

/** One request of each kind, as the adapter sent it. */
async function bodies(): Promise<readonly Body[]> {
  const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
  const blocks: readonly Block[] = [
    { type: "thinking", thinking: "hm", signature: "SIG" },
    { type: "redacted_thinking", data: "X" },
    { type: "text", text: "I look." },
    { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" } },
  ];
  await using server = serve(sse(replyEvents(blocks)));
  const results: Message = {
    role: "toolResult",
    toolCallId: "toolu_1",
    toolName: "read",
    content: [{ type: "text", text: "seen" }, image],
    isError: false,
    timestamp: 1,
  };
  for (
    const model of [
      "claude-opus-4-7",
      "claude-sonnet-4-6",
      "claude-haiku-4-5",
      "claude-opus-4-5",
      "claude-3-5-haiku-latest",
    ]
  ) {
    for (const thinking of ["off", "low", "xhigh"] as const) {
      const provider = connect(server.url, { model });
      const system = { stable: "STABLE", dynamic: "DYNAMIC" };
      const first = await collect(provider, requestOf({ system, tools: [READ], thinking }));
      const messages = [user([{ type: "text", text: "look" }, image]), first.message, results, user("and?")];
      await collect(provider, requestOf({ system, tools: [READ], thinking, messages }));
      await collect(
        provider,
        requestOf({
          system: { ...system, dynamic: "DYNAMIC\n\nMORE" },
          thinking,
          messages: [{ role: "system", content: "SUMMARY" }, ...messages],
        }),
      );
    }
  }
  return server.bodies;
}

Deno.test("the package's client sends our requests as they are, and its types take each of them", async () => {
  const ours = await bodies();
  assertEquals(ours.length, 45);
  await using server = serve(sse(replyEvents([{ type: "text", text: "yes" }])));
  for (const body of ours) await client(server.url).messages.create(body as MessageCreateParamsStreaming);
  assertEquals(server.bodies, ours.map((body) => body));
  const folder = Deno.makeTempDirSync({ prefix: "sp-sent-" });
  try {
    const text = (extra: string): string =>
      'import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";\n' +
      `export const SENT: readonly MessageCreateParamsStreaming[] = ${JSON.stringify(ours)};\n${extra}`;
    Deno.writeTextFileSync(`${folder}/sent.ts`, text(""));
    // The check itself: a field that there is not is found, and nothing else.
    Deno.writeTextFileSync(`${folder}/wrong.ts`, text('SENT[0]?.messages.push({ role: "tool", content: "" });\n'));
    const said = await typeErrors([`${folder}/sent.ts`, `${folder}/wrong.ts`]);
    assert(said.includes("TS") && !said.includes("sent.ts") && !said.includes("Found "), said);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

async function typeErrors(files: readonly string[]): Promise<string> {
  const config = fromFileUrl(new URL("../../../deno.json", import.meta.url));
  const args = ["check", "--quiet", "--config", config, ...files];
  const env = { NO_COLOR: "1" };
  const { stderr } = await new Deno.Command(Deno.execPath(), { args, env, stderr: "piped" }).output();
  return new TextDecoder().decode(stderr);
}
