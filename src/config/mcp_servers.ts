import type { WrittenServer } from "../mcp/config.ts";
import type { Config } from "./config.ts";

/** The servers of a configuration by name: the user's, and those of a trusted project that have other names. */
export function serversOf(
  { user, projectServers = {} }: Pick<Config, "user" | "projectServers">,
): Readonly<Record<string, WrittenServer>> {
  return { ...projectServers, ...user.mcpServers };
}

/** Whose server it is: empty for the user's, else the project's folder. */
export function ownerOf({ user, root }: Pick<Config, "user" | "root">, name: string): string {
  return Object.hasOwn(user.mcpServers ?? {}, name) ? "" : root;
}
