import { UserError } from "../../core/error.ts";
import { isFile } from "../../core/support/on_disk.ts";
import { basename, join, resolve } from "@std/path";

/** An extension that was found, not read yet. */
export interface FoundExtension {
  /** File name without its ending, or the folder's name; unique in one search. */
  readonly name: string;
  /** Entry file: absolute. */
  readonly path: string;
  readonly origin: "packed" | "explicit" | "project" | "user";
}

/** Where extensions are looked for. */
export interface DiscoverOptions {
  /** The project's configuration folder, absolute; nothing in it loads unless `trusted`. */
  readonly projectFolder?: string;
  /**
   * Entry files that were packed into the program. They load first, and nothing else loads; in an open pack they load last,
   * under names that no other has.
   */
  readonly packed?: { readonly paths: readonly string[]; readonly isOpen: boolean } | undefined;
  /** The user's configuration folder, absolute. */
  readonly userFolder?: string;
  /** Paths of `-e`: files, or folders with an index. Relative ones start at `cwd`. */
  readonly explicit: readonly string[];
  readonly cwd: string;
  readonly trusted: boolean;
  /** False leaves out all but the explicit ones. */
  readonly enabled: boolean;
}

/**
 * Finds `extensions/*.ts` and `extensions/NAME/index.ts`, in the order in which they load: packed, explicit, project, user,
 * each by name. The first of a name wins. Never throws; `diagnostics` say what was left out and why.
 */
export function discoverExtensions(
  options: DiscoverOptions,
): {
  readonly found: readonly FoundExtension[];
  /** Explicit paths that lead to no extension: absolute. They are in `diagnostics` as well. */
  readonly missing: readonly string[];
  readonly diagnostics: readonly string[];
} {
  const found = new Map<string, FoundExtension>();
  const missing: string[] = [];
  const diagnostics: string[] = [];
  const add = (path: string, origin: FoundExtension["origin"]): void => {
    const name = nameOf(path);
    const first = found.get(name);
    if (first?.path === path) return;
    if (first) diagnostics.push(`Extension ${path} is left out: ${first.path} has the same name`);
    else found.set(name, { name, path, origin });
  };
  const addPacked = (): void => options.packed?.paths.forEach((path) => add(path, "packed"));
  if (options.packed?.isOpen === false) {
    addPacked();
    return { found: [...found.values()], missing, diagnostics: [...diagnostics, ...leftOut(options)] };
  }
  for (const given of options.explicit) {
    const path = resolve(options.cwd, given);
    const entry = isFile(path) ? path : indexIn(path);
    if (entry === undefined) {
      missing.push(path);
      diagnostics.push(`Extension ${path} is left out: no such file, and no folder with index.ts`);
    } else add(entry, "explicit");
  }
  for (const origin of options.enabled ? ["project", "user"] as const : []) {
    const folder = origin === "project" ? options.projectFolder : options.userFolder;
    if (folder === undefined) continue;
    const entries = entriesIn(join(folder, "extensions"), diagnostics);
    if (origin === "project" && !options.trusted && entries.length > 0) {
      diagnostics.push(`Extensions in ${join(folder, "extensions")} are left out: the project is not trusted`);
      continue;
    }
    for (const path of entries) add(path, origin);
  }
  addPacked();
  return { found: [...found.values()], missing, diagnostics };
}

/** What a closed pack keeps out: code that could rewrite its prompt and answer for its tools. */
function leftOut({ projectFolder, userFolder, trusted, enabled }: DiscoverOptions): readonly string[] {
  return [trusted ? projectFolder : undefined, userFolder].flatMap((folder) => {
    const path = folder === undefined || !enabled ? undefined : join(folder, "extensions");
    return path === undefined || entriesIn(path, []).length === 0
      ? []
      : [`Extensions in ${path} are left out: this program was packed without --open`];
  });
}

/** Entry files in a folder of extensions, by name; tests and declarations are none. */
function entriesIn(folder: string, diagnostics: string[]): readonly string[] {
  let names: string[];
  try {
    names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) {
      diagnostics.push(`Extensions in ${folder} are left out: the folder cannot be read`);
    }
    return [];
  }
  return names.filter((name) => !name.startsWith(".")).flatMap((name) => {
    const path = join(folder, name);
    if (/\.(?:ts|js)$/.test(name) && !/(?:\.d|[._]test)\.ts$/.test(name)) return isFile(path) ? [path] : [];
    const entry = indexIn(path);
    return entry === undefined ? [] : [entry];
  });
}

function indexIn(folder: string): string | undefined {
  return ["index.ts", "index.js"].map((name) => join(folder, name)).find(isFile);
}

function nameOf(path: string): string {
  const file = basename(path).replace(/\.(?:ts|js)$/, "");
  return file === "index" ? basename(join(path, "..")) : file;
}

/** Why a session does not start that was to have an extension. */
export function notLoaded(path: string, why: string, fix: string): UserError {
  return new UserError({ what: `Cannot load the extension "${path}"`, why, fix });
}
