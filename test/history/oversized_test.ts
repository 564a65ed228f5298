import { assert, assertEquals, assertStrictEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import type { AgentMessage, Message } from "../../src/core/message.ts";
import { convertToLlm } from "../../src/history/convert.ts";
import { fitMessages, type Shortened } from "../../src/history/oversized.ts";
import { sentTokens } from "../../src/history/tokens.ts";
import { messageLimits } from "../../src/history/window.ts";
import { messageTokens } from "../../src/history/tokens.ts";
import { call, reply, result, user } from "./conversation.ts";

const LINES = Array.from({ length: 4000 }, (_, i) => `line ${i} of a long text`).join("\n");

async function fit(
  messages: readonly AgentMessage[],
  limit: number,
): Promise<{ sent: readonly Message[]; shortened: readonly Shortened[] }> {
  const shortened: Shortened[] = [];
  const sent = await fitMessages(
    messages,
    () => limit,
    () => "All of it is in THERE",
    (one) => void shortened.push(one),
  );
  return { sent, shortened };
}

Deno.test("fitMessages() changes nothing while every message is below its limit", async () => {
  const messages = [user("a"), reply("b", [call("1", "read", { path: "p" })]), result("1", LINES)];
  const { sent, shortened } = await fit(messages, 100_000);
  assertEquals(shortened, []);
  messages.forEach((message, index) => assertStrictEquals(sent[index], message));
});

Deno.test("fitMessages() keeps head and tail of a message that is too long, and says where the whole text is", async () => {
  const long = user(`first words\n${LINES}\nlast words`);
  const { sent: [small, cut], shortened } = await fit([user("small"), long], 2000);
  assertEquals(shortened.map(({ message }) => message), [long]);
  assertEquals(small?.content, "small");
  const text = cut?.content as string;
  assert(text.startsWith("first words\nline 0 of a long text\n") && text.endsWith("\nlast words"), text.slice(0, 100));
  assertStringIncludes(text, "omitted: this is too long for the context window. All of it is in THERE …]");
  assertEquals(long.content.length > 80_000, true);
});

Deno.test("fitMessages() gives the same object for the same message, whatever comes after it", async () => {
  const long = result("1", LINES);
  const before = [user("x"), reply("", [call("1", "bash", {})]), long];
  const [, , first] = (await fit(before, 1000)).sent;
  const [, , second] = (await fit([...before, reply("y"), user("z")], 1000)).sent;
  assertStrictEquals(first, second);
  assert(first !== (await fit(before, 500)).sent[2]);
});

Deno.test("fitMessages() shortens all texts of a message, arguments of calls too, and drops reasoning that cannot go back cut", async () => {
  const content = [{ type: "thinking" as const, thinking: LINES }, { type: "text" as const, text: `say ${LINES}` }];
  const said = reply("", [], {
    content: [...content, call("1", "write", { path: "a.txt", content: LINES })],
    keep: { a: 1 },
  });
  const { sent: [cut] } = await fit([said], 1500);
  assert(cut?.role === "assistant");
  assertEquals(cut.keep, undefined);
  assertEquals(cut.content.map(({ type }) => type), ["text", "toolCall"]);
  const [, written] = cut.content;
  assert(written?.type === "toolCall");
  assertEquals(written.arguments["path"], "a.txt");
  assertStringIncludes(String(written.arguments["content"]), "omitted");
  assert(await messageTokens(cut) <= 1700, `${await messageTokens(cut)} tokens`);
});

Deno.test("fitMessages() replaces images that do not fit by a note", async () => {
  const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
  const { sent: [cut] } = await fit([user([{ type: "text", text: "look" }, image, image, image])], 4000);
  const kinds = Array.isArray(cut?.content) ? cut.content.map(({ type }: { type: string }) => type) : [];
  assertEquals(kinds, ["text", "image", "text", "text"]);
});

Deno.test("fitMessages() never gives more than a few tokens over the limit, nor half a character", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("wwww", "\n", " ", "😀", "漢字", "const x = 1;", "0123456789abcdef", "\t\t"), {
        minLength: 200,
        maxLength: 4000,
      }),
      fc.integer({ min: 256, max: 3000 }),
      async (words, limit) => {
        const message = user(words.join(""));
        const { sent: [cut] } = await fit([message], limit);
        if (!cut) return assertEquals(convertToLlm([message]), []);
        const tokens = await messageTokens(cut);
        assert(tokens <= limit + 20, `${tokens} of ${limit}`);
        assert((cut.content as string).isWellFormed());
        assert(await sentTokens(message, limit) <= limit);
      },
    ),
    { numRuns: 40 },
  ));

Deno.test("messageLimits() leaves room for other messages, and stays the same for small changes of the prompt", () => {
  const { any, kept, unanswered } = messageLimits(111_000, 4000, 20_000);
  assert(any > 60_000 && any < 85_000, `${any}`);
  assertEquals([kept, unanswered], [8192, 14_336]);
  assertEquals(messageLimits(111_000, 4010, 20_000), { any, kept, unanswered });
  const small = messageLimits(6144, 1500, 2300);
  assert(small.any <= 3500 && small.kept <= small.unanswered && small.unanswered <= small.any);
});
