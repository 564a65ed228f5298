import { join } from "@std/path";
import type { Diagnostic, ScriptNotes } from "../../core/prompt.ts";
import { type BootstrapPlaces, findBootstrapFile } from "./bootstrap_file.ts";

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
