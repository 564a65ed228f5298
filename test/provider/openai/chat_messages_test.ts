import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Message } from "../../../src/core/message.ts";
import { createChatRequest } from "../../../src/provider/openai/chat_request.ts";
import { openChat } from "../../../src/provider/openai/chat.ts";
import { combined } from "../../../src/provider/capabilities/capabilities.ts";
import { knownCapabilities } from "../../../src/provider/capabilities/known.ts";
import { readFixture, TOOLS } from "../fixture_files.ts";
import { collect, requestOf, saying, serve, sse } from "../wire_server.ts";
import { assistant, call, result, user } from "./messages.ts";

function build(messages: readonly Message[], baseUrl = "http://unknown.test/v1"): readonly JsonObject[] {
  const { host } = new URL(baseUrl);
  const body = createChatRequest({ takes: combined(knownCapabilities(baseUrl, "m")), host, model: "m" })(
    requestOf({ system: { stable: "", dynamic: "" }, messages }),
  );
  // The builder's own output: `messages` is a list of objects.
  return body.messages as readonly JsonObject[];
}

const wireCall = (id: string, args = "{}"): JsonObject => ({
  id,
  type: "function",
  function: { name: "ls", arguments: args },
});
const text = (value: string) => ({ type: "text", text: value }) as const;
const image = { type: "image", data: "QQ==", mimeType: "image/png" } as const;
const imagePart = { type: "image_url", image_url: { url: "data:image/png;base64,QQ==" } };

const CASES: readonly {
  name: string;
  messages: readonly Message[];
  expect: readonly JsonObject[];
  baseUrl?: string;
}[] = [
  {
    name: "text parts as one plain text",
    messages: [user([text("a"), text("b")])],
    expect: [{ role: "user", content: "ab" }],
  },
  {
    name: "a picture of the user (R433)",
    messages: [user([text("look"), image])],
    expect: [{ role: "user", content: [{ type: "text", text: "look" }, imagePart] }],
  },
  { name: "no lone surrogates", messages: [user("a\ud800b")], expect: [{ role: "user", content: "ab" }] },
  {
    name: "no empty messages",
    messages: [user(""), assistant([]), user("x")],
    expect: [{ role: "user", content: "x" }],
  },
  {
    name: "calls without text as null content, and a placeholder for an empty result",
    messages: [user("x"), assistant([call("c1")]), result("c1", [])],
    expect: [
      { role: "user", content: "x" },
      { role: "assistant", content: null, tool_calls: [wireCall("c1")] },
      { role: "tool", tool_call_id: "c1", content: "(no output)" },
    ],
  },
  {
    name: "every call answered once, in order, strays left out",
    messages: [
      assistant([text("t"), call("c1"), call("c2"), call("c3")]),
      result("c3", [text("three")]),
      result("c1", [text("one")]),
      result("c1", [text("again")]),
      result("zz", [text("stray")]),
      user("next"),
    ],
    expect: [
      { role: "assistant", content: "t", tool_calls: [wireCall("c1"), wireCall("c2"), wireCall("c3")] },
      { role: "tool", tool_call_id: "c1", content: "one" },
      { role: "tool", tool_call_id: "c2", content: "(this call was not run)" },
      { role: "tool", tool_call_id: "c3", content: "three" },
      { role: "user", content: "next" },
    ],
  },
  {
    name: "pictures of results in one user message after the last result",
    messages: [assistant([call("c1"), call("c2")]), result("c1", [image]), result("c2", [text("two"), image])],
    expect: [
      { role: "assistant", content: null, tool_calls: [wireCall("c1"), wireCall("c2")] },
      { role: "tool", tool_call_id: "c1", content: "(see the image below)" },
      { role: "tool", tool_call_id: "c2", content: "two" },
      { role: "user", content: [imagePart, imagePart] },
    ],
  },
  {
    name: "a refused call with empty arguments and a name that servers take",
    messages: [
      assistant([{ ...call("c1", "no such"), refused: { reason: "r", raw: '{"path' } }]),
      result("c1", [text("r")]),
    ],
    expect: [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "no_such", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "r" },
    ],
  },
  {
    name: "ids in Mistral's form, the same for call and result",
    baseUrl: "https://api.mistral.ai/v1",
    messages: [
      assistant([call("call_long_1"), call("a1B2c3D4e")]),
      result("call_long_1", [text("x")]),
      result("a1B2c3D4e", [text("y")]),
    ],
    expect: [
      { role: "assistant", content: null, tool_calls: [wireCall("7f3c56a1f"), wireCall("a1B2c3D4e")] },
      { role: "tool", tool_call_id: "7f3c56a1f", content: "x" },
      { role: "tool", tool_call_id: "a1B2c3D4e", content: "y" },
    ],
  },
  {
    name: "reasoning beside calls under the name in which it came",
    messages: [
      assistant([{ type: "thinking", thinking: "hm", field: "reasoning_content" }, call("c1")], {
        keep: { origin: "unknown.test" },
      }),
    ],
    expect: [
      { role: "assistant", content: null, reasoning_content: "hm", tool_calls: [wireCall("c1")] },
      { role: "tool", tool_call_id: "c1", content: "(this call was not run)" },
    ],
  },
  {
    name: "no reasoning to another server",
    messages: [
      assistant([{ type: "thinking", thinking: "hm", field: "reasoning_content" }, text("a")], {
        keep: { origin: "other.test", reasoning_details: [{ a: 1 }] },
      }),
    ],
    expect: [{ role: "assistant", content: "a" }],
  },
];
for (const { name, messages, expect, baseUrl } of CASES) {
  Deno.test(`createChatRequest() sends ${name}`, () =>
    assertEquals<unknown>(withStableIds(build(messages, baseUrl)), withStableIds(expect)));
}

