import type { PromptTool, StableInputs } from "../../core/prompt.ts";
import { countCharacters } from "../../core/support/text.ts";
import { oneLine, visiblePath } from "../text/clean.ts";
import { bracketed, keepFiles } from "../text/files.ts";
import { hasTool, isOverridden, type StableSection } from "../text/section.ts";
import { CONTEXT_CUT, GUIDELINE, GUIDELINES_HEADING, SCRIPTS } from "../text/text.ts";

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

const filesOf = (inputs: StableInputs) => inputs.scripts ? [inputs.scripts.file] : [];

/** Scripts of this place and how to add one; an empty file says that there is nothing yet (R384–R387). */
export const localToolNotes: StableSection = {
  id: "local_tool_notes",
  title: "Local Scripts",
  stability: "stable",
  profiles: ["full"],
  files: filesOf,
  render: (inputs) => {
    const { perSource = 20_000, total = perSource } = inputs.budgets?.scripts ?? {};
    const { kept, sources, diagnostics } = keepFiles("local_tool_notes", filesOf(inputs), { perSource, total });
    if (inputs.scripts?.file.status !== "loaded") return { text: "", sources, diagnostics };
    const [file] = kept;
    const notes = file
      ? bracketed("SCRIPTS.md", file.isCut ? `${file.text}\n\n${CONTEXT_CUT}` : file.text)
      : SCRIPTS.none;
    return { text: [...advice(inputs, file !== undefined), notes].join("\n"), sources, diagnostics };
  },
};

/** Only what the active tools can do: running needs bash, adding needs a tool that writes. */
function advice(inputs: StableInputs, hasNotes: boolean): readonly string[] {
  const { scripts } = inputs;
  if (!scripts) return [];
  const intro = hasNotes ? [hasTool(inputs, "bash") ? SCRIPTS.run : SCRIPTS.known] : [];
  if (!["write", "edit", "bash"].some((name) => hasTool(inputs, name))) return intro;
  const say = scripts.editable ? SCRIPTS.add : SCRIPTS.propose;
  return [...intro, say(visiblePath(scripts.folder), visiblePath(scripts.file.path))];
}
