import { join, resolve } from "@std/path";
import { UserError } from "../../core/error.ts";
import type { ContextFile, Diagnostic } from "../../core/prompt.ts";
import type { NamedFiles } from "../../core/named_files.ts";
import { isFile, isThere } from "../../core/support/on_disk.ts";
import { stripControls } from "../../core/support/text.ts";
import { findGitRoot } from "./ancestors.ts";
import { type BootstrapPlaces, readWithin } from "./bootstrap_file.ts";
import { failureOf } from "./read_text.ts";

/** Where SYSTEM.md and APPEND_SYSTEM.md are looked for; relative files of the flags start at the workspace. */
export interface SystemFileOptions extends BootstrapPlaces {
  readonly home: string;
  /** Opens the files that options name. */
  readonly named: NamedFiles;
  /** `--system-prompt`: the text itself, or `@FILE`. */
  readonly systemPrompt?: string | undefined;
  /** The setting `appendSystemPrompt`, in the same form. */
  readonly appendedBySettings?: readonly string[] | undefined;
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
 * of the settings and then of the flags come before that of the file.
 *
 * Throws `UserError` for a flag that names a file which cannot be read; never for a file that was only looked for.
 */
export function gatherSystemFiles(options: SystemFileOptions): SystemFiles {
  const { systemPrompt, appendSystemPrompt = [], appendedBySettings = [] } = options;
  const base = systemPrompt === undefined
    ? lookUp("SYSTEM.md", options)
    : { file: fromFlag("--system-prompt", systemPrompt, options), passed: [] };
  const addition = lookUp("APPEND_SYSTEM.md", options);
  const flags = [
    ...appendedBySettings.map((value) => fromFlag("the setting appendSystemPrompt", value, options)),
    ...appendSystemPrompt.map((value) => fromFlag("--append-system-prompt", value, options)),
  ];
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
      const { root, gitRoot = () => findGitRoot(root) } = options;
      const file = readWithin(path, gitRoot() ?? root, options);
      if (file.status !== "missing" && !isBlank(file)) return { file, passed };
      if (file.status !== "missing") blank = file;
    } else if (isThere(path)) {
      const message = "The project is not trusted, so this file is left out. Look at it, then pass --trust";
      passed.push({ code: "untrusted", message, file: path });
    }
  }
  const file = options.userFolder ? readWithin(join(options.userFolder, name), undefined, options) : undefined;
  const found = file && file.status !== "missing" ? file : blank;
  return found ? { file: found, passed } : { passed };
}

/** Whether nothing of a file would be left in the prompt. */
function isBlank(file: ContextFile): boolean {
  return file.status === "loaded" && stripControls(file.text ?? "").trim() === "";
}

/** Longest text of an option that can be a path, characters. */
const MAX_PATH = 4096;
/** Bytes of a file that an option names; more than any budget keeps. */
const MAX_BYTES = 1024 * 1024;

/**
 * What an option gives: the text of `@FILE`, else the value itself, of which `@@` is an escaped `@`.
 *
 * Throws UserError for a file that cannot be read, and for a value without `@` that names a file or looks like one: what
 * a value means must not depend on which files a repository has.
 */
function fromFlag(flag: string, value: string, { root, home, named: files }: SystemFileOptions): ContextFile {
  if (value.startsWith("@@")) return { path: flag, status: "loaded", text: value.slice(1) };
  if (value.length > 1 && value.startsWith("@")) return readNamed(flag, value.slice(1), root, home, files);
  const mayBePath = value.length < MAX_PATH && !/[\n\0]/.test(value) && value.trim() !== "";
  const isPath = mayBePath && (isFile(resolve(root, value)) || (!/\s/.test(value) && LOOKS_LIKE_PATH.test(value)));
  if (!isPath) return { path: flag, status: "loaded", text: value };
  throw new UserError({
    what: `Ambiguous value "${value}" of ${flag}`,
    why: "it names or looks like a file, but a value without @ is the text itself",
    fix: `Write ${flag} @${
      value.replace(/^@/, "")
    } for the file, or change the text, for example with a period at its end`,
  });
}

const LOOKS_LIKE_PATH = /^(\.{0,2}\/|~)|\.(md|txt)$/i;

function readNamed(flag: string, name: string, root: string, home: string, files: NamedFiles): ContextFile {
  const path = resolve(root, name === "~" || name.startsWith("~/") ? join(home, name.slice(1)) : name);
  const fix = `Name a readable text file after @; a text that begins with @ is written as @@${name.slice(0, 20)}`;
  const cannot = (why: string): UserError =>
    new UserError({ what: `Cannot read the file of ${flag} "@${name}"`, why, fix });
  try {
    const bytes = files.read(files.find(path, { access: "read", typed: true }), MAX_BYTES);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (text.includes("\0")) throw cannot("it holds NUL bytes");
    return { path, status: "loaded", text };
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { status, ...failure } = failureOf(error);
    throw cannot(status === "missing" ? "there is no such file" : "note" in failure ? failure.note : status);
  }
}