/** Hashed ids by their shape: nine letters and digits. */
function withStableIds(messages: readonly JsonObject[]): unknown {
  return JSON.parse(JSON.stringify(messages).replaceAll(/"[0-9a-f]{9}"/g, '"HASHED"'));
}

const KEPT: readonly { file: string; expect: JsonObject }[] = [
  {
    file: "openrouter-comments-reasoning.sse",
    expect: {
      role: "assistant",
      content: "The answer is 4.",
      reasoning_details: [
        { type: "reasoning.text", text: "Two and ", format: "anthropic-claude-v1", index: 0 },
        { type: "reasoning.text", text: "two.", format: "anthropic-claude-v1", index: 0 },
        { type: "reasoning.text", text: "", format: "anthropic-claude-v1", index: 0, signature: "c2ln" },
      ],
    },
  },
  {
    file: "gemini-no-index.sse",
    expect: {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "call_297140",
          type: "function",
          function: { name: "read", arguments: '{"path":"src/add.ts","limit":100}' },
          extra_content: { google: { thought_signature: "U0lHMQ==" } },
        },
        { id: "call_297141", type: "function", function: { name: "read", arguments: '{"path":"src/sub.ts"}' } },
      ],
    },
  },
  {
    file: "moonshot-usage-in-choice.sse",
    expect: {
      role: "assistant",
      content: null,
      reasoning_content: "Open it.",
      tool_calls: [{
        id: "functions.read:0",
        type: "function",
        function: { name: "read", arguments: '{"path":"go.mod"}' },
      }],
    },
  },
  {
    file: "deepseek-keepalive-reasoning.sse",
    expect: {
      role: "assistant",
      content: "Running it.",
      reasoning_content: "The test fails.",
      tool_calls: [{
        id: "call_00_d",
        type: "function",
        function: { name: "bash", arguments: '{"command":"npm test"}' },
      }],
    },
  },
];
for (const { file, expect } of KEPT) {
  Deno.test(`openChat() sends back what ${file} asks to keep`, async () => {
    await using server = serve(sse(readFixture(`dialects/${file}`)), saying("ok"));
    const provider = openChat({ baseUrl: server.url, apiKey: "k", model: "m" });
    const { message } = await collect(provider, requestOf({ tools: TOOLS }));
    await collect(provider, requestOf({ system: { stable: "", dynamic: "" }, messages: [message] }));
    // The server saw what the builder made: a list of messages.
    const [sent] = server.bodies[1]?.messages as readonly JsonObject[];
    assertEquals<unknown>(sent, expect);
  });
}
