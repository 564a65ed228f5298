import { dirname, join } from "@std/path";
import type { NamedFiles } from "../../core/named_files.ts";
import { isInside } from "../../core/policy.ts";
import type { ContextFile, Diagnostic, ScriptNotes } from "../../core/prompt.ts";
import { findGitRoot } from "./ancestors.ts";
import { failureOf, type ReadText, readText } from "./read_text.ts";

/** Where a bootstrap file may lie: the project's folder, the workspace, the user's folder (docs/prompt.md, Files). */
export interface BootstrapPlaces {
  /** The workspace, absolute, links resolved. */
  readonly root: string;
  readonly projectFolder?: string | undefined;
  readonly userFolder?: string | undefined;
  /** The repository that holds the workspace, where the caller asks for it more than once; looked up otherwise. */
  readonly gitRoot?: (() => string | undefined) | undefined;
  /** Whether the project's own configuration may be used. */
  readonly trusted: boolean;
  /** Whether the program may look at a path at all; asked before the disk is touched, so that nothing ever prompts. */
  readonly canRead: (path: string) => boolean;
  /** Why the links of a path must not be followed, as a clause; undefined if they lead where they may. */
  readonly linkProblem?: ((path: string) => string | undefined) | undefined;
  /** Opens files of the repository, in which tools can replace directories and links; undefined if no tools run. */
  readonly files?: NamedFiles | undefined;
}

/** How the files of one kind are taken. */
export interface BootstrapRule {
  /** The workspace's own file needs trust too, not only the one in the project's folder. */
  readonly rootNeedsTrust?: boolean;
  /** What of a text counts; `passed`: the next place is looked at, and this is said when there is no other file. */
  readonly take: (text: string) => { readonly text: string } | { readonly passed: string };
}

/** What was found: always an entry, `missing` when there is none, and what was passed by on the way. */
export interface BootstrapFile {
  readonly file: ContextFile;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The first file of that name (K12). A place without trust is passed by and reported; a file that cannot be read ends
 * the search, because it was meant. Never throws.
 *
 * A project's link may point to a file of the same repository only: otherwise cloning it could send any file of the user
 * to the provider.
 */
export function findBootstrapFile(name: string, places: BootstrapPlaces, rule: BootstrapRule): BootstrapFile {
  const { root, projectFolder, userFolder, trusted, gitRoot = () => findGitRoot(root) } = places;
  const bounds = gitRoot() ?? root;
  const order = [
    ...projectFolder ? [{ folder: projectFolder, bounds, needsTrust: true }] : [],
    { folder: root, bounds, needsTrust: rule.rootNeedsTrust === true },
    ...userFolder ? [{ folder: userFolder, bounds: undefined, needsTrust: false }] : [],
  ];
  const diagnostics: Diagnostic[] = [];
  let missing: ContextFile = {
    path: join(root, name),
    status: "missing",
    message: `There is no ${name}. To have one, write it into ${order.map(({ folder }) => folder).join(" or ")}`,
  };
  for (const place of order) {
    const path = join(place.folder, name);
    const file = readWithin(path, place.bounds, places);
    if (file.status === "missing") continue;
    if (place.needsTrust && !trusted) {
      const message = "The project is not trusted, so this file is left out. Look at it, then pass --trust";
      diagnostics.push({ code: "untrusted", message, file: path });
      continue;
    }
    if (file.status !== "loaded") return { file, diagnostics };
    const taken = rule.take(file.text ?? "");
    if ("text" in taken) return { file: { ...file, text: taken.text }, diagnostics };
    missing = { path, status: "missing", message: taken.passed };
  }
  return { file: missing, diagnostics };
}

/**
 * Reads a file that may be there; a link has to stay within `bounds`, where there are any. Never throws.
 *
 * @param canRead Asked before the disk is touched.
 */
export function readWithin(
  path: string,
  bounds: string | undefined,
  { canRead, files }: Pick<BootstrapPlaces, "canRead" | "files">,
): ContextFile {
  if (!canRead(path)) {
    return {
      path,
      status: "denied",
      message: `${dirname(path)} is outside what may be read. Grant it with --allow-read`,
    };
  }
  try {
    const own = Deno.lstatSync(path);
    const target = leadsTo(path, own, bounds, canRead);
    if (target === undefined) return { path, status: "denied", message: leadsOut(bounds) };
    // Of where it led when it was checked, whatever has become of the link.
    const info = own.isSymlink ? Deno.lstatSync(target) : own;
    const read = readText(target, undefined, info, isReplaceable(path, own, bounds) ? files : undefined);
    if (read.status !== "loaded") return notRead(path, read);
    return { path, status: "loaded", text: read.text, ...(read.note ? { message: read.note } : {}) };
  } catch (error) {
    return notRead(path, failureOf(error));
  }
}

/** Whether tools can have replaced more of a path than a regular file at its end, which its reader would notice. */
export function isReplaceable(path: string, { isSymlink }: Deno.FileInfo, bounds: string | undefined): boolean {
  return bounds !== undefined && (isSymlink || dirname(path) !== bounds);
}

/** Where a path leads; undefined for a link out of `bounds` or of what may be read. Throws what the disk throws. */
export function leadsTo(
  path: string,
  own: Deno.FileInfo,
  bounds: string | undefined,
  canRead: (path: string) => boolean,
): string | undefined {
  if (!own.isSymlink) return path;
  const target = Deno.realPathSync(path);
  return (bounds === undefined || isInside(target, Deno.realPathSync(bounds))) && canRead(target) ? target : undefined;
}

/** What is said of such a link. */
export function leadsOut(bounds: string | undefined): string {
  return `It links to a file outside ${bounds ?? "what may be read"}. Copy the text here instead`;
}

/** A file that was looked for and not read. */
export function notRead(path: string, failure: Exclude<ReadText, { status: "loaded" }>): ContextFile {
  if (failure.status === "missing") return { path, status: "missing" };
  return { path, status: failure.status === "denied" ? "denied" : "read_error", message: failure.note };
}

/** Where SCRIPTS.md is looked for. */
export interface ScriptsOptions extends BootstrapPlaces {
  /** Whether the tools can change a path: what cannot be changed is shown to the user instead. */
  readonly canWrite: (path: string) => boolean;
  /** False: nothing is looked for. */
  readonly enabled: boolean;
}

/** The notes, when there is a file, and what was passed by. */
export interface GatheredScripts {
  readonly scripts?: ScriptNotes;
  readonly diagnostics: readonly Diagnostic[];
}

/** Notes on local scripts: the first SCRIPTS.md, empty or not (R384–R386). Never throws. */
export function gatherScripts(options: ScriptsOptions): GatheredScripts {
  if (!options.enabled) return { diagnostics: [] };
  const { file, diagnostics } = findBootstrapFile("SCRIPTS.md", options, { take: (text) => ({ text }) });
  if (file.status === "missing") return { diagnostics };
  const folder = join(options.root, "scripts");
  return { scripts: { file, folder, editable: options.canWrite(file.path) }, diagnostics };
}
