import { join } from "@std/path";

const PREFERRED = "/bin/bash";

/** The shell of commands: /bin/bash, else bash on the PATH that commands get, else sh. */
export function shellProgram(env: Readonly<Record<string, string>>): string {
  if (isFile(PREFERRED)) return PREFERRED;
  const folders = (env.PATH ?? "").split(":").filter((folder) => folder.startsWith("/"));
  return folders.map((folder) => join(folder, "bash")).find(isFile) ?? "/bin/sh";
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
