import { assertEquals } from "@std/assert";
import { sampled } from "../../../src/engine/mcp/sampling.ts";
import type { AssistantMessage, Usage } from "../../../src/core/message.ts";
import type { Provider, ProviderRequest } from "../../../src/core/provider.ts";

const never = new AbortController().signal;
const usage: Usage = { input: 3, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 5 };
const answer: AssistantMessage = {
  ...{ role: "assistant", content: [{ type: "text", text: "The sum." }], timestamp: 0 },
  ...{ api: "a", provider: "p", model: "m", stopReason: "stop" },
  usage,
};

/** Asks a provider that ends with this message; what it was asked, and what counts for the session. */
async function ask(message: AssistantMessage | undefined) {
  const requests: ProviderRequest[] = [];
  const spent: Usage[] = [];
  const provider: Provider = {
    ...{ name: "p", model: "m" },
    async *stream(request) {
      requests.push(request);
      yield { type: "text_delta", delta: "The" };
      if (message) yield { type: "end", message };
    },
  };
  const text = await sampled(
    provider,
    { system: "Be brief", text: "Sum it up", maxTokens: 50 },
    never,
    (one) => void spent.push(one),
  )
    .catch((error) => error);
  return { text, requests, spent };
}

Deno.test("a server's request gets the model's answer, without tools or the conversation, and its cost counts", async () => {
  const { text, requests: [request], spent } = await ask(answer);
  assertEquals(text, "The sum.");
  assertEquals(spent, [usage]);
  assertEquals([request?.system, request?.tools, request?.maxTokens, request?.messages.map(({ content }) => content)], [
    { stable: "Be brief", dynamic: "" },
    [],
    50,
    ["Sum it up"],
  ]);
});

Deno.test("a server's request is rejected if the model fails, and what it cost counts all the same", async () => {
  const failed = await ask({ ...answer, stopReason: "error", errorMessage: "overloaded" });
  assertEquals([String(failed.text), failed.spent], ["Error: overloaded", [usage]]);
  assertEquals(String((await ask({ ...answer, stopReason: "aborted" })).text), "Error: it was stopped");
  assertEquals(String((await ask(undefined)).text), "Error: the model gave no answer");
});
