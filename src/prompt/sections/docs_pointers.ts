import { visiblePath } from "../text/clean.ts";
import type { StableSection } from "../text/section.ts";
import { DOCS_HEADING } from "../text/text.ts";
import { builtin, isOverridden } from "../text/base.ts";

/** Where the program's own documentation lies, for questions about the program (R6). */
export const docsPointers: StableSection = {
  id: "docs_pointers",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => {
    if (isOverridden(inputs) || inputs.docs.length === 0) return undefined;
    const lines = inputs.docs.map(({ label, path }) => `- ${label}: ${visiblePath(path)}`);
    return builtin("docs_pointers", [DOCS_HEADING, ...lines].join("\n"));
  },
};
