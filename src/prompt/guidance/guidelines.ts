import type { PromptTool } from "../../core/prompt.ts";
import { oneLine } from "../text/clean.ts";
import type { StableSection } from "../text/section.ts";
import { GUIDELINE, GUIDELINES_HEADING } from "../text/text.ts";
import { isOverridden } from "../text/rendered.ts";
import { countCharacters } from "../../core/support/text.ts";

type Active = (name: string) => boolean;

const explores: Active = (name) => name === "grep" || name === "find" || name === "ls";

/** When each of the program's own guidelines that depend on tools applies, in the order of the list (R71–R77). */
const CONDITIONAL: readonly {
  readonly line: string;
  readonly when: (has: Active, some: (is: Active) => boolean) => boolean;
}[] = [
  { line: GUIDELINE.bashOnly, when: (has, some) => has("bash") && !some(explores) },
  { line: GUIDELINE.preferTools, when: (has, some) => has("bash") && some(explores) },
  { line: GUIDELINE.readFirst, when: (has) => has("read") && has("edit") },
  { line: GUIDELINE.edit, when: (has) => has("edit") },
  { line: GUIDELINE.write, when: (has) => has("write") },
  { line: GUIDELINE.plainSummary, when: (has) => has("edit") || has("write") },
];
const ALWAYS: readonly string[] = [GUIDELINE.concise, GUIDELINE.paths];
const EXTENSION_LINES = 100;

/** How to work with the tools that are active: ours, those of extensions, the two that always hold (R71–R84, K5). */
export const guidelines: StableSection = {
  id: "guidelines",
  stability: "stable",
  profiles: ["full", "minimal"],
  render: (inputs) => {
    if (isOverridden(inputs)) return undefined;
    const names = new Set(inputs.tools.map((tool) => tool.name));
    const has: Active = (name) => names.has(name);
    const some = (is: Active) => [...names].some(is);
    const own = CONDITIONAL.filter((rule) => rule.when(has, some)).map((rule) => rule.line);
    const said = new Set([...own, ...ALWAYS]);
    const brought = inputs.tools.filter((tool) => tool.origin === "extension")
      .map((tool) => ({ name: tool.name, lines: linesOf(tool, said) }));
    const extension = [...new Set(brought.flatMap((tool) => tool.lines))];
    const lines = [...own, ...extension.slice(0, EXTENSION_LINES), ...ALWAYS];
    return {
      text: [GUIDELINES_HEADING, ...lines.map((line) => `- ${line}`)].join("\n"),
      sources: [
        sourceOf("builtin", "guidelines", [...own, ...ALWAYS]),
        ...brought.filter((tool) => tool.lines.length).map((tool) => sourceOf("tool", oneLine(tool.name), tool.lines)),
      ],
      diagnostics: extension.length <= EXTENSION_LINES ? [] : [{
        code: "section_truncated",
        message: `${extension.length - EXTENSION_LINES} guidelines of extension tools were left out: at most ` +
          `${EXTENSION_LINES} are sent. Shorten the promptGuidelines of the extensions`,
        section: "guidelines",
      }],
    };
  },
};

/** A tool's own lines, without those that the program says here itself (R82). */
function linesOf(tool: PromptTool, said: ReadonlySet<string>): readonly string[] {
  return (tool.guidelines ?? []).map(oneLine).filter((line) => line && !said.has(line));
}

function sourceOf(kind: "builtin" | "tool", ref: string, lines: readonly string[]) {
  const chars = countCharacters(lines.join("\n"));
  return { kind, ref, status: "loaded", chars, kept: chars } as const;
}
