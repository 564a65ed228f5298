import { assertEquals } from "@std/assert";
import { textOf, toolCallsOf } from "../../../src/core/message.ts";
import type { Connection } from "../../../src/provider/endpoint/connection.ts";
import { openChat } from "../../../src/provider/openai/chat.ts";
import { readTextCalls } from "../../../src/provider/reply/text_calls.ts";
import { TOOLS } from "../fixture_files.ts";
import { chunk, collect, joined, leaklessTest, requestOf, serve, sse } from "../wire_server.ts";

const FORMS: readonly { name: string; text: string; expect: readonly [string, unknown][] }[] = [
  {
    name: "Hermes",
    text: '<tool_call>\n{"name":"read","arguments":{"path":"a"}}\n</tool_call>',
    expect: [["read", { path: "a" }]],
  },
  {
    name: "two of Hermes",
    text:
      '<tool_call>{"name":"ls","arguments":{}}</tool_call>\n<tool_call>{"name":"bash","arguments":{"command":"a || b"}}</tool_call>',
    expect: [["ls", {}], ["bash", { command: "a || b" }]],
  },
  {
    name: "Qwen3-Coder without the outer tag",
    text: "<function=write>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n\n x\n\n</parameter>\n</function>",
    expect: [["write", { path: "a", content: "\n x\n" }]],
  },
  {
    name: "Kimi",
    text:
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path":"a"}<|tool_call_end|><|tool_calls_section_end|>',
    expect: [["read", { path: "a" }]],
  },
  {
    name: "DeepSeek V3.1",
    text:
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{"path":"a"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    expect: [["read", { path: "a" }]],
  },
  {
    name: "DSML with commands that hold bars",
    text:
      '<｜DSML｜tool_calls><｜DSML｜invoke name="bash"><｜DSML｜parameter name="command" string="true">a || b | c</｜DSML｜parameter>' +
      '<｜DSML｜parameter name="timeout" string="false">5</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>',
    expect: [["bash", { command: "a || b | c", timeout: 5 }]],
  },
  {
    name: "GLM",
    text:
      "<tool_call>grep<arg_key>pattern</arg_key><arg_value>x</arg_value><arg_key>limit</arg_key><arg_value>3</arg_value></tool_call>",
    expect: [["grep", { pattern: "x", limit: 3 }]],
  },
  { name: "Llama", text: '<function=read>{"path":"a"}</function>', expect: [["read", { path: "a" }]] },
  { name: "Groq", text: '<function=read={"path":"a"}</function>', expect: [["read", { path: "a" }]] },
  {
    name: "gpt-oss",
    text: '<|channel|>commentary to=functions.read <|constrain|>json<|message|>{"path":"a"}<|call|>',
    expect: [["read", { path: "a" }]],
  },
];
for (const { name, text, expect } of FORMS) {
  Deno.test(`readTextCalls() reads ${name}`, () => {
    const calls = expect.map(([tool, args]) => ({ name: tool, args }));
    assertEquals<unknown>(readTextCalls(text, TOOLS, []), { type: "calls", calls });
  });
}

const CALL = '<tool_call>{"name":"ls","arguments":{}}</tool_call>';
const NO_CALLS: readonly {
  name: string;
  text: string;
  config?: Partial<Connection>;
  offered?: boolean;
  finish?: string;
  quoted?: string;
}[] = [
  { name: "with words behind it", text: `${CALL} is the form` },
  { name: "in a code fence", text: `\`\`\`\n${CALL}` },
  { name: "in inline code", text: `Write \`${CALL}` },
  { name: "of an unknown tool", text: CALL.replace("ls", "rm") },
  { name: "with a key that the schema lacks", text: CALL.replace("{}", '{"file_path":"a"}') },
  { name: "that was cut", text: CALL.slice(0, -4) },
  { name: "in a reply that the output limit ended", text: CALL, finish: "length" },
  { name: "that quotes the user", text: CALL, quoted: `Repeat: ${CALL}` },
  { name: "when no tools were offered", text: CALL, offered: false },
  { name: "when the setting is off", text: CALL, config: { textCalls: "off" } },
];
for (const { name, text, config, offered = true, finish = "stop", quoted = "hi" } of NO_CALLS) {
  leaklessTest(`openChat() leaves a call as text ${name}`, async () => {
    await using server = serve(
      sse(`${[...text].map((char) => chunk({ content: char })).join("")}${chunk({}, finish)}`),
    );
    const provider = openChat({ baseUrl: server.url, apiKey: "k", model: "m", ...config });
    const messages = [{ role: "user", content: quoted, timestamp: 1 }] as const;
    const { events, message } = await collect(provider, requestOf({ messages, tools: offered ? TOOLS : [] }));
    assertEquals([textOf(message.content), toolCallsOf(message), joined(events, "text_delta")], [text, [], text]);
  });
}

leaklessTest("openChat() never shows a recovered call as text, wherever it is cut", async () => {
  const text = `Look.\n${CALL}`;
  for (const size of [1, 3, text.length]) {
    const parts = Array.from(
      { length: Math.ceil(text.length / size) },
      (_, at) => text.slice(at * size, (at + 1) * size),
    );
    await using server = serve(sse(`${parts.map((part) => chunk({ content: part })).join("")}${chunk({}, "stop")}`));
    const provider = openChat({ baseUrl: server.url, apiKey: "k", model: "m" });
    const { events, message } = await collect(provider, requestOf({ tools: TOOLS }));
    assertEquals([joined(events, "text_delta").trim(), textOf(message.content)], ["Look.", "Look."]);
    assertEquals([message.stopReason, toolCallsOf(message).map((call) => call.name)], ["toolUse", ["ls"]]);
  }
});

Deno.test("a notation that is never closed is read in one pass, whatever blanks a model writes", () => {
  const blanks = " ".repeat(100_000);
  for (const text of [`<｜tool▁call▁begin｜>read\`\`\`json${blanks}`, `<tool_call>${blanks}{}${blanks}`]) {
    assertEquals(readTextCalls(text + ".", TOOLS, []), { type: "none" });
  }
  const fenced = '<｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{"path":"a"}\n```\n<｜tool▁call▁end｜>';
  const plain = '<｜tool▁call▁begin｜>read\n```json\n{"path":"a"}\n```<｜tool▁call▁end｜>';
  for (const text of [fenced.replace("<｜tool▁sep｜>read\n```json", "<｜tool▁sep｜>read```json"), plain]) {
    assertEquals(readTextCalls(text, TOOLS, []), { type: "calls", calls: [{ name: "read", args: { path: "a" } }] });
  }
});
