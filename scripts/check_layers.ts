/**
 * Holds the import rule: only downwards, the parts never import each other, inside of a part with sub-folders only from
 * one to those below it, and no modules load each other in a circle.
 *
 * Prints each import that breaks it and exits with 1. `layerOf`, `allowed` and `FOLDERS` are the rule; docs in
 * ARCHITECTURE.md.
 */
import { dirname, join, normalize, relative } from "@std/path";

const PARTS = [
  "agent",
  "prompt",
  "context",
  "history",
  "provider",
  "session",
  "hooks",
  "sandbox",
  "tui",
  "mcp",
  "changes",
  "trial",
  "batch",
  "pack",
  "telemetry",
];

/**
 * The sub-folders of each part that has some, from the top down: each may import those that come after it. A dot stands for
 * the files beside the folders; where there is none, nothing lies beside them.
 */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = byFolder({
  cli: ". commands completion modes check batch interactive sdk rpc acp report input output",
  engine: ". agents proof prompt mcp trial changes tools model sessions resources",
  config: ". options settings",
  tui: ". plain view options input dialogs commands transcript blocks widgets screen",
  hooks: ". load worker api code files events",
  provider: ". anthropic openai replay reply endpoint table failure repair models capabilities",
  session: "export html view .",
  prompt: ". sections guidance text",
  context: ". git agents skills templates files",
  sandbox:
    "runner_client shell output tripwire pool git_layer process confine proxy notification launcher seccomp landlock denial names policy git system",
  runner: ". shell files",
  tools: ". editing search text web",
  core: ". support",
});

function byFolder(words: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(words).map(([part, folders]) => [part, folders.split(" ")]));
}

/** More do not fit on one screen, and are two ideas. */
const MOST_FILES = 25;

/** The layer that a file of the repository belongs to; nothing for tests and scripts, which may import all. */
export function layerOf(path: string): string | undefined {
  if (path === "main.ts" || path.startsWith("src/boot/confined")) return "main";
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
      return to === "engine" || to === "config" || PARTS.includes(to) || target === "tools/mod.ts";
    case "engine":
      return to === "config" || (PARTS.includes(to) && to !== "tui") || target === "tools/mod.ts";
    case "config":
      return PARTS.includes(to) && to !== "tui";
    case "runner":
      return to === "tools";
    default:
      return false; // core, tools and the parts: core alone, which was allowed above
  }
}

/** Relative specifiers of a module's static and dynamic imports, types included. */
export function importsOf(source: string): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)"(\.{1,2}\/[^"]+)"/g;
  return [...withoutComments(source).matchAll(pattern)].map((match) => match[1] ?? "");
}

/** Those of them that load the other module: all but imports and exports of types alone. */
export function loadedBy(source: string): string[] {
  const code = withoutComments(source).replace(/^(?:import|export) type [^;"]*"[^"]*";?/gm, "");
  return importsOf(code.replace(/^import \{(?:\s*type [^,}]*,?)+\s*\} from "[^"]*";?/gm, ""));
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

/** The sub-folder of a part with sub-folders that a file lies in; a dot for one that lies beside them. */
export function folderOf(path: string): string | undefined {
  const [, part = "", folder = "."] = /^(?:src\/)?([a-z]+)\/(?:([^/]+)\/)?/.exec(path) ?? [];
  return Object.hasOwn(FOLDERS, part) ? folder : undefined;
}

/** Why a file of a part with sub-folders must not import another one of it; undefined where it may. */
export function upward(path: string, target: string): string | undefined {
  const [from, to] = [folderOf(path), folderOf(target)];
  if (from === undefined || to === undefined || layerOf(path) !== layerOf(target) || from === to) return undefined;
  const order = FOLDERS[layerOf(path) ?? ""] ?? [];
  return order.indexOf(from) < order.indexOf(to) ? undefined : `${from} is not above ${to}`;
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
      const why = upward(path, target);
      if (why) found.push(`${path} imports ${target}: ${why}`);
    }
  }
  return [...found, ...misplaced(root), ...circles(root)];
}

/** Parts and sub-folders that no rule is about, files beside sub-folders where none belong, and folders that are too full. */
function misplaced(root: string): string[] {
  const parts = [...PARTS, "boot", "cli", "config", "core", "engine", "runner"];
  const strange = [...new Set(sourceFiles(root).map(dirname))].filter((folder) => {
    const [, part = "", below] = /^src\/([^/]+)(\/.+)?$/.exec(folder) ?? [];
    return part !== "" && (!parts.includes(part) || (below !== undefined && !Object.hasOwn(FOLDERS, part)));
  }).map((folder) => `${folder} is no folder that scripts/check_layers.ts knows`);
  const found = Object.entries(FOLDERS).flatMap(([part, folders]) => {
    const top = part === "tools" ? part : `src/${part}`;
    return [...Deno.readDirSync(join(root, top))].flatMap(({ name, isDirectory }) => {
      if (isDirectory) {
        return folders.includes(name) ? [] : [`${top}/${name} is no folder that scripts/check_layers.ts knows`];
      }
      return folders.includes(".") ? [] : [`${top}/${name} lies in none of the folders of ${part}`];
    });
  });
  return [...strange, ...found, ...full(root)];
}

function full(root: string): string[] {
  const counts = Map.groupBy(sourceFiles(root), dirname);
  return [...counts].flatMap(([folder, files]) =>
    files.length > MOST_FILES ? [`${folder} has ${files.length} files, and ${MOST_FILES} are allowed`] : []
  );
}

/** Modules that load each other in a circle, by static or dynamic imports: one sentence a circle. */
export function circles(root: string): string[] {
  const files = sourceFiles(root);
  const known = new Set(files);
  const loads = new Map(
    files.map((path) => [
      path,
      loadedBy(Deno.readTextFileSync(join(root, path)))
        .map((specifier) => normalize(join(dirname(path), specifier)))
        .filter((target) => known.has(target)),
    ]),
  );
  return knots(loads).map((knot) =>
    knot.length > 1 ? `${knot.join(", ")} load each other in a circle` : `${knot[0]} loads itself`
  );
}

/** Strongly connected components of more than one node, or of one with an edge to itself (Tarjan's algorithm). */
function knots(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    lowest.set(node, index.get(node) ?? 0);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      // A node that is off the stack belongs to a component that is complete.
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(node) !== index.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1 || edges.get(node)?.includes(node)) found.push(component.sort());
  };
  for (const node of edges.keys()) if (!index.has(node)) visit(node);
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
  console.log(`layers: ${sourceFiles(Deno.cwd()).length} files, no import against the rule, no circle`);
}
