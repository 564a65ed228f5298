import type { ImageContent } from "../../core/message.ts";

/** Reads a picture; undefined for what is none, is too large or cannot be read. */
export type ReadImage = (path: string) => Promise<ImageContent | undefined>;

const PATH =
  /(?:^|\s)@?(?:"([^"\n]+\.(?:png|jpe?g|gif|webp))"|'([^'\n]+\.(?:png|jpe?g|gif|webp))'|((?:\\.|[^\s"'\\])+\.(?:png|jpe?g|gif|webp)))(?=\s|$)/gi;

/** Pictures that go with one message. */
const MOST = 8;

/** The paths of pictures in a text, in order, each once: as typed, quoted, or dropped into the terminal. */
export function imagePaths(text: string): readonly string[] {
  const paths = [...text.matchAll(PATH)].map(([, double, single, bare = ""]) =>
    double ?? single ?? bare.replace(/\\(.)/g, "$1")
  );
  return [...new Set(paths)].slice(0, MOST);
}

/** The pictures that a text names and that are there. */
export async function imagesIn(text: string, read: ReadImage): Promise<readonly ImageContent[]> {
  const images = await Promise.all(imagePaths(text).map((path) => read(path).catch(() => undefined)));
  return images.filter((image) => image !== undefined);
}
