import { type AgentMessage, type AssistantMessage, isPlain, type Message } from "../core/message.ts";
import { convertToLlm } from "./convert.ts";
import { countTokens, tokenBound } from "./tokenizer.ts";

/** What servers put around a message: role, separators. */
const PER_MESSAGE = 4;

/** A picture, whatever its size: about what the dearest of the common servers takes for one that it scales down. */
const PER_IMAGE = 1600;

const bounds = new WeakMap<AgentMessage, number>();
const counts = new WeakMap<AgentMessage, number>();

/** What a message costs at most, in tokens. Remembered as long as the message lives. */
export function messageBound(message: AgentMessage): number {
  let bound = bounds.get(message);
  if (bound === undefined) {
    const { texts, fixed } = partsOf(message);
    bound = texts.reduce((sum, text) => sum + tokenBound(text), fixed);
    bounds.set(message, bound);
  }
  return bound;
}

/** What a message costs in tokens, by the tokenizer; remembered like the bound. After `signal` aborts it may be more. */
export async function messageTokens(message: AgentMessage, signal?: AbortSignal): Promise<number> {
  const known = counts.get(message);
  if (known !== undefined) return known;
  const { texts, fixed } = partsOf(message);
  let tokens = fixed;
  for (const text of texts) tokens += await countTokens(text, signal);
  if (!signal?.aborted) counts.set(message, tokens);
  return tokens;
}

/** The texts that a request holds of a message, and the tokens that do not come from text. */
function partsOf(message: AgentMessage): { readonly texts: readonly string[]; readonly fixed: number } {
  // A summary or a command goes out with words of ours around it.
  const [sent] = isPlain(message) ? [message] : convertToLlm([message]);
  if (!sent) return { texts: [], fixed: 0 };
  const texts = textsOf(sent);
  const images = typeof sent.content === "string" ? 0 : sent.content.filter((part) => part.type === "image").length;
  return { texts, fixed: PER_MESSAGE + images * PER_IMAGE };
}

function textsOf(message: Message): readonly string[] {
  if (message.role === "assistant") return assistantTexts(message);
  if (typeof message.content === "string") return [message.content];
  return message.content.flatMap((part) => part.type === "text" ? [part.text] : []);
}

/** Reasoning counts although not every server gets it back: a request is rather estimated too long than too short. */
function assistantTexts({ content }: AssistantMessage): readonly string[] {
  return content.flatMap((part) => {
    switch (part.type) {
      case "text":
        return [part.text];
      case "thinking":
        return [part.thinking];
      case "toolCall":
        return [part.name, JSON.stringify(part.arguments)];
    }
  });
}
