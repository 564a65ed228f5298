import { visiblePath } from "../text/clean.ts";
import { keepFiles } from "../text/files.ts";
import type { StableSection } from "../text/section.ts";
import { CONTEXT_CUT, CONTEXT_HEADING } from "../text/text.ts";

/** The project's instructions, the nearest file last, so that it has the last word and the first claim on room (R86–R92). */
export const projectContext: StableSection = {
  id: "project_context",
  stability: "stable",
  profiles: ["full"],
  files: (inputs) => inputs.contextFiles,
  render: (inputs) => {
    const budget = { perSource: 64_000, total: 150_000, ...inputs.budgets?.context };
    const { kept, sources, diagnostics } = keepFiles("project_context", inputs.contextFiles, budget);
    const parts = kept.map((file) => {
      return `## ${visiblePath(file.path)}\n\n${file.text}${file.isCut ? `\n\n${CONTEXT_CUT}` : ""}`;
    });
    return { text: parts.length ? [CONTEXT_HEADING, ...parts].join("\n\n") : "", sources, diagnostics };
  },
};
