import { fromFileUrl } from "@std/path";

const WRITER = fromFileUrl(new URL("./writer.ts", import.meta.url));
const CONFIG = fromFileUrl(new URL("../../deno.json", import.meta.url));

/** A process that keeps entries as fast as it can, once it is told where, and says so on its standard output; the caller ends it. */
export function startWriter(): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "--no-check", "--config", CONFIG, WRITER],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

/** Tells a writer the session it goes on with, or the folder in which it begins one. */
export async function begin(
  writer: Deno.ChildProcess,
  place: { readonly path: string } | { readonly folder: string },
): Promise<void> {
  const input = writer.stdin.getWriter();
  await input.write(new TextEncoder().encode(JSON.stringify(place)));
  await input.close();
}
