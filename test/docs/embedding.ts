// Programs of pages, with the configuration that the pages describe for a project that embeds the product.
import { fromFileUrl } from "@std/path";

/** The repository. */
export const ROOT = fromFileUrl(new URL("../..", import.meta.url)).replace(/\/$/, "");

const SDK_PAGE = Deno.readTextFileSync(`${ROOT}/docs/sdk.md`);

/** Each program of the page for embedding, with the replies that its model gives and what it prints. */
export const SDK_PROGRAMS = [
  ...SDK_PAGE.matchAll(/```ts\n([\s\S]*?)```(?:\n\n<!-- replies: (.*?) prints: (.*?) -->)?/g),
].map(([, code = "", replies, prints]) => ({ code, replies, prints }));

/** What a command of Deno's came to. */
export interface DenoRan {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a subcommand of Deno in a project whose configuration lies in its home. */
export async function runDeno(
  [subcommand, ...args]: readonly [string, ...string[]],
  { ws, home }: { readonly ws: string; readonly home: string },
): Promise<DenoRan> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [subcommand, "--quiet", "--config", configure(home), ...args],
    cwd: ws,
    env: { HOME: home, NO_COLOR: "1", DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno` },
  }).output();
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** Writes a configuration as the pages describe it. */
function configure(folder: string): string {
  const { imports, unstable, compilerOptions } = JSON.parse(Deno.readTextFileSync(`${ROOT}/deno.json`));
  const path = `${folder}/deno.json`;
  Deno.writeTextFileSync(
    path,
    JSON.stringify({
      nodeModulesDir: "none",
      lock: false,
      unstable,
      imports: { ...imports, sandpiper: `${ROOT}/src/mod.ts` },
      compilerOptions: { ...compilerOptions, types: [`${ROOT}/types/std.d.ts`] },
    }),
  );
  return path;
}
