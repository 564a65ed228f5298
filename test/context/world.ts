import { dirname, join } from "@std/path";

/** What a test puts on disk, by relative path; a folder's path ends in "/". */
export type World = Readonly<Record<string, string | Uint8Array>>;

/** Writes files below a folder, folders as needed. */
export function build(root: string, world: World): void {
  for (const [path, content] of Object.entries(world)) {
    const at = join(root, path);
    if (path.endsWith("/")) {
      Deno.mkdirSync(at, { recursive: true });
      continue;
    }
    Deno.mkdirSync(dirname(at), { recursive: true });
    if (typeof content === "string") Deno.writeTextFileSync(at, content);
    else Deno.writeFileSync(at, content);
  }
}

/** Runs `work` in a new folder, links resolved, that is gone afterwards. */
export async function inFolder(world: World, work: (root: string) => void | Promise<void>): Promise<void> {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    build(root, world);
    await work(root);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

export const yes = (): boolean => true;
