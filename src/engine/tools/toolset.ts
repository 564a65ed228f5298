import type { JsonObject } from "../../core/json.ts";
import { once } from "../../core/support/once.ts";
import type { ToolView } from "../../core/engine.ts";
import type { PromptTool } from "../../core/prompt.ts";
import type { ToolDefinition } from "../../core/provider.ts";
import type { CallOptions } from "../../core/runner.ts";
import type { Tool } from "../../core/tool.ts";
import type { ToolResult } from "../../core/tool_result.ts";
import { toolDefinition } from "../../../tools/mod.ts";

/** A tool that the session has, whoever brought it. */
export interface KnownTool {
  readonly tool: Tool;
  /** What the provider's tool field carries. */
  readonly definition: ToolDefinition;
  readonly origin: ToolView["origin"];
  /** Whether it waits to be asked for: not active by itself, after all others once it is, and never in the prompt's text. */
  readonly isLate?: boolean;
  /** The MCP server that brought it, as the settings call it. */
  readonly server?: string;
  readonly run: (args: JsonObject, callId: string, options: CallOptions) => Promise<ToolResult>;
}

/** One of the program's own tools. */
export function builtinTool(
  tool: Tool,
  run: (tool: Tool, args: JsonObject, callId: string, options: CallOptions) => Promise<ToolResult>,
): KnownTool {
  const definition = once(() => toolDefinition(tool));
  return {
    tool,
    // With its first use: most of those that are off are never asked for it, and some cost milliseconds.
    get definition() {
      return definition();
    },
    origin: "builtin",
    run: (args, callId, options) => run(tool, args, callId, options),
  };
}

/** The tools of a session, and which of them the model may call. */
export interface Toolset {
  /** The active ones: ours in the order of their table, the others by name (R424), then late ones as they were activated. */
  readonly active: () => readonly KnownTool[];
  readonly views: () => readonly ToolView[];
  /** Names that no tool has are ignored (R441). */
  readonly choose: (names: readonly string[]) => readonly string[];
  /** Makes more of them active. */
  readonly switchOn: (names: readonly string[]) => void;
  /** Replaces the tools of a source; of those that were not there, the ones in `fresh` are active at once, else all. */
  readonly replace: (origin: KnownTool["origin"], tools: readonly KnownTool[], fresh?: readonly string[]) => void;
  /** Keeps tools out of requests until they are described otherwise; replaces those that were kept out before. */
  readonly leaveOut: (names: readonly string[]) => void;
  /** Makes late tools active, in this order; a name may come before its tool. With `only`, no other late tool is. */
  readonly activate: (names: readonly string[], only?: boolean) => void;
}

/** A set that holds our own tools; `chosen` are the active ones. */
export function createToolset(builtin: readonly KnownTool[], chosen: readonly string[]): Toolset {
  const sources = new Map<KnownTool["origin"], readonly KnownTool[]>([["builtin", builtin]]);
  let active = new Set(chosen);
  /** Names of late tools in the order of their activation: what was sent before keeps its place in the request. */
  let late: readonly string[] = [];
  /** Tools that are kept out, with their descriptions. */
  let leftOut: ReadonlyMap<string, string> = new Map();
  const isOn = ({ tool: { name }, definition }: KnownTool): boolean =>
    active.has(name) && !(leftOut.has(name) && leftOut.get(name) === JSON.stringify(definition));
  const all = (): readonly KnownTool[] => {
    const others = [...sources].filter(([origin]) => origin !== "builtin").flatMap(([, tools]) => tools);
    // Who may bring a tool of a built-in one's name stands in for it: the model must not find two of a name.
    const shadowed = new Set(others.map(({ tool }) => tool.name));
    const own = (sources.get("builtin") ?? []).filter(({ tool }) => !shadowed.has(tool.name));
    const place = ({ tool, isLate }: KnownTool): number => isLate ? 1 + (late.indexOf(tool.name) + 1 || Infinity) : 0;
    return [
      ...own,
      ...others.toSorted((
        one,
        other,
      ) => (place(one) < place(other) ? -1 : place(one) > place(other) ? 1 : byName(one, other))),
    ];
  };
  return {
    active: () => all().filter(isOn),
    views: () =>
      all().map((known) => {
        const { tool: { name, description }, origin } = known;
        return { name, description, active: isOn(known), origin };
      }),
    leaveOut(names) {
      const known = all().filter(({ tool }) => names.includes(tool.name));
      leftOut = new Map(known.map(({ tool, definition }) => [tool.name, JSON.stringify(definition)]));
    },
    choose(names) {
      const known = all();
      active = new Set(names.filter((name) => known.some(({ tool }) => tool.name === name)));
      const on = known.filter(({ tool }) => active.has(tool.name));
      late = on.flatMap(({ tool, isLate }) => isLate ? [tool.name] : []);
      return on.map(({ tool }) => tool.name);
    },
    switchOn: (names) => names.forEach((name) => active.add(name)),
    replace(origin, tools, fresh = tools.map(({ tool }) => tool.name)) {
      const before = new Set(sources.get(origin)?.map(({ tool }) => tool.name));
      sources.set(origin, tools);
      for (const { tool: { name }, isLate } of tools) {
        if (!before.has(name) && (isLate ? late : fresh).includes(name)) active.add(name);
      }
    },
    activate(names, only = false) {
      const left = only ? late.filter((name) => !names.includes(name)) : [];
      for (const name of left) active.delete(name);
      for (const name of names) active.add(name);
      late = [...late.filter((name) => !left.includes(name)), ...names.filter((name) => !late.includes(name))];
    },
  };
}

/** An active tool as the prompt sees it. */
export function promptTool({ tool, origin }: KnownTool): PromptTool {
  return {
    name: tool.name,
    ...(tool.promptSnippet ? { snippet: tool.promptSnippet } : {}),
    ...(tool.promptGuidelines ? { guidelines: tool.promptGuidelines } : {}),
    origin: origin === "builtin" ? "builtin" : "extension",
  };
}

// By code unit and not by locale: the request has to be the same on every machine.
function byName(one: KnownTool, other: KnownTool): number {
  return one.tool.name < other.tool.name ? -1 : one.tool.name > other.tool.name ? 1 : 0;
}
