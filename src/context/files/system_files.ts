import { join, resolve } from "@std/path";
import { UserError } from "../../core/error.ts";
import type { ContextFile, Diagnostic } from "../../core/prompt.ts";
import { isThere } from "../../core/support/on_disk.ts";
import { stripControls } from "../../core/support/text.ts";
import { findGitRoot } from "./ancestors.ts";
import { type BootstrapPlaces, readWithin } from "./bootstrap_file.ts";
import { readText } from "./read_text.ts";

/** Where SYSTEM.md and APPEND_SYSTEM.md are looked for; relative files of the flags start at the workspace. */
export interface SystemFileOptions extends BootstrapPlaces {
  /** `--system-prompt`: a file or the text itself. */
  readonly systemPrompt?: string | undefined;
  /** `--append-system-prompt`, in the order given. */
  readonly appendSystemPrompt?: readonly string[] | undefined;
}

/** What the compiler gets, and what it cannot see there. */
export interface SystemFiles {
  readonly systemOverride?: ContextFile;
  readonly appendSystem: readonly ContextFile[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The base prompt and what is added to it: the flag, else the project's file, else the user's (R8–R11, R19); additions
 * of the flags stand before that of the file.
 *
 * Throws `UserError` for a flag that names a file which cannot be read; never for a file that was only looked for.
 */
export function gatherSystemFiles(options: SystemFileOptions): SystemFiles {
  const { systemPrompt, appendSystemPrompt = [] } = options;
  const base = systemPrompt === undefined
    ? lookUp("SYSTEM.md", options)
    : { file: fromFlag("--system-prompt", systemPrompt, options.root), passed: [] };
  const addition = lookUp("APPEND_SYSTEM.md", options);
  const flags = appendSystemPrompt.map((value) => fromFlag("--append-system-prompt", value, options.root));
  return {
    ...(base.file ? { systemOverride: base.file } : {}),
    appendSystem: addition.file ? [...flags, addition.file] : flags,
    diagnostics: [...base.passed, ...addition.passed],
  };
}

/**
 * The first of the project's and the user's file that says something. A project's file without trust is passed by, and
 * that is said; its link may point to a file of the same repository only. One that cannot be read ends the search,
 * because it was meant.
 */
function lookUp(
  name: string,
  options: SystemFileOptions,
): { readonly file?: ContextFile; readonly passed: readonly Diagnostic[] } {
  const passed: Diagnostic[] = [];
  let blank: ContextFile | undefined;
  if (options.projectFolder) {
    const path = join(options.projectFolder, name);
    if (options.trusted) {
      const { root, canRead, gitRoot = () => findGitRoot(root) } = options;
      const file = readWithin(path, gitRoot() ?? root, canRead);
      if (file.status !== "missing" && !isBlank(file)) return { file, passed };
      if (file.status !== "missing") blank = file;
    } else if (isThere(path)) {
      const message = "The project is not trusted, so this file is left out. Look at it, then pass --trust";
      passed.push({ code: "untrusted", message, file: path });
    }
  }
  const file = options.userFolder ? readWithin(join(options.userFolder, name), undefined, options.canRead) : undefined;
  const found = file && file.status !== "missing" ? file : blank;
  return found ? { file: found, passed } : { passed };
}

/** Whether nothing of a file would be left in the prompt. */
function isBlank(file: ContextFile): boolean {
  return file.status === "loaded" && stripControls(file.text ?? "").trim() === "";
}

/** A file of that name, else the text itself; what looks like a path and is none is a mistake and not a prompt. */
function fromFlag(flag: string, value: string, root: string): ContextFile {
  const mayBePath = value.length < 4096 && !/[\n\0]/.test(value) && value.trim() !== "";
  const path = mayBePath ? resolve(root, value) : value;
  const read = mayBePath ? readText(path) : { status: "missing" } as const;
  if (read.status === "loaded") {
    return { path, status: "loaded", text: read.text, ...(read.note ? { message: read.note } : {}) };
  }
  const isMeantAsPath = !/\s/.test(value) && /^(\.{0,2}\/|~)|\.(md|txt)$/i.test(value);
  if (!isMeantAsPath) return { path: flag, status: "loaded", text: value };
  throw new UserError({
    what: `Cannot read the file of ${flag} "${value}"`,
    why: read.status === "missing" ? "there is no such file" : read.note,
    fix: "Name a readable text file, or write the text itself in quotes",
  });
}
