/** From which sources `dist/sandpiper` was made: what is older than the sources, or is somebody else's, proves nothing of them. */
import { join, relative } from "@std/path";

/** What goes into the binary, and what makes it. */
const SOURCES = ["main.ts", "deno.json", "deno.lock", "src", "tools", "skills", "docs", "README.md"];
const TOOLS = ["scripts/compile.ts", "scripts/build", "scripts/release/project.ts"];

/** The binary of a repository that `deno task compile` makes. */
export function binaryOf(root: string): string {
  return join(root, "dist", "sandpiper");
}

/** A digest of all present sources, their names and their texts, and of the Deno that compiles, in hexadecimal digits. */
export async function sourcesDigest(root: string, deno: string = Deno.version.deno): Promise<string> {
  const files = [...SOURCES, ...TOOLS].flatMap((path) => filesBelow(join(root, path))).sort();
  const parts = files.map(async (path) => `${await digestOf(path)} ${relative(root, path)}\n`);
  const text = [`${deno} ${Deno.build.target}\n`, ...await Promise.all(parts)].join("");
  return await sha256(new TextEncoder().encode(text));
}

/** Notes beside a binary which sources it was made from. */
export async function noteMade(binary: string, sources: string): Promise<void> {
  await Deno.writeTextFile(noteOf(binary), `${sources} ${await digestOf(binary)}\n`);
}

/** Whether the repository's binary is there, is the one that the note beside it means, and was made from the present sources. */
export async function isFresh(root: string): Promise<boolean> {
  const binary = binaryOf(root);
  try {
    return await Deno.readTextFile(noteOf(binary)) === `${await sourcesDigest(root)} ${await digestOf(binary)}\n`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function noteOf(binary: string): string {
  return `${binary}.made-from`;
}

async function digestOf(path: string): Promise<string> {
  return await sha256(await Deno.readFile(path));
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

function filesBelow(path: string): string[] {
  if (!Deno.statSync(path).isDirectory) return [path];
  return [...Deno.readDirSync(path)].flatMap(({ name }) => filesBelow(join(path, name)));
}
