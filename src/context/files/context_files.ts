import { join } from "@std/path";
import { isInside } from "../../core/policy.ts";
import type { ContextFile } from "../../core/prompt.ts";
import { ancestorsOf, findGitRoot } from "./ancestors.ts";
import { type BootstrapPlaces, isReplaceable, leadsOut, leadsTo, notRead } from "./bootstrap_file.ts";
import { failureOf, readText } from "./read_text.ts";

/** Where context files are looked for. */
export interface ContextFileOptions
  extends Pick<BootstrapPlaces, "root" | "userFolder" | "gitRoot" | "canRead" | "files"> {
  /** False: nothing is looked for (`--no-context-files`, profile `none`). */
  readonly enabled: boolean;
}

const NAMES = ["AGENTS.md", "CLAUDE.md"] as const;

/**
 * The project's instructions: the user's own file, then one of every folder from the filesystem root to the workspace
 * (R86–R97). Per folder `AGENTS.md`, else `CLAUDE.md`; the same file never twice. Never throws.
 *
 * A repository's link may point to a file of the same repository only: otherwise cloning it could send any file of the
 * user to the provider.
 */
export function gatherContextFiles(options: ContextFileOptions): ContextFile[] {
  if (!options.enabled) return [];
  const { root, userFolder } = options;
  const gitRoot = (options.gitRoot ?? (() => findGitRoot(root)))();
  const seen = new Set<string>();
  const found: ContextFile[] = [];
  if (userFolder) found.push(...lookIn(userFolder, undefined, options, seen));
  for (const folder of ancestorsOf(root)) {
    const bounds = gitRoot && isInside(folder, gitRoot) ? gitRoot : folder;
    found.push(...lookIn(folder, bounds, options, seen));
  }
  return found;
}

function lookIn(
  folder: string,
  bounds: string | undefined,
  options: Pick<ContextFileOptions, "canRead" | "files">,
  seen: Set<string>,
): ContextFile[] {
  if (!options.canRead(folder)) {
    return [{ path: join(folder, NAMES[0]), status: "denied", message: "The folder is outside what may be read" }];
  }
  const found: ContextFile[] = [];
  for (const name of NAMES) {
    const file = lookAt(join(folder, name), bounds, options, seen);
    if (file === "again") return found;
    if (file.entry.status !== "missing") found.push(file.entry);
    // A folder of that name is a mistake and not an answer: the other name may still hold the text.
    if (file.entry.status !== "missing" && !file.isFolder) return found;
  }
  return found;
}

function lookAt(
  path: string,
  bounds: string | undefined,
  { canRead, files }: Pick<ContextFileOptions, "canRead" | "files">,
  seen: Set<string>,
): { readonly entry: ContextFile; readonly isFolder?: boolean } | "again" {
  try {
    const link = Deno.lstatSync(path);
    const target = leadsTo(path, link, bounds, canRead);
    if (target === undefined) return { entry: { path, status: "denied", message: leadsOut(bounds) } };
    // Of where it led when it was checked, whatever has become of the link.
    const info = link.isSymlink ? Deno.lstatSync(target) : link;
    const identity = info.ino ? `${info.dev}:${info.ino}` : path;
    if (info.isFile && seen.has(identity)) return "again";
    seen.add(identity);
    const read = readText(target, undefined, info, isReplaceable(path, link, bounds) ? files : undefined);
    if (read.status !== "loaded") return { entry: notRead(path, read), isFolder: read.status === "not_a_file" };
    return { entry: { path, status: "loaded", text: read.text, ...(read.note ? { message: read.note } : {}) } };
  } catch (error) {
    return { entry: notRead(path, failureOf(error)) };
  }
}
