import { sha256 } from "../core/support/digest.ts";

/** Longest name that providers take. */
const LONGEST = 64;
/** What of it the server's own name may use, so that something is left for the tool's. */
const LONGEST_SERVER = 24;
/** Hexadecimal digits that tell apart what would be called the same. */
const DIGITS = 8;

/** A tool by the names that its server and the settings have for it. */
export interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

/**
 * The names `mcp__SERVER__TOOL` of all tools, in the order given: at most 64 letters, digits, `_` and `-`, no two alike.
 *
 * A name is cut or shared only where it must be and then ends with a digest of both names, so that it depends on nothing
 * but these and on whether another is called the same.
 */
export function toolNames(tools: readonly NamedTool[]): readonly string[] {
  const plain = tools.map(plainName);
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return plain.map((name, at) => {
    const tool = tools[at];
    const fits = name.length <= LONGEST && counts.get(name) === 1;
    return fits || tool === undefined ? name : marked(name, tool);
  });
}

function plainName({ server, tool }: NamedTool): string {
  return `mcp__${safe(server).slice(0, LONGEST_SERVER)}__${safe(tool)}`;
}

function safe(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_") || "_";
}

function marked(name: string, { server, tool }: NamedTool): string {
  const digest = sha256(JSON.stringify([server, tool])).slice(0, DIGITS);
  return `${name.slice(0, LONGEST - DIGITS - 1)}_${digest}`;
}
