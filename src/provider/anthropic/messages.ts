import type {
  ContentBlockParam,
  ImageBlockParam,
  TextBlockParam,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import {
  type AssistantMessage,
  type ImageContent,
  type RequestMessage,
  textOf,
  type ToolCall,
  toolCallsOf,
  type ToolResultMessage,
  type UserMessage,
} from "../../core/message.ts";
import { sha256 } from "../../core/support/digest.ts";
import {
  BAD_IMAGE,
  growing,
  imagesOf,
  NO_IMAGE,
  NO_OUTPUT,
  NOT_RUN,
  orderAnswers,
  wellFormed,
} from "../openai/conversation.ts";
import { safeToolName } from "../repair/tool_name.ts";
import { blocksOf } from "./kept_blocks.ts";

/** A message with its content as blocks; never changed, so that a body's bytes can be written once. */
export interface BlockMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly ContentBlockParam[];
}

/** What a server would not take; another object after each refusal. */
export interface Refused {
  /** Pictures, and messages whose reasoning it did not take back. */
  readonly items: WeakSet<ImageContent | RequestMessage>;
}

/** Which server the messages go to. */
export interface MessagesTarget {
  /** Host of the server: reasoning goes back to it alone. */
  readonly host: string;
  readonly model: string;
  /** Whether reasoning without a signature is taken: not by the vendor itself, which checks it. */
  readonly takesUnsigned: boolean;
  /** Of what came before: what the server would not take. */
  readonly refused: Refused;
  /** Whether the model sees images. */
  readonly seesImages: boolean;
}

/** The API wants a user to begin: what came before was left out of a long history. */
const BEGINNING: BlockMessage = { role: "user", content: [{ type: "text", text: "(earlier messages were left out)" }] };

/** Call ids that the API takes; the same id always gives the same one, so that calls and results meet. */
function callId(id: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : `toolu_${sha256(id).slice(0, 24)}`;
}

/** A converter of conversations for one server. Messages of one role are joined: results, and what is said after them. */
export function createBlockMessages(target: MessagesTarget): (messages: readonly RequestMessage[]) => BlockMessage[] {
  const contents = new WeakMap<RequestMessage, readonly ContentBlockParam[]>();

  function image(picture: ImageContent): ImageBlockParam | TextBlockParam {
    const { mimeType, data } = picture;
    if (target.refused.items.has(picture)) return { type: "text", text: BAD_IMAGE };
    if (!target.seesImages) return { type: "text", text: NO_IMAGE };
    type MediaType = Extract<ImageBlockParam["source"], { type: "base64" }>["media_type"];
    // Whether the server takes this kind of picture is for the server to say.
    return { type: "image", source: { type: "base64", media_type: mimeType as MediaType, data } };
  }

  function parts(content: UserMessage["content"]): (TextBlockParam | ImageBlockParam)[] {
    const text = wellFormed(textOf(content));
    // Texts of nothing but white space are refused.
    return [...(text.trim() === "" ? [] : [{ type: "text", text } as const]), ...imagesOf(content).map(image)];
  }

  function call({ id, name, arguments: input }: ToolCall): ContentBlockParam {
    return { type: "tool_use", id: callId(id), name: safeToolName(name), input };
  }

  function assistant(message: AssistantMessage): readonly ContentBlockParam[] {
    const isOwn = message.keep?.origin === target.host && message.model === target.model &&
      !target.refused.items.has(message);
    const own = isOwn ? blocksOf(message, { call, takesUnsigned: target.takesUnsigned }) : undefined;
    const text = wellFormed(textOf(message.content));
    const words: readonly ContentBlockParam[] = text.trim() === "" ? [] : [{ type: "text", text }];
    const blocks = own ?? [...words, ...toolCallsOf(message).map(call)];
    // A message may not end with a thought.
    const last = blocks.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking");
    return blocks.slice(0, last + 1);
  }

  function result({ id }: ToolCall, message: ToolResultMessage | undefined): ToolResultBlockParam {
    const content = message ? parts(message.content) : [];
    const [first] = content;
    const isText = content.length === 1 && first?.type === "text";
    const said = message ? NO_OUTPUT : NOT_RUN;
    return {
      type: "tool_result",
      tool_use_id: callId(id),
      content: isText ? first.text : content.length === 0 ? said : content,
      ...(message?.isError === false ? {} : { is_error: true }),
    };
  }

  function remembered(message: RequestMessage, make: () => readonly ContentBlockParam[]): readonly ContentBlockParam[] {
    const known = contents.get(message) ?? make();
    contents.set(message, known);
    return known;
  }

  function convert(messages: readonly RequestMessage[], made: BlockMessage[]): BlockMessage[] {
    for (const step of orderAnswers(messages)) {
      if (step.type === "resultsEnd") continue;
      if (step.type === "result") {
        const { call, result: answer } = step;
        add(made, "user", answer ? remembered(answer, () => [result(call, answer)]) : [result(call, undefined)]);
        continue;
      }
      const { message } = step;
      if (message.role === "assistant") add(made, "assistant", remembered(message, () => assistant(message)));
      // What is said in the system's place stands in the system prompt.
      else if (message.role === "user") add(made, "user", remembered(message, () => parts(message.content)));
    }
    return made;
  }

  const converted = growing(convert);
  return (messages) => {
    const made = converted(messages);
    const whole = made[0]?.role === "assistant" ? [BEGINNING, ...made] : made;
    return withUniqueIds(whole);
  };
}

/** Adds blocks to the last message where it has the same role, as another message in its place. */
function add(made: BlockMessage[], role: BlockMessage["role"], content: readonly ContentBlockParam[]): void {
  if (content.length === 0) return;
  const last = made.at(-1);
  if (last?.role === role) made[made.length - 1] = { role, content: [...last.content, ...content] };
  else made.push({ role, content });
}

/** Servers of other vendors number calls anew in each reply; here an id may occur once. */
function withUniqueIds(messages: BlockMessage[]): BlockMessage[] {
  const uses = new Map<string, number>();
  return messages.map((message) => {
    if (message.role === "assistant") {
      for (const block of message.content) {
        if (block.type === "tool_use") uses.set(block.id, (uses.get(block.id) ?? 0) + 1);
      }
    }
    const idOf = (id: string): string => {
      const count = uses.get(id) ?? 1;
      return count === 1 ? id : callId(`${id}-${count}`);
    };
    const isPlain = message.content.every((block) =>
      (block.type !== "tool_use" || idOf(block.id) === block.id) &&
      (block.type !== "tool_result" || idOf(block.tool_use_id) === block.tool_use_id)
    );
    if (isPlain) return message;
    const content = message.content.map((block) =>
      block.type === "tool_use"
        ? { ...block, id: idOf(block.id) }
        : block.type === "tool_result"
        ? { ...block, tool_use_id: idOf(block.tool_use_id) }
        : block
    );
    return { role: message.role, content };
  });
}

/** Messages with a text behind the last one, which is the user's. */
export function withText(messages: readonly BlockMessage[], text: string): readonly BlockMessage[] {
  const made = [...messages];
  add(made, "user", [{ type: "text", text: wellFormed(text) }]);
  return made;
}
