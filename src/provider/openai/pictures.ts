import { type ImageContent, textOf, type UserMessage } from "../../core/message.ts";
import type { Target } from "./adapter.ts";

/** Stands for an image where the model sees none. */
export const NO_IMAGE = "(image omitted: the model takes none)";

/** Stands for an image that the server could not use. */
export const BAD_IMAGE = "(image omitted: the server refused it)";

/** Images of a message. */
export function imagesOf(content: UserMessage["content"]): readonly ImageContent[] {
  return typeof content === "string" ? [] : content.filter((part) => part.type === "image");
}

/** Images that go out to a target. */
export function sentImages(
  { takes, refused }: Pick<Target, "takes" | "refused">,
  content: UserMessage["content"],
): readonly ImageContent[] {
  return takes.images ? imagesOf(content).filter((image) => !refused?.has(image)) : [];
}

/** What a message says and shows; in the place of each image that does not go out a word. */
export function shownTo(
  target: Pick<Target, "takes" | "refused">,
  content: UserMessage["content"],
): { readonly text: string; readonly images: readonly ImageContent[] } {
  const text = textOf(content);
  const all = imagesOf(content);
  const images = sentImages(target, content);
  if (images.length === all.length) return { text, images };
  const word = target.takes.images ? BAD_IMAGE : NO_IMAGE;
  const words = all.filter((image) => !images.includes(image)).map(() => word);
  return { text: [...(text === "" ? [] : [text]), ...words].join("\n"), images };
}
