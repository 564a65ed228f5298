import { textOf, type Usage } from "../../core/message.ts";
import type { Provider } from "../../core/provider.ts";
import type { SamplingRequest } from "../../mcp/user_input.ts";

/** Asks the model of the session for a server, without tools and without the conversation. Rejects with a clause. */
export async function sampled(
  provider: Provider,
  { system, text, maxTokens }: SamplingRequest,
  signal: AbortSignal,
  spent: (usage: Usage) => void,
): Promise<string> {
  const request = {
    system: { stable: system, dynamic: "" },
    messages: [{ role: "user", content: text, timestamp: Date.now() } as const],
    tools: [],
    thinking: "off",
    maxTokens,
  } as const;
  for await (const event of provider.stream(request, signal)) {
    if (event.type !== "end") continue;
    const { message } = event;
    if (message.usage) spent(message.usage);
    if (message.stopReason === "error") throw new Error(message.errorMessage ?? "the model gave no answer");
    if (message.stopReason === "aborted") throw new Error("it was stopped");
    return textOf(message.content);
  }
  throw new Error("the model gave no answer");
}
