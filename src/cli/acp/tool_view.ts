import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { isAbsolute, join, normalize } from "@std/path";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { ToolResult } from "../../core/tool_result.ts";

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: "read",
  read_skill: "read",
  fetch: "fetch",
  web_search: "fetch",
  ls: "search",
  find: "search",
  grep: "search",
  edit: "edit",
  write: "edit",
  bash: "execute",
};

/** Longest title of a call, characters. */
const TITLE = 200;

/** Where paths of a session begin. */
export interface Places {
  readonly root: string;
  readonly home: string;
}

/** What a client shows of a call before it runs. */
export interface ToolView {
  readonly title: string;
  readonly kind: ToolKind;
  readonly locations: ToolCallLocation[];
  /** What an edit changes; empty for everything else. */
  readonly content: ToolCallContent[];
}

/** A call as a client shows it: all paths absolute, lines from 1 (X22, X23). */
export function toolView(name: string, args: JsonObject, places: Places): ToolView {
  const kind = KINDS[name] ?? "other";
  const path = textIn(args["path"]);
  const place = path === undefined || kind === "other" ? undefined : absolute(path, places);
  const line = name === "read" && typeof args["offset"] === "number" ? Math.max(1, args["offset"]) : undefined;
  return {
    title: [...titleOf(name, args, place)].slice(0, TITLE).join("").replace(/\s+/g, " "),
    kind,
    locations: place === undefined ? [] : [{ path: place, ...(line === undefined ? {} : { line }) }],
    content: place === undefined ? [] : changesOf(name, args, place),
  };
}

/**
 * What a result shows. A picture stays one. Clients take text for Markdown: what files and programs say is fenced, so that
 * it is shown as it is; other tools may mean it.
 */
export function resultContent(result: Pick<ToolResult, "content">, kind: ToolKind): ToolCallContent[] {
  return result.content.map((part) => ({
    type: "content",
    content: part.type === "text"
      ? { type: "text", text: kind === "other" ? part.text : fenced(part.text) }
      : { type: "image", data: part.data, mimeType: part.mimeType },
  }));
}

/** The shortest fence that does not occur in the text. */
function fenced(text: string): string {
  if (text.trim() === "") return text;
  let length = 3;
  for (const [ticks] of text.matchAll(/`{3,}/g)) length = Math.max(length, ticks.length + 1);
  const fence = "`".repeat(length);
  return `${fence}\n${text.replace(/\n$/, "")}\n${fence}`;
}

function titleOf(name: string, args: JsonObject, place: string | undefined): string {
  const what = textIn(args["command"]) ?? textIn(args["pattern"]) ?? place;
  return name === "bash" && what !== undefined ? what : what === undefined ? name : `${name} ${what}`;
}

function changesOf(name: string, args: JsonObject, path: string): ToolCallContent[] {
  const content = textIn(args["content"]);
  if (name === "write") return content === undefined ? [] : [{ type: "diff", path, newText: content }];
  if (name !== "edit") return [];
  const edits: readonly JsonValue[] = isList(args["edits"]) ? args["edits"] : [args];
  return edits.flatMap((edit): ToolCallContent[] => {
    if (typeof edit !== "object" || edit === null || isList(edit)) return [];
    const [oldText, newText] = [textIn(edit["oldText"]), textIn(edit["newText"])];
    return oldText === undefined || newText === undefined ? [] : [{ type: "diff", path, oldText, newText }];
  });
}

function absolute(path: string, { root, home }: Places): string {
  const plain = path.replace(/^@/, "");
  if (plain === "~" || plain.startsWith("~/")) return normalize(join(home, plain.slice(1)));
  return normalize(isAbsolute(plain) ? plain : join(root, plain));
}

function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
