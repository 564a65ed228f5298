import { isObject } from "../../core/json.ts";
import { isFile } from "../../core/support/on_disk.ts";
import { basename, dirname, join, relative } from "@std/path";
import { sha256 } from "../../core/support/digest.ts";
import { UserError } from "../../core/error.ts";
import type { NamedFiles } from "../../core/named_files.ts";
import { isInside } from "../../core/policy.ts";

/** Bounds of one extension. */
const MAX_FILES = 500;
const MAX_UNITS = 2 * 1024 * 1024;
const MAX_BYTES = 3 * MAX_UNITS;

/** A module of an extension. */
export interface SourceFile {
  /** Absolute: the name under which errors speak of it. */
  readonly path: string;
  readonly text: string;
  /** What each relative specifier in it stands for: absolute paths of other files of the extension. */
  readonly imports: Readonly<Record<string, string>>;
}

/** All files of an extension, read at one moment: what runs is what was hashed. */
export interface ExtensionSource {
  readonly entry: string;
  /** The entry first. */
  readonly files: readonly SourceFile[];
  /** Field `sandpiper` of the package.json beside the entry, where there is one. */
  readonly packageField?: unknown;
  /** SHA-256 over names and texts of all files and the manifest; grants are kept by it. */
  readonly hash: string;
}

/**
 * Reads an extension's entry and everything that it imports with a relative path, by looking for specifiers in the text:
 * a name in a comment adds a file at most.
 *
 * Nothing outside the entry's folder is read, also not through links. Throws `UserError`.
 *
 * @param named Opens the files, if tools can replace a part of their paths.
 */
export function readSource(entryPath: string, named?: NamedFiles): ExtensionSource {
  const entry = realPath(entryPath, entryPath);
  const root = dirname(entry);
  const files = new Map<string, SourceFile>();
  let units = 0;
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue;
    const text = textOf(path, named);
    units += text.length;
    if (files.size >= MAX_FILES || units > MAX_UNITS) {
      throw broken(entryPath, `it has more than ${MAX_FILES} files or ${MAX_UNITS} characters`, "Bundle it first");
    }
    const imports: Record<string, string> = {};
    for (const specifier of path.endsWith(".json") ? [] : specifiersOf(text)) {
      const target = locate(path, specifier);
      if (target === undefined) continue; // an import that really runs says so itself, with its line
      if (!isInside(target, root)) {
        throw broken(path, `it imports "${specifier}", which is outside ${root}`, "Keep all files in one folder");
      }
      imports[specifier] = target;
      waiting.push(target);
    }
    files.set(path, { path, text, imports });
  }
  const packageField = readPackageField(join(root, "package.json"), named);
  const list = [...files.values()];
  const parts = list.map(({ path, text }) => [relative(root, path), text]).sort(([a], [b]) => a! < b! ? -1 : 1);
  const hash = sha256(JSON.stringify([parts, packageField ?? null]));
  return { entry, files: list, hash, ...(packageField === undefined ? {} : { packageField }) };
}

/** Relative specifiers in a text, of static and dynamic imports and of exports. */
function specifiersOf(text: string): readonly string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s*)(["'])(\.{1,2}\/[^"'\n]+)\1/g;
  return [...new Set([...text.matchAll(pattern)].map((match) => match[2] ?? ""))];
}

/** The file that a specifier means: as it is written, with `.ts` or `.js` behind, `.ts` for `.js`, or a folder's index. */
function locate(from: string, specifier: string): string | undefined {
  const path = join(dirname(from), specifier);
  const names = [path, `${path}.ts`, `${path}.js`, path.replace(/\.js$/, ".ts"), join(path, "index.ts")];
  const found = names.find(isFile);
  return found === undefined ? undefined : realPath(found, from);
}

function realPath(path: string, from: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    throw broken(from, `${path} cannot be read`, "Check that the file exists");
  }
}

/** The text of a file that was found at this real path; throws if it leads elsewhere now. */
function textOf(path: string, named: NamedFiles | undefined): string {
  if (named === undefined) return Deno.readTextFileSync(path);
  const file = named.find(path, { access: "read", typed: true });
  if (file.real !== path) throw broken(path, "it was replaced while it was read", "Try again");
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(named.read(file, MAX_BYTES));
}

function readPackageField(path: string, named: NamedFiles | undefined): unknown {
  if (!isFile(path)) return undefined;
  try {
    const value: unknown = JSON.parse(textOf(realPath(path, path), named));
    return isObject(value) ? value["sandpiper"] : undefined;
  } catch {
    throw broken(path, "it is no JSON", "Correct it");
  }
}

function broken(path: string, why: string, fix: string): UserError {
  return new UserError({ what: `Cannot load extension file ${basename(path)}`, why, fix });
}
