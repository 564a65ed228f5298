import { outputAt, OWN_FILES } from "../../helpers/named_files.ts";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { type AssistantMessage, toolCallsOf } from "../../../src/core/message.ts";
import { openChat } from "../../../src/provider/openai/chat.ts";
import { openRecording, recordProvider } from "../../../src/provider/replay/record.ts";
import { type CassetteLine, parseCassette } from "../../../src/provider/replay/cassette.ts";
import { openReplay } from "../../../src/provider/replay/replay.ts";
import { TOOLS } from "../fixture_files.ts";
import { chunk, collect, requestOf, saying, serve, sse } from "../wire_server.ts";

Deno.test("recordProvider() writes a cassette that plays the same replies, without the key (R438)", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    const file = join(folder, "run.jsonl");
    const key = 'k"ey-123';
    const call = { index: 0, id: "c1", function: { name: "bash", arguments: '{"command":"ls"}' } };
    const first = chunk({ content: `The key is ${key}.` }) + chunk({ tool_calls: [call] }) + chunk({}, "tool_calls") +
      chunk({}, null, { usage: { prompt_tokens: 5, completion_tokens: 2 } });
    await using server = serve(sse(first), saying("Done."), () => new Response("no", { status: 503 }));
    const recording = openRecording(OWN_FILES, outputAt(file));
    recording.hide([key]);
    const live = recordProvider(openChat({ baseUrl: server.url, apiKey: key, model: "m" }), recording);
    const heard: AssistantMessage[] = [];
    for (let turn = 0; turn < 3; turn++) heard.push((await collect(live, requestOf({ tools: TOOLS }))).message);
    await collect(live, requestOf(), AbortSignal.abort());

    const text = Deno.readTextFileSync(file);
    assertEquals([text.trimEnd().split("\n").length, text.includes("ey-123")], [3, false]);
    assertEquals((Deno.statSync(file).mode ?? 0) & 0o777, 0o600);
    const replay = await openReplay(file, () => Deno.readTextFile(file));
    const summary = (
      message: AssistantMessage,
    ) => [message.stopReason, toolCallsOf(message), message.failure?.kind];
    for (const message of heard) {
      assertEquals(summary((await collect(replay, requestOf({ tools: TOOLS }))).message), summary(message));
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("recordProvider() says that it cannot write, and the run goes on", async () => {
  await using server = serve(saying("Done."));
  const recording = openRecording(OWN_FILES, outputAt("/dev/null/run.jsonl"));
  const live = recordProvider(openChat({ baseUrl: server.url, apiKey: "k", model: "m" }), recording);
  const { events, message } = await collect(live, requestOf());
  assertEquals([message.stopReason, events.at(-2)?.type], ["stop", "notice"]);
  assertStringIncludes(JSON.stringify(events.at(-2)), "--record");
});

Deno.test("openRecording() takes secrets out of texts, never out of names, words of the format or ordinary words", () => {
  const folder = Deno.makeTempDirSync();
  try {
    const key = "sk-0123456789";
    const args = { command: `curl -H ${key}`, whole: "e", text: "the e", [key]: 1 };
    const call = { name: "read", args, id: "e" };
    /** [key, reply, what is kept of it]. */
    const lines: readonly (readonly [string, CassetteLine, CassetteLine])[] = [
      ["e", { text: "e", calls: [call] }, { text: "[key]", calls: [{ ...call, args: { ...args, whole: "[key]" } }] }],
      ...["t", "text", "none", "length"].map((short) =>
        [
          short,
          { text: "none of the text", stopReason: "length" as const },
          { text: "none of the text", stopReason: "length" as const },
        ] as const
      ),
      [key, { text: `is ${key}`, calls: [call] }, {
        text: "is [key]",
        calls: [{ ...call, args: { ...args, command: "curl -H [key]" } }],
      }],
      ["overload", { error: { message: "overload here", kind: "overload" } }, {
        error: { message: "[key] here", kind: "overload" },
      }],
    ];
    for (const [index, [secret, line, kept]] of lines.entries()) {
      const file = join(folder, `${index}.jsonl`);
      const recording = openRecording(OWN_FILES, outputAt(file));
      recording.hide([secret]);
      assertEquals(recording.write(line), undefined);
      assertEquals<unknown>(parseCassette(Deno.readTextFileSync(file), file)[0]?.line, kept, secret);
    }
    const file = join(folder, "seen.jsonl");
    const recording = openRecording(OWN_FILES, outputAt(file));
    recording.hide(["read", key]);
    const result = { kind: "result", tool: "read", args: {}, isError: false, denied: [] } as const;
    recording.write({ seen: { ...result, text: `{"a":"${key}"}` } });
    assertEquals(JSON.parse(Deno.readTextFileSync(file)), { seen: { ...result, text: '{"a":"[key]"}' } });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
