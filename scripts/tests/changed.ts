/**
 * Which tests a change can reach: those that load a changed file, name it, or start a program that does.
 *
 * A file reaches what it imports, and what its string literals name: a script for a worker or a process, a fixture, a page.
 * What a program finds by walking a folder is in a table. Where that is not enough to know, the answer is all tests.
 */
import { dirname, join, normalize } from "@std/path";
import { importsOf } from "../check_layers.ts";

/** What every test depends on: the program's first module, settings of the runtime, types, the tests' own runner. */
const REACHES_ALL = /^(?:main\.ts$|deno\.(?:json|lock)$|types\/|scripts\/tests(?:\.ts$|\/))/;

/** What no test reads. Any other file that no test reaches means that the graph has a hole. */
const REACHES_NONE =
  /^(?:\.ci\/|\.git(?:ignore|attributes)$|AGENTS\.md$|CHANGELOG\.md$|LICENSE$|scripts\/(?:bench|attacks|everyday|ci)(?:\.ts$|\/))/;

/** Files and folders that are reached from a module, where its literals say less, or more. */
export const REACHED: Readonly<Record<string, readonly string[]>> = {
  // Starts the program as one of its confined processes, which load these; the folders it names are what they may read.
  "src/sandbox/confine/self.ts": ["src/boot/confined_main.ts"],
  // Names the pages that the prompt points to; nothing of them is read.
  "src/engine/resources/bundled.ts": ["skills/"],
  // The import rule is checked over the whole product.
  "scripts/check_layers.ts": ["main.ts", "src/", "tools/"],
  // All pages, and what makes one page of them.
  "scripts/docs/html/pages.ts": ["docs/", "README.md", "ARCHITECTURE.md", "AGENTS.md", "CHANGELOG.md"],
  "scripts/docs_html.ts": ["scripts/docs/html/"],
  "scripts/picture.ts": ["docs/picture.svg", "scripts/docs/picture/"],
};

/**
 * The tests that a change can reach, in the order given.
 *
 * @param base A commit; the one at which this branch left `main` by default.
 * @param tests All tests, as paths from the root.
 */
export async function reachedBy(root: string, base: string | undefined, tests: readonly string[]): Promise<string[]> {
  const changed = await changedSince(root, base);
  if (changed === undefined) {
    console.log(`Git does not say what changed${base === undefined ? "" : ` since ${base}`}: all tests`);
    return [...tests];
  }
  const files = await filesOf(root);
  const found = files === undefined
    ? { tests, why: "git does not list the files" }
    : reach(changed, readGraph(root, files), tests);
  console.log(
    "why" in found
      ? `${changed.length} files changed; all tests: ${found.why}`
      : `${changed.length} files changed, ${found.tests.length} of ${tests.length} test files can be reached`,
  );
  return [...found.tests];
}

/** What each file reaches directly, by paths from the root. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** Tests from which a changed file can be reached; all of them, and why, where that cannot be known. */
export function reach(
  changed: readonly string[],
  graph: Graph,
  tests: readonly string[],
): { readonly tests: readonly string[]; readonly why?: string } {
  const all = changed.find((path) => REACHES_ALL.test(path));
  if (all !== undefined) return { tests, why: `every test depends on ${all}` };
  const wanted = new Set(changed.filter((path) => !REACHES_NONE.test(path)));
  const seen = new Set<string>();
  const reached = tests.filter((test) => {
    const closure = closureOf(test, graph);
    const hits = [...wanted].filter((path) => closure.has(path));
    for (const path of hits) seen.add(path);
    return hits.length > 0;
  });
  const unseen = [...wanted].find((path) => !seen.has(path));
  return unseen === undefined ? { tests: reached } : { tests, why: `no test is known to reach ${unseen}` };
}

/** A file and all that can be reached from it. */
export function closureOf(file: string, graph: Graph): ReadonlySet<string> {
  const found = new Set([file]);
  // A set that grows while it is walked is walked to its new end.
  for (const path of found) for (const next of graph.get(path) ?? []) found.add(next);
  return found;
}

/** Reads what each module reaches directly. */
export function readGraph(root: string, files: readonly string[]): Graph {
  const known = new Set(files);
  const below = (folder: string): string[] => files.filter((path) => path.startsWith(folder));
  return new Map(
    files.filter((path) => /\.(?:[mc]?[jt]s)$/.test(path)).map((path) => {
      let text: string;
      try {
        text = Deno.readTextFileSync(join(root, path));
      } catch {
        return [path, []]; // Git lists it, and it has been removed.
      }
      const found = new Set<string>();
      const add = (target: string, isFolder: boolean): void => {
        if (known.has(target)) found.add(target);
        // The root itself, and what lies above it, says nothing about what is read.
        else if (isFolder && !/^\.{1,2}(?:\/|$)/.test(target)) {
          for (const file of below(target.endsWith("/") ? target : `${target}/`)) found.add(file);
        }
      };
      const own = REACHED[path];
      for (const specifier of importsOf(text)) add(normalize(join(dirname(path), specifier)), false);
      for (const target of own ?? []) add(target, true);
      if (own) return [path, [...found]];
      const literals = literalsOf(text);
      const knowsRoot = /dirname\(dirname\(|import\.meta\.dirname/.test(text) ||
        literals.some((literal) =>
          /^\.\.\//.test(`${literal}/`) && /^\.\/?$/.test(normalize(join(dirname(path), literal)))
        );
      for (const literal of literals) {
        if (!/\w/.test(literal)) continue; // "../" is a part of a path that is put together
        add(normalize(join(dirname(path), literal)), true);
        if (knowsRoot) add(normalize(literal), true);
      }
      return [path, [...found]];
    }),
  );
}

/** Texts of string literals that may be paths; of a template what stands before its first value, up to a slash. */
function literalsOf(text: string): string[] {
  const found: string[] = [];
  for (const [, quote, raw = ""] of text.matchAll(/(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g)) {
    const [before = "", ...values] = quote === "`" ? raw.split("${") : [raw];
    const literal = values.length > 0 ? before.slice(0, before.lastIndexOf("/") + 1) : before;
    if (/^[\w.][\w./-]*$/.test(literal) && literal !== ".") found.push(literal);
  }
  return found;
}

/** Paths that differ from a commit, with those that git does not know; nothing where git cannot say. */
async function changedSince(root: string, base: string | undefined): Promise<string[] | undefined> {
  const from = base ??
    (await git(root, ["merge-base", "HEAD", "main"]) ?? await git(root, ["merge-base", "HEAD", "origin/main"]))?.[0];
  if (from === undefined) return undefined;
  const differing = await git(root, ["diff", "--name-only", "--no-renames", "-z", from, "--"]);
  const unknown = await git(root, ["ls-files", "--others", "--exclude-standard", "-z"]);
  return differing && unknown && [...new Set([...differing, ...unknown])];
}

/** Every file that git knows or would take. */
function filesOf(root: string): Promise<string[] | undefined> {
  return git(root, ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
}

/** What git prints, by line or by zero byte; nothing where it fails. */
async function git(root: string, args: readonly string[]): Promise<string[] | undefined> {
  try {
    const command = new Deno.Command("git", { args: ["-C", root, ...args], stdin: "null", stderr: "null" });
    const { success, stdout } = await command.output();
    return success ? new TextDecoder().decode(stdout).split(/[\0\n]/).filter((one) => one !== "") : undefined;
  } catch {
    return undefined;
  }
}
