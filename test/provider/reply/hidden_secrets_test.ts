import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { AssistantMessage } from "../../../src/core/message.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "../../../src/core/provider.ts";
import { secretForms } from "../../../src/core/support/hide_secrets.ts";
import { createTextFilter, withoutSecrets } from "../../../src/provider/reply/hidden_secrets.ts";

const KEY = "sk-SECRETKEY-0123456789abcdef";
const BASE64 = btoa(KEY).replace(/=+$/, "");

function filtered(forms: readonly string[], pieces: readonly string[], isCut = false): string {
  const filter = createTextFilter(forms);
  return pieces.map((piece) => filter.push(piece)).join("") + filter.end(isCut);
}

Deno.test("createTextFilter() gives the same text in any pieces, and no secret in it", () =>
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(KEY, "sk-", "SECRET", "s", "hello ", "abab", "ababc1234", "x"), { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 60 }),
      (words, sizes) => {
        const text = words.join("");
        const forms = secretForms([KEY, "ababc1234", "SECRETKEY-0"]);
        const pieces: string[] = [];
        for (let at = 0, i = 0; at < text.length; i++) pieces.push(text.slice(at, at += sizes[i % sizes.length] ?? 1));
        const shown = filtered(forms, pieces);
        for (const form of forms) assert(!shown.includes(form), shown);
        assertEquals(shown, filtered(forms, [text]));
        if (!forms.some((form) => text.includes(form))) assertEquals(shown, text);
      },
    ),
    { numRuns: 300 },
  ));

Deno.test("createTextFilter() holds back a possible beginning of a secret and nothing else", () => {
  const filter = createTextFilter(secretForms([KEY]));
  assertEquals(filter.push("Hello, I am "), "Hello, I am ");
  assertEquals(filter.push("as"), "a");
  assertEquals(filter.push(" it is"), "s it i");
  assertEquals(filter.push("k-SEC"), "");
  assertEquals(filter.push("ret"), "sk-SECret");
  assertEquals(filter.end(false), "");
  // A reply that was cut may go on with the rest of it.
  assertEquals(filtered(secretForms([KEY]), ["the key: sk-SECRETK"], true), "the key: [key]");
  assertEquals(filtered(secretForms([KEY]), ["it is a risk"], true), "it is a risk");
});

const REPLY: AssistantMessage = {
  role: "assistant",
  content: [],
  provider: "p",
  model: "m",
  stopReason: "stop",
  timestamp: 0,
};

async function streamed(events: readonly ProviderEvent[]): Promise<readonly ProviderEvent[]> {
  const provider: Provider = {
    name: "p",
    model: "m",
    async *stream() {
      await Promise.resolve();
      yield* events;
    },
  };
  const seen: ProviderEvent[] = [];
  const request = { system: { stable: "", dynamic: "" }, messages: [], tools: [], thinking: "off" } as ProviderRequest;
  for await (
    const event of withoutSecrets(provider, () => [KEY, "short"]).stream(request, new AbortController().signal)
  ) seen.push(event);
  return seen;
}

Deno.test("withoutSecrets() cleans text, reasoning, calls, notices and failures, also of a key in base64 or in an address", async () => {
  const whole: AssistantMessage = {
    ...REPLY,
    stopReason: "toolUse",
    keep: { blocks: [KEY] },
    content: [
      { type: "thinking", thinking: `think ${KEY}` },
      { type: "text", text: `say ${BASE64} short` },
      {
        type: "toolCall",
        id: `id-${KEY}`,
        name: "bash",
        arguments: { command: `curl -H "Bearer ${KEY}"`, [KEY]: [KEY] },
      },
    ],
    errorMessage: `it failed with ${KEY}`,
  };
  const seen = await streamed([
    { type: "thinking_delta", delta: `think ${KEY.slice(0, 8)}` },
    { type: "text_delta", delta: `say ${BASE64.slice(0, 10)}` },
    { type: "thinking_delta", delta: KEY.slice(8) },
    { type: "toolcall_delta", index: 0, name: "bash", delta: '{"command":"curl ' },
    { type: "toolcall_delta", index: 0, delta: KEY.slice(0, 20) },
    { type: "text_delta", delta: BASE64.slice(10) + " short" },
    { type: "toolcall_delta", index: 0, delta: KEY.slice(20) + '"}' },
    { type: "notice", message: `a notice with ${KEY}` },
    { type: "end", message: whole },
  ]);
  const all = JSON.stringify(seen);
  assert(!all.includes(KEY) && !all.includes(BASE64) && !all.includes("SECRETKEY"), all);
  const text = (type: string) =>
    seen.map((event) => event.type === type && "delta" in event ? event.delta : "").join("");
  assertEquals(text("thinking_delta"), "think [key]");
  assertEquals(text("text_delta"), "say [key] short");
  assertEquals(text("toolcall_delta"), '{"command":"curl [key]"}');
  const end = seen.at(-1);
  assert(end?.type === "end");
  assertEquals(end.message.keep, undefined);
  assertEquals(end.message.content[2], {
    type: "toolCall",
    id: "id-[key]",
    name: "bash",
    arguments: { command: 'curl -H "Bearer [key]"', "[key]": ["[key]"] },
  });
});

Deno.test("withoutSecrets() gives a reply without secrets as it is, in as many pieces", async () => {
  const message: AssistantMessage = { ...REPLY, content: [{ type: "text", text: "all fine" }], keep: { a: 1 } };
  const events: ProviderEvent[] = [
    { type: "text_delta", delta: "all " },
    { type: "text_delta", delta: "fine" },
    { type: "end", message },
  ];
  const seen = await streamed(events);
  assertEquals(seen, events);
  assert(seen[2]?.type === "end" && seen[2].message === message);
});
