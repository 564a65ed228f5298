import { assert, assertEquals } from "@std/assert";
import type { Message } from "../../../src/core/message.ts";
import { createChatRequest } from "../../../src/provider/openai/chat_request.ts";
import { combined } from "../../../src/provider/capabilities/capabilities.ts";
import { knownCapabilities } from "../../../src/provider/capabilities/known.ts";
import { TOOLS } from "../fixture_files.ts";
import { requestOf } from "../wire_server.ts";
import { assistant, call, result, user } from "./messages.ts";

const text = (value: string) => ({ type: "text", text: value }) as const;
const image = { type: "image", data: "QQ==", mimeType: "image/png" } as const;

Deno.test("createChatRequest() never changes what was sent before (R431, X28)", () => {
  const { host } = new URL("http://unknown.test/v1");
  const target = { takes: combined(knownCapabilities("http://unknown.test/v1", "m")), host, model: "m" };
  const request = createChatRequest(target);
  const messages: Message[] = [];
  let before = "";
  for (let turn = 0; turn < 5; turn++) {
    messages.push(
      user(`${turn}`),
      assistant([text("t"), call(`c${turn}`)]),
      result(`c${turn}`, turn === 2 ? [image] : [text("r")]),
    );
    const body = JSON.stringify(request(requestOf({ messages, tools: TOOLS })));
    const prefix = before.slice(0, -"]}".length);
    assert(body.startsWith(prefix), `turn ${turn} changed earlier bytes`);
    assertEquals(body, JSON.stringify(createChatRequest(target)(requestOf({ messages, tools: TOOLS }))));
    before = body;
  }
});

Deno.test("createChatRequest() asks each server for effort and limits in its own words, and gives a cache key to those that know one (R429, X29)", () => {
  const bodyFor = (baseUrl: string) => {
    const target = { takes: combined(knownCapabilities(baseUrl, "m")), host: new URL(baseUrl).host, model: "m" };
    const request = requestOf({
      system: { stable: "", dynamic: "" },
      messages: [],
      thinking: "low",
      maxTokens: 5,
      cacheKey: "k".repeat(80),
    });
    return createChatRequest(target)(request);
  };
  const common = { model: "m", stream: true, stream_options: { include_usage: true }, messages: [] };
  assertEquals<unknown>(bodyFor("https://api.openai.com/v1"), {
    ...common,
    max_completion_tokens: 5,
    reasoning_effort: "low",
    prompt_cache_key: "k".repeat(64),
  });
  assertEquals<unknown>(bodyFor("https://openrouter.ai/api/v1"), {
    ...common,
    max_completion_tokens: 5,
    reasoning: { effort: "low" },
  });
  assertEquals<unknown>(bodyFor("https://evil.test/api.openai.com"), {
    ...common,
    max_tokens: 5,
    reasoning_effort: "low",
  });
});
