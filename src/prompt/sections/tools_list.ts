import type { PromptTool } from "../../core/prompt.ts";
import { countCharacters, takeCharacters } from "../../core/support/text.ts";
import { oneLine } from "../text/clean.ts";
import { NO_TOOLS, TOOL_LINES, TOOLS_HEADING } from "../text/text.ts";
import { isOverridden, type StableSection } from "../text/section.ts";

const LINE_CHARACTERS = 200;

/** The active tools, one line each and no schema (R59–R67). What is callable is the router's business, not this list's. */
export const toolsList: StableSection = {
  id: "tools_list",
  stability: "stable",
  profiles: ["full", "minimal"],
  render: (inputs) => {
    if (isOverridden(inputs)) return undefined;
    const lines = inputs.tools.map((tool) => ({ name: oneLine(tool.name), text: lineOf(tool) }));
    return {
      text: [TOOLS_HEADING, ...lines.length ? lines.map(({ name, text }) => `- ${name}: ${cut(text)}`) : [NO_TOOLS]]
        .join("\n"),
      sources: lines.map(({ name, text }) => {
        const chars = countCharacters(text);
        const kept = Math.min(chars, LINE_CHARACTERS);
        return { kind: "tool", ref: name, status: kept < chars ? "truncated" : "loaded", chars, kept };
      }),
      diagnostics: lines.filter(({ text }) => cut(text) !== text).map(({ name }) => ({
        code: "section_truncated",
        message: `The line of tool "${name}" was cut to ${LINE_CHARACTERS} characters. Give it a shorter promptSnippet`,
        section: "tools_list",
      })),
    };
  },
};

/** Its own line, else ours for a tool of that name, else its name (R61–R63). */
function lineOf(tool: PromptTool): string {
  const own = oneLine(tool.snippet ?? "");
  if (own) return own;
  return Object.hasOwn(TOOL_LINES, tool.name) ? TOOL_LINES[tool.name] ?? tool.name : oneLine(tool.name);
}

function cut(text: string): string {
  return takeCharacters(text, LINE_CHARACTERS);
}
