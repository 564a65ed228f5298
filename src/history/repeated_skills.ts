import type { Message, UserMessage } from "../core/message.ts";

type Content = UserMessage["content"];

/** The element that stands for `/skill:NAME` in a message of the user; its body cannot contain the end tag. */
const SKILL = /<skill name="[^"\n]*" location="[^"\n]*">\n(References are relative to [^\n]*\n)[\s\S]*?\n<\/skill>/g;

const REPEATED = "The instructions of this skill are in an earlier message of this conversation. Follow them again.";

const shorter = new WeakMap<UserMessage, UserMessage>();

/**
 * The messages of a request with the instructions of each skill once (X11): a message that repeats them says so
 * instead. The conversation keeps them whole, so that a request without the earlier message has them again.
 */
export function withoutRepeatedSkills(messages: readonly Message[]): readonly Message[] {
  const seen = new Set<string>();
  return messages.map((message) => {
    if (message.role !== "user") return message;
    const { content } = message;
    const texts = typeof content === "string"
      ? [content]
      : content.flatMap((part) => part.type === "text" ? [part.text] : []);
    if (!texts.some((text) => text.includes("<skill name="))) return message;
    let isRepeated = false;
    const once = (text: string): string =>
      text.replaceAll(SKILL, (element: string, references: string) => {
        if (!seen.has(element)) {
          seen.add(element);
          return element;
        }
        isRepeated = true;
        return `${element.slice(0, element.indexOf("\n") + 1)}${references}\n${REPEATED}\n</skill>`;
      });
    const said = typeof content === "string"
      ? once(content)
      : content.map((part) => part.type === "text" ? { ...part, text: once(part.text) } : part);
    if (!isRepeated) return message;
    // The same message gives the same object in every request: adapters remember what they converted.
    const known = shorter.get(message);
    if (known && isSame(known.content, said)) return known;
    const made = { ...message, content: said };
    shorter.set(message, made);
    return made;
  });
}

function isSame(one: Content, other: Content): boolean {
  if (typeof one === "string" || typeof other === "string") return one === other;
  return one.every((part, at) => {
    const same = other[at];
    return part === same || (part.type === "text" && same?.type === "text" && part.text === same.text);
  });
}
