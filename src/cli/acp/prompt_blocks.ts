import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk";
import { fromFileUrl } from "@std/path";
import type { ImageContent } from "../../core/message.ts";
import { givenPicture, NO_PICTURE } from "../input/given_picture.ts";

/** A prompt as the engine takes it. */
export interface SaidByClient {
  readonly text: string;
  readonly images: readonly ImageContent[];
}

/**
 * The blocks of a prompt as one text and its pictures. Links become paths, which the read tool opens where the policy lets
 * it; embedded files stand in the form that `@file` has on the command line. Throws RequestError for a picture that no model
 * takes.
 */
export function saidIn(blocks: readonly ContentBlock[]): SaidByClient {
  const texts: string[] = [];
  /** A link within a sentence; blocks have no space of their own between them. */
  const addPlace = (place: string): void => void texts.push(PLACE, place, PLACE);
  const images: ImageContent[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        texts.push(block.text);
        break;
      case "image": {
        const picture = givenPicture(block.data);
        if (!picture) throw RequestError.invalidParams({ mimeType: block.mimeType }, `a picture ${NO_PICTURE}`);
        images.push(picture);
        break;
      }
      case "resource_link":
        addPlace(placeOf(block.uri));
        break;
      case "resource": {
        const { resource } = block;
        const picture = "blob" in resource ? givenPicture(resource.blob) : undefined;
        if (picture) images.push(picture);
        if ("text" in resource) {
          texts.push(`\n\n<file name="${placeOf(resource.uri)}">\n${resource.text}\n</file>\n\n`);
        } else addPlace(placeOf(resource.uri));
        break;
      }
      case "audio":
        texts.push("[a sound that cannot be heard here]");
    }
  }
  return { text: joined(texts).replace(/\n{3,}/g, "\n\n").trim(), images };
}

/** Stands where a link begins and ends. */
const PLACE = "\u0000";

/** Blocks as one text: a link is apart from words, and from nothing that is apart already. */
function joined(texts: readonly string[]): string {
  let all = "";
  let isApart = true;
  for (const text of texts) {
    if (text === PLACE) {
      isApart = false;
      continue;
    }
    const needsSpace = !isApart && all !== "" && !/[\s([{"'`]$/.test(all) && !/^[\s)\]}.,;:!?"'`]/.test(text);
    all += needsSpace ? ` ${text}` : text;
    isApart = true;
  }
  return all;
}

/** The absolute path of a file's address; other addresses stay as they are. */
function placeOf(uri: string): string {
  if (!/^file:/i.test(uri)) return uri;
  try {
    return fromFileUrl(uri.replace(/#.*$/s, ""));
  } catch {
    return uri; // a host name, or escapes that are none
  }
}
