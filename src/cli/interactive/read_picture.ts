import { resolve } from "@std/path";
import type { ImageContent } from "../../core/message.ts";
import { imageIn } from "../input/message.ts";

/** Largest picture that is sent, bytes before base64: what the read tool takes, too. */
const MAX_BYTES = 3_538_944;

/** A picture that the person named, by its content; undefined for what is none. `~` is the home folder. */
export async function readPicture(path: string, cwd: string, home: string): Promise<ImageContent | undefined> {
  const full = path.startsWith("~/") ? home + path.slice(1) : resolve(cwd, path.replace(/^file:\/\//, ""));
  const { isFile, size } = await Deno.stat(full);
  return isFile && size <= MAX_BYTES ? imageIn(await Deno.readFile(full)) : undefined;
}
