import type { Budget, ContextFile, Diagnostic, PromptSource, SourceStatus } from "../../core/prompt.ts";
import { sha256 } from "../../core/support/digest.ts";
import { countCharacters, isSteering, takeCharacters } from "../../core/support/text.ts";
import { clean } from "./clean.ts";

/** What of a file goes into the prompt. */
export interface KeptFile {
  readonly path: string;
  readonly text: string;
  readonly isCut: boolean;
}

/** Files under a budget, with what the manifest says of each. */
export interface KeptFiles {
  readonly kept: readonly KeptFile[];
  readonly sources: readonly PromptSource[];
  readonly diagnostics: readonly Diagnostic[];
}

const STATUS: Readonly<Record<ContextFile["status"], SourceStatus>> = {
  loaded: "loaded",
  missing: "missing",
  read_error: "read_error",
  denied: "denied",
  untrusted: "denied",
};

/**
 * Cuts files to a budget: each to `perSource`, then all to `total`, the last of the list served first, because the last
 * is the one nearest to the work (R98, R347–R350). Never throws; a file that was not read becomes a diagnostic.
 */
export function keepFiles(section: string, files: readonly ContextFile[], budget: Budget): KeptFiles {
  const kept: KeptFile[] = [];
  const sources: PromptSource[] = [];
  const diagnostics: Diagnostic[] = [];
  let left = budget.total ?? Infinity;
  for (const file of files.toReversed()) {
    const note = stateDiagnostic(file, section);
    if (note) diagnostics.unshift(note);
    const text = file.status === "loaded" ? clean(file.text ?? "") : "";
    if (text && isSteering(file.text ?? "")) diagnostics.unshift(alteredDiagnostic(file, section));
    const chars = countCharacters(text);
    const own = Math.min(chars, budget.perSource ?? Infinity);
    const allowed = Math.min(own, left);
    left -= allowed;
    const part = takeCharacters(text, allowed);
    if (allowed < own) diagnostics.unshift(cutDiagnostic("total_budget_truncated", file, section, chars, allowed));
    else if (own < chars) diagnostics.unshift(cutDiagnostic("file_truncated", file, section, chars, own));
    sources.unshift(sourceOf(file, chars, part));
    if (part) kept.unshift({ path: file.path, text: part, isCut: allowed < chars });
  }
  return { kept, sources, diagnostics };
}

/** The diagnostic of a file that was not read. */
function stateDiagnostic(file: ContextFile, section?: string): Diagnostic | undefined {
  const where = { file: file.path, ...(section ? { section } : {}) };
  const say = (code: Diagnostic["code"], message: string): Diagnostic => ({
    code,
    message: file.message ?? message,
    ...where,
  });
  switch (file.status) {
    case "missing":
      return say("missing_file", "The file does not exist. Create it, or take its name out of the configuration");
    case "read_error":
      return say("file_read_error", "The file cannot be read. Make it a readable UTF-8 text file");
    case "denied":
      return say("permission_denied", "Reading is not permitted here. Grant it with --allow-read, or move the file");
    case "untrusted":
      return say("untrusted", "The project is not trusted, so this file is left out. Look at it, then pass --trust");
    case "loaded":
      return undefined;
  }
}

function alteredDiagnostic({ path }: ContextFile, section: string): Diagnostic {
  const message =
    "Terminal control characters, or a line that the prompt marks its halves with, were taken out of it. " +
    "Remove them from the file, and find out who put them there";
  return { code: "file_altered", message, file: path, section };
}

function cutDiagnostic(
  code: Diagnostic["code"],
  file: ContextFile,
  section: string,
  chars: number,
  kept: number,
): Diagnostic {
  const which = code === "file_truncated" ? "the limit of one file" : "the limit of all files of its kind together";
  // A file too large to be read whole says so itself: its size in characters is not known.
  const message =
    `${
      file.message ? `${file.message}. ` : ""
    }Cut from ${chars} to ${kept} characters, ${which}. Shorten it, or move parts into files that are ` +
    "read when they are needed";
  return { code, message, file: file.path, section };
}

function sourceOf(file: ContextFile, chars: number, part: string): PromptSource {
  const isFile = /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(file.path);
  const kept = part.length === 0 ? 0 : countCharacters(part);
  const isCut = file.status === "loaded" && kept < chars;
  return {
    kind: isFile ? "file" : "caller",
    ref: file.path.slice(isFile ? Math.max(file.path.lastIndexOf("/"), file.path.lastIndexOf("\\")) + 1 : 0),
    ...(isFile ? { path: file.path } : {}),
    status: isCut ? "truncated" : STATUS[file.status],
    chars,
    kept,
    ...(part ? { sha256: sha256(part) } : {}),
  };
}

// A file's text between lines that name the file, so that it is plain where it ends (R381). The text cannot hold such a
// line itself.
const MARK = /-{3,}[ \t]*(BEGIN|END)[ \t]+(?=\S+\.md\b)/gi;

/** A text between a line that opens it and one that closes it. */
export function bracketed(name: string, text: string): string {
  return `----- BEGIN ${name} -----\n${text.replace(MARK, "$1 ")}\n----- END ${name} -----`;
}
