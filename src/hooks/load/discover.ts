import { UserError } from "../../core/error.ts";
import { isFile } from "../../core/support/on_disk.ts";
import { basename, join, resolve } from "@std/path";

/** An extension that was found, not read yet. */
export interface FoundExtension {
  /** File name without its ending, or the folder's name; unique in one search. */
  readonly name: string;
  /** Entry file: absolute. */
  readonly path: string;
  readonly origin: "explicit" | "project" | "user";
}

/** Where extensions are looked for. */
export interface DiscoverOptions {
  /** The project's configuration folder, absolute; nothing in it loads unless `trusted`. */
  readonly projectFolder?: string;
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
 * Finds `extensions/*.ts` and `extensions/NAME/index.ts`, in the order in which they load: explicit, project, user, each by
 * name. The first of a name wins. Never throws; `diagnostics` say what was left out and why.
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
  for (const given of options.explicit) {
    const path = resolve(options.cwd, given);
    const entry = isFile(path) ? path : indexIn(path);
    if (entry === undefined) {
      missing.push(path);
      diagnostics.push(`Extension ${path} is left out: no such file, and no folder with index.ts`);
    } else add(entry, "explicit");
  }
  if (!options.enabled) return { found: [...found.values()], missing, diagnostics };
  for (const origin of ["project", "user"] as const) {
    const folder = origin === "project" ? options.projectFolder : options.userFolder;
    if (folder === undefined) continue;
    const entries = entriesIn(join(folder, "extensions"), diagnostics);
    if (origin === "project" && !options.trusted && entries.length > 0) {
      diagnostics.push(`Extensions in ${join(folder, "extensions")} are left out: the project is not trusted`);
      continue;
    }
    for (const path of entries) add(path, origin);
  }
  return { found: [...found.values()], missing, diagnostics };
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
