import type { Tool } from "@modelcontextprotocol/client";
import * as z from "zod/mini";
import { isObject, type JsonObject } from "../core/json.ts";
import { cleanLine, cleanText } from "./clean.ts";
import { headerFault } from "./header_parameters.ts";
import { MOST_TOOLS } from "./connection.ts";
import { cleanSchema } from "./tool_schema.ts";

/** Of a tool's name, UTF-16 units. */
const MAX_NAME = 256;
/** Of one tool's description, Unicode characters. */
const LONGEST_DESCRIPTION = 2_000;
/** Of all schemas and descriptions of one server, characters: they go out with every request. */
const LONGEST_LIST = 131_072;

/** A tool of one server as far as the model sees it, and as the server knows it. */
export interface ListedTool {
  readonly raw: Tool;
  readonly description: string;
  readonly parameters: JsonObject;
}

const text = z.catch(z.optional(z.string()), undefined);
/** As much of a tool as is looked at: what a server says beside that may be as wrong as it likes. */
const listedTool = z.object({
  name: z.string(),
  title: text,
  description: text,
  inputSchema: z.optional(z.unknown()),
  execution: z.catch(z.optional(z.object({ taskSupport: text })), undefined),
});

const NAMELESS: z.infer<typeof listedTool> = { name: "" };

/**
 * The tools that can be used of a list that a server sent, by name in the order of code units (X16), and what a person
 * should know about the others. Annotations are not kept: what a server says of itself decides nothing (X18).
 */
export function usableTools(
  server: string,
  list: readonly unknown[],
  sendsHeaders = false,
): { readonly tools: readonly ListedTool[]; readonly notices: readonly string[] } {
  const notices: string[] = [];
  const tools: ListedTool[] = [];
  const names = new Set<string>();
  let size = 0;
  const read = list.map((tool) => listedTool.safeParse(tool).data ?? NAMELESS);
  for (const raw of read.sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0)) {
    const shown = cleanLine(raw.name, 60);
    const schema = cleanSchema(raw.inputSchema);
    const headers = sendsHeaders ? headerFault(raw.inputSchema) : undefined;
    const description = `(MCP server "${server}") ${cleanText(raw.description ?? raw.title ?? "", LONGEST_DESCRIPTION)}`
      .trim();
    if (raw.name === "") notices.push("a tool without a name is left out");
    else if (raw.name.length > MAX_NAME) {
      notices.push(`the tool "${shown}" is left out: its name has more than ${MAX_NAME} characters`);
    } else if (names.has(raw.name)) notices.push(`the tool "${shown}" is listed twice; one is left out`);
    else if (raw.execution?.taskSupport === "required") {
      notices.push(`the tool "${shown}" is left out: it runs only as a task, which is not supported`);
    } else if (headers !== undefined) notices.push(`the tool "${shown}" is left out: ${headers}`);
    else if ("why" in schema) notices.push(`the tool "${shown}" is left out: ${schema.why}`);
    else if (tools.length >= MOST_TOOLS) {
      notices.push(`it has more than ${MOST_TOOLS} tools; the others are left out`);
      break;
    } else if ((size += description.length + JSON.stringify(schema.parameters).length) > LONGEST_LIST) {
      notices.push(`its tools from "${shown}" on are left out: together their descriptions are too long`);
      break;
    } else {
      names.add(raw.name);
      // The server gets its own schema back as it is, if it has one.
      const inputSchema = (isObject(raw.inputSchema) ? raw.inputSchema : { type: "object" }) as Tool["inputSchema"];
      tools.push({
        raw: { name: raw.name, inputSchema },
        description,
        parameters: schema.parameters,
      });
    }
  }
  return { tools, notices };
}

/** What changed between two lists, as a clause for a person; undefined where nothing did. */
export function changeOf(before: readonly ListedTool[], after: readonly ListedTool[]): string | undefined {
  const texts = (tools: readonly ListedTool[]): Map<string, string> =>
    new Map(tools.map(({ raw, description, parameters }) => [raw.name, JSON.stringify([description, parameters])]));
  const [old, now] = [texts(before), texts(after)];
  const names = (all: readonly string[]): string => all.slice(0, 8).map((name) => cleanLine(name, 60)).join(", ");
  const added = [...now.keys()].filter((name) => !old.has(name));
  const removed = [...old.keys()].filter((name) => !now.has(name));
  const changed = [...now].filter(([name, text]) => old.has(name) && old.get(name) !== text).map(([name]) => name);
  const clauses = [
    ...(added.length > 0 ? [`new: ${names(added)}`] : []),
    ...(removed.length > 0 ? [`gone: ${names(removed)}`] : []),
    ...(changed.length > 0 ? [`described otherwise: ${names(changed)}`] : []),
  ];
  return clauses.length > 0 ? clauses.join("; ") : undefined;
}
