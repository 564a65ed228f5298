import { readProjectFile } from "./settings/settings.ts";
import { join } from "@std/path";
import { messageOf } from "../core/error.ts";
import { isObject, type JsonValue } from "../core/json.ts";
import { cleanLine } from "../mcp/clean.ts";
import { readServer, type WrittenServer } from "../mcp/config.ts";
import type { Config } from "./config.ts";
import { misfit } from "./settings/shape.ts";
import { SETTINGS } from "./settings/settings_table.ts";

/** The file in which projects name servers, as other programs read it too. */
export const PROJECT_SERVERS = ".mcp.json";

/** Servers of a project, and what is wrong with the others. */
export interface ProjectServers {
  readonly servers: Readonly<Record<string, WrittenServer>>;
  readonly warnings: readonly string[];
}

/** Of what a server would start, as people see it, characters. */
const LONGEST_WORDS = 1_000;
/** More than anybody writes by hand. */
const MAX_BYTES = 256 * 1024;
/** What a server may say here: nothing that names the user's own variables or accounts. */
const KEYS = ["type", "command", "args", "env", "cwd", "url", "headers", "startMs", "callMs", "exposure"] as const;
/** Keys that would take something of the user's; such a server is left out. */
const USERS = ["envFrom", "headerEnv", "oauth", "elicitation", "sampling"] as const;

/**
 * Reads the servers that a project names in `.mcp.json`: `{"mcpServers": {NAME: {…}}}`. To be called for a trusted project
 * alone. What only other programs know is passed over; never throws, a file that cannot be used is a warning.
 */
export function readProjectServers(root: string): ProjectServers {
  const path = join(root, PROJECT_SERVERS);
  let text: string;
  try {
    text = readProjectFile(path, root, MAX_BYTES);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) return NONE;
    return { servers: {}, warnings: [`${path} is not used: ${messageOf(error)}`] };
  }
  try {
    const value: JsonValue = JSON.parse(text.replace(/^\ufeff/, ""));
    const listed = isObject(value) ? value["mcpServers"] : undefined;
    if (listed === undefined || !isObject(listed)) throw new Error('it holds no object "mcpServers"');
    return readEach(path, listed);
  } catch (error) {
    return { servers: {}, warnings: [`${path} is not used: ${messageOf(error)}`] };
  }
}

const NONE: ProjectServers = { servers: {}, warnings: [] };

function readEach(path: string, listed: Readonly<Record<string, JsonValue>>): ProjectServers {
  const servers: Record<string, WrittenServer> = {};
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(listed)) {
    const why = whyNot(name, value);
    if (why !== undefined) {
      warnings.push(`${path}: the MCP server ${JSON.stringify(name.slice(0, 64))} is left out: ${why}`);
      continue;
    }
    const fields = value as Readonly<Record<string, unknown>>; // looked at by whyNot
    servers[name] = Object.fromEntries(KEYS.flatMap((key) => key in fields ? [[key, fields[key]]] : []));
  }
  return { servers, warnings };
}

function whyNot(name: string, value: JsonValue): string | undefined {
  if (!/^[\w.-]{1,64}$/.test(name)) return 'its name is not of letters, digits, "_", "-" and "."';
  if (!isObject(value)) return "it is no object";
  const users = USERS.find((key) => key in value);
  if (users !== undefined) {
    return `"${users}" is for your own settings: a project names none of your variables or clients`;
  }
  const known = Object.fromEntries(KEYS.flatMap((key) => key in value ? [[key, value[key]]] : []));
  if (/\$\{/.test(JSON.stringify(known))) {
    return "it names variables of yours (${…}), which a project's server does not get";
  }
  const wrong = misfit({ [name]: known }, SETTINGS.mcpServers.shape, "mcpServers");
  if (wrong !== undefined) return wrong;
  const read = readServer(known as WrittenServer); // of the shape that was just checked
  return "why" in read ? read.why : undefined;
}

/** All servers of a configuration: the user's, and those of a trusted project that have other names. */
export function serversOf({ user, root, trusted }: Pick<Config, "user" | "root" | "trusted">): ProjectServers {
  const { servers, warnings } = trusted ? readProjectServers(root) : NONE;
  return { servers: { ...servers, ...user.mcpServers }, warnings };
}

/** Whose server it is: empty for the user's, else the project's folder. */
export function ownerOf({ user, root }: Pick<Config, "user" | "root">, name: string): string {
  return Object.hasOwn(user.mcpServers ?? {}, name) ? "" : root;
}

/** What a server would start or reach, for people who are asked: one line, whatever the file holds. */
export function serverWords({ command, args = [], url }: WrittenServer): string {
  return cleanLine(url ?? [command ?? "", ...args].join(" "), LONGEST_WORDS);
}
