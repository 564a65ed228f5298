import type { CallToolResult, Client, Tool } from "@modelcontextprotocol/client";
import type { JsonObject } from "../core/json.ts";
import { cleanLine } from "./clean.ts";

/** Resources that one list shows, and pages that are asked for. */
const MOST_RESOURCES = 200;
const MOST_PAGES = 8;

/** The tool that reads resources of a server which has some; this program brings it, in the server's name. */
export const READ_RESOURCE: Tool & { readonly description: string } = {
  name: "read_resource",
  description: "Reads a resource of this server by its uri; without one lists the resources that there are.",
  inputSchema: { type: "object", properties: { uri: { type: "string" } } },
};

/** A call of that tool, answered as a server would answer it. Rejects as requests do. */
export async function readResource(
  client: Client,
  { uri }: JsonObject,
  options: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<CallToolResult> {
  if (typeof uri === "string" && uri !== "") {
    const { contents } = await client.readResource({ uri }, options);
    return { content: contents.map((resource) => ({ type: "resource", resource })) };
  }
  const lines: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && lines.length <= MOST_RESOURCES; page++) {
    const answer = await client.listResources(cursor === undefined ? {} : { cursor }, options);
    for (const { uri, name, description = "" } of answer.resources) {
      lines.push(`${cleanLine(uri, 500)}: ${cleanLine(name, 100)} ${cleanLine(description, 200)}`.trim());
    }
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  const { resourceTemplates } = await client.listResourceTemplates({}, options).catch(() => ({
    resourceTemplates: [],
  }));
  for (const { uriTemplate, name, description = "" } of resourceTemplates) {
    lines.push(
      `${cleanLine(uriTemplate, 500)} (template): ${cleanLine(name, 100)} ${cleanLine(description, 200)}`.trim(),
    );
  }
  const shown = lines.slice(0, MOST_RESOURCES);
  if (shown.length < lines.length || cursor !== undefined) shown.push("(there are more)");
  return { content: [{ type: "text", text: shown.join("\n") || "(no resources)" }] };
}
