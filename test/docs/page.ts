import { dirname, fromFileUrl, join } from "@std/path";

/** The page about extensions. */
export const PAGE = Deno.readTextFileSync(fromFileUrl(new URL("../../docs/extensions.md", import.meta.url)));

/** The page's program that embeds the product, with the replies that its model gives and what it prints. */
export const [, PROGRAM = "", REPLIES = "", PRINTS = ""] =
  /```ts\n(import \{ createAgent[\s\S]*?)```\n\n<!-- replies: (.*?) prints: (.*?) -->/.exec(PAGE) ?? [];

/** Files of the extensions in the page, by the path in their first line. */
export const FILES: Readonly<Record<string, string>> = Object.fromEntries(
  [...PAGE.matchAll(/```ts\n(\/\/ (\S+\.ts)\n[\s\S]*?)```/g)].map(([, code = "", path = ""]) => [path, code]),
);

/** Writes the files of one extension below a folder, as the page names them; gives what `-e` takes. */
export function writeExtension(folder: string, name: string): string {
  const mine = Object.entries(FILES).filter(([path]) => path === `${name}.ts` || path.startsWith(`${name}/`));
  if (mine.length === 0) throw new Error(`the page has no extension ${name}`);
  for (const [path, code] of mine) {
    Deno.mkdirSync(dirname(join(folder, path)), { recursive: true });
    Deno.writeTextFileSync(join(folder, path), code);
  }
  return join(folder, mine.length === 1 ? `${name}.ts` : name);
}
