import { join } from "@std/path";
import type { ConfigFolders } from "../context/files/config_folders.ts";
import { decideTrust as decide, readTrust } from "../context/trust.ts";
import { bringsSomething, lookAtProject, type ProjectFile } from "../context/trust_digest.ts";
import type { TrustDecision } from "../core/compiled_prompt.ts";
import type { Values } from "./options/parse.ts";

/** Whether the project's own configuration may load, and what a person should know about it. */
export interface ProjectTrust extends TrustDecision {
  readonly warnings: readonly string[];
  /** What a person could be asked; absent where it is decided, and where an answer could not be recorded. */
  readonly question?: TrustQuestion;
}

/** Whether a project's own configuration shall load, as it is now. */
export interface TrustQuestion {
  readonly folder: string;
  /** Of `files`. */
  readonly digest: string;
  readonly files: readonly ProjectFile[];
  /** There is an answer for this folder, but its content has changed since. */
  readonly hasChanged: boolean;
}

/**
 * Decides from the command line and from recorded answers. Modes that cannot ask leave an unknown project's configuration
 * out and say so (docs/cli.md, Files).
 */
export function decideTrust(root: string, folders: ConfigFolders, values: Values): ProjectTrust {
  const flag = values["no-trust"] ? false : values["trust"] ? true : undefined;
  const isBrought = flag === undefined && bringsSomething(root, folders.project);
  const recorded = folders.user && isBrought ? readTrust(join(folders.user, "trust.json")) : { records: [] };
  const isAnswered = recorded.records.some(({ folder }) => folder === root);
  // No file of the project belongs to the profile `none` (R42): only what an answer was recorded for is compared with it.
  const isOpened = isBrought && (values["profile"] !== "none" || isAnswered);
  const seen = isOpened ? lookAtProject(root, folders.project) : undefined;
  const digest = seen ? seen.digest : isBrought ? null : undefined;
  const decision = decide({ flag, folder: root, digest, records: recorded.records });
  const warnings = "problem" in recorded && recorded.problem !== undefined
    ? [`trust.json is not used: ${recorded.problem}`]
    : [];
  if (!decision.trusted && (decision.reason === "unknown" || decision.reason === "changed")) {
    const why = decision.reason === "changed" ? "it changed since it was trusted" : "nobody has trusted it";
    warnings.push(`this project's own configuration is left out, because ${why}; look at it, then pass --trust`);
    if (seen && digest) {
      const hasChanged = decision.reason === "changed";
      return { ...decision, warnings, question: { folder: root, digest, files: seen.files, hasChanged } };
    }
  }
  return { ...decision, warnings };
}
