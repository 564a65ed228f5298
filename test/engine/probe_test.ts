// Servers on this machine that differ in what they take.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { MOST_PROBES, mostProbeCost, probe, type Probed } from "../../src/engine/model/probe.ts";
import type { SomeCapabilities } from "../../src/provider/capabilities/capabilities.ts";
import { type Answer, leaklessTest, serve, sse } from "../provider/wire_server.ts";
import { openWire } from "../wire/drive.ts";
import type { WireApi } from "../wire/expectation.ts";
import { type Part, replyOf } from "../wire/replies.ts";

// deno-lint-ignore no-explicit-any -- bodies of the wire format
type Body = any;

const call = (number: number): Part => ({
  type: "call",
  id: `call_${number}`,
  name: "note_number",
  json: `{"number":${number}}`,
});
const THINKING: Part = { type: "thinking", text: "Two numbers.", signature: "U0lH" };

/** A model that does all that it is asked. */
function able(api: WireApi, body: Body): readonly Part[] {
  const said = JSON.stringify(body.messages ?? body.input);
  const isAnswered = said.includes("noted");
  if (said.includes("Call note_number") && !isAnswered) return [THINKING, call(1), call(2)];
  return [{ type: "text", text: said.includes("colour") && /image/.test(said) ? "Red." : `ready by ${api}` }];
}

const answering =
  (api: WireApi, parts: (body: Body) => readonly Part[] = (body) => able(api, body)): Answer => (request, body) =>
    sse(replyOf(api, parts(body)))(request, body);

const refusing = (isWrong: (body: Body) => boolean, message: string, other: Answer): Answer => (request, body) =>
  isWrong(body) ? Response.json({ error: { message } }, { status: 400 }) : other(request, body);

/** Whether two messages of a body's user stand in a row. */
const hasPair = ({ messages }: Body): boolean =>
  messages.some(({ role }: Body, at: number) => role === "user" && messages[at - 1]?.role === "user");
const ALTERNATE =
  "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...";

async function lookAt(
  api: WireApi,
  answer: Answer,
  known: SomeCapabilities = {},
): Promise<Probed & { readonly sent: number }> {
  await using server = serve(answer);
  const probed = await probe((seams) => openWire(api, server.url, seams), known, new AbortController().signal);
  return { ...probed, sent: server.bodies.length };
}

const seenOf = ({ findings }: Probed): Record<string, boolean | undefined> =>
  Object.fromEntries(findings.map(({ name, seen }) => [name, seen]));

const ALL = {
  answers: true,
  streaming: true,
  usage: true,
  tools: true,
  "parallel calls": true,
  reasoning: true,
  "reasoning echo": true,
  images: true,
  alternation: true,
  cache: true,
};

for (const api of ["chat", "responses", "anthropic"] as const) {
  leaklessTest(`probe() finds all that a server of ${api} can do, with five requests`, async () => {
    const probed = await lookAt(api, answering(api));
    assertEquals(seenOf(probed), ALL);
    assertEquals([probed.learned, probed.requests, probed.sent], [{}, 5, 5]);
    const counted = api === "chat" ? { streamOptions: true } : {};
    // Two user messages in a row leave as one there.
    const paired = api === "anthropic" ? {} : { alternation: false };
    assertEquals(probed.taken, { ...counted, images: true, ...paired });
  });
}

leaklessTest("probe() tells what a plain server lacks, and claims nothing that was not seen", async () => {
  const whole: Answer = () =>
    Response.json({ choices: [{ message: { role: "assistant", content: "I am text." }, finish_reason: "stop" }] });
  const probed = await lookAt("chat", whole);
  assertEquals(seenOf(probed), {
    ...ALL,
    streaming: false,
    usage: false,
    tools: false,
    "parallel calls": undefined,
    reasoning: false,
    "reasoning echo": undefined,
    images: undefined,
    cache: undefined,
  });
  assertEquals([probed.sent, probed.taken], [4, { alternation: false }]);
});

leaklessTest("probe() keeps what refusals teach, and looks at bodies for what was sent", async () => {
  const strict = refusing(
    hasPair,
    ALTERNATE,
    refusing(
      (body) => "reasoning_effort" in body,
      "Unrecognized request argument supplied: reasoning_effort",
      answering("chat"),
    ),
  );
  const probed = await lookAt("chat", strict, { images: false });
  assertEquals(probed.learned.alternation, true);
  assertEquals(probed.learned.effortStyle, "none");
  assertEquals([probed.requests, probed.sent], [7, 7]);
  assertEquals(seenOf(probed), { ...ALL, images: false });
  const found = Object.fromEntries(probed.findings.map(({ name, found }) => [name, found]));
  assertEquals(found.alternation, "two user messages in a row are sent as one: it refused them");
});

leaklessTest("probe() does not say of a model that was never asked to think that it does not", async () => {
  const { findings } = await lookAt("chat", answering("chat", () => [call(1)]), { effortStyle: "none" });
  assertEquals(findings.find(({ name }) => name === "reasoning"), {
    name: "reasoning",
    seen: undefined,
    found: "it was not asked to: it is known not to, or to do so by itself",
  });
  assertEquals(findings.find(({ name }) => name === "parallel calls")?.seen, false);
  assertEquals(findings.find(({ name }) => name === "reasoning echo")?.seen, undefined);
});

leaklessTest("probe() ends with the first refusal where a model cannot be asked at all", async () => {
  const answer: Answer = () => Response.json({ error: { message: "no such key" } }, { status: 401 });
  const probed = await lookAt("chat", answer);
  assertEquals(seenOf(probed), { answers: false });
  assertEquals(probed.sent, 1);
});

leaklessTest("probe() sends no more than eight requests, and says which answer it has not got", async () => {
  const unknown = (name: string): string => `Unrecognized request argument supplied: ${name}`;
  const refusals: readonly (readonly [(body: Body) => boolean, string])[] = [
    [(body) => "stream_options" in body, unknown("stream_options")],
    [(body) => "reasoning_effort" in body, unknown("reasoning_effort")],
    [(body) => JSON.stringify(body).includes("image_url"), "image input is not supported by this model"],
    [hasPair, ALTERNATE],
  ];
  const strict = refusals.reduce<Answer>(
    (other, [isWrong, message]) => refusing(isWrong, message, other),
    answering("chat"),
  );
  const probed = await lookAt("chat", strict);
  assertEquals([probed.requests, probed.sent], [MOST_PROBES, MOST_PROBES]);
  const { seen, found } = probed.findings.find(({ name }) => name === "alternation") ?? {};
  assertEquals(seen, undefined);
  assertStringIncludes(found ?? "", "not asked to its end: 8 requests were sent");
});

Deno.test("mostProbeCost() counts the dearer of reading and caching, and nothing where no price is known", () => {
  assertEquals(mostProbeCost(undefined), undefined);
  assertEquals(mostProbeCost({ input: 0, output: 0 }), 0);
  assertEquals(mostProbeCost({ input: 1, output: 10, cacheWrite: 2 }), 8 * (3000 * 2 + 2048 * 10) / 1e6);
});
