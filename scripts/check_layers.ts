/**
 * Holds the import rule: only downwards, and the parts never import each other.
 *
 * Prints each import that breaks it and exits with 1. `layerOf` and `allowed` are the rule; docs in ARCHITECTURE.md.
 */
import { dirname, join, normalize, relative } from "@std/path";

const PARTS = ["agent", "prompt", "context", "history", "provider", "session", "hooks", "sandbox", "tui", "mcp"];

/** The layer that a file of the repository belongs to; nothing for tests and scripts, which may import all. */
export function layerOf(path: string): string | undefined {
  if (path === "main.ts") return "main";
  if (path.startsWith("tools/")) return "tools";
  return /^src\/([a-z]+)\//.exec(path)?.[1] ?? (path.startsWith("src/") ? "cli" : undefined);
}

/** Whether a file of one layer may import a file of another. */
export function allowed(from: string, to: string, target: string): boolean {
  if (from === to || to === "core") return true;
  switch (from) {
    case "main":
      return true;
    case "cli":
      return PARTS.includes(to) || target === "tools/mod.ts";
    case "runner":
      return to === "tools";
    default:
      return false; // core, tools and the parts: core alone, which was allowed above
  }
}

/** Relative specifiers of a module's static and dynamic imports, types included. */
export function importsOf(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const pattern = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)"(\.{1,2}\/[^"]+)"/g;
  return [...code.matchAll(pattern)].map((match) => match[1] ?? "");
}

/** All imports below `root` that break the rule, as sentences. */
export function violations(root: string): string[] {
  const found: string[] = [];
  for (const path of sourceFiles(root)) {
    const from = layerOf(path);
    if (!from) continue;
    for (const specifier of importsOf(Deno.readTextFileSync(join(root, path)))) {
      const target = normalize(join(dirname(path), specifier));
      const to = layerOf(target);
      if (!to || !allowed(from, to, target)) {
        found.push(`${path} imports ${target}: ${from} must not import ${to ?? "from outside src"}`);
      }
    }
  }
  return found;
}

/** TypeScript files of the product, relative to `root`, sorted. */
export function sourceFiles(root: string): string[] {
  const files: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of Deno.readDirSync(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory) walk(path);
      else if (entry.name.endsWith(".ts")) files.push(relative(root, path));
    }
  };
  for (const folder of ["src", "tools"]) walk(join(root, folder));
  return ["main.ts", ...files].sort();
}

if (import.meta.main) {
  const found = violations(Deno.cwd());
  for (const line of found) console.error(line);
  if (found.length > 0) Deno.exit(1);
  console.log(`layers: ${sourceFiles(Deno.cwd()).length} files, no import against the rule`);
}
