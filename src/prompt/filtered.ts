import type { Diagnostic, StableInputs } from "../core/prompt.ts";
import { isWanted } from "./finish.ts";
import { SECTIONS } from "./sections/mod.ts";

/** Files that were loaded although the profile leaves their section out: the author should learn why they do nothing. */
export function filteredFiles(inputs: StableInputs): readonly Diagnostic[] {
  return SECTIONS.flatMap((section) => {
    if (section.stability !== "stable" || !section.files || isWanted(section, inputs.profile)) return [];
    return section.files(inputs).filter((file) => file.status === "loaded").map((file) => ({
      code: "file_filtered_by_profile" as const,
      message: `Profile "${inputs.profile}" leaves this file out. Use --profile full to send it`,
      file: file.path,
      section: section.id,
    }));
  });
}
