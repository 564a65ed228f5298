import type { McpServer } from "@agentclientprotocol/sdk";
import type { WrittenServer } from "../../mcp/config.ts";
import type { Config } from "../../config/config.ts";

/** A configuration with servers that a client named, and what a person should know about those that are not there. */
export interface WithServers {
  readonly config: Config;
  readonly notices: readonly string[];
}

/**
 * Servers of a client join those of the user's settings and are held to the same scope: programs in the tools' sandbox,
 * addresses within the network scope. A name that the user's settings have stays theirs.
 */
export function withServers(config: Config, servers: readonly McpServer[]): WithServers {
  const own = config.user.mcpServers ?? {};
  const added: Record<string, WrittenServer> = {};
  const notices: string[] = [];
  for (const server of servers) {
    const { name } = server;
    const written = writtenServer(server);
    if (Object.hasOwn(own, name)) notices.push(`the MCP server ${name} is the one of the user's settings`);
    else if (!written) notices.push(`the MCP server ${name} is not started: it speaks SSE, which is not supported`);
    else added[name] = written;
  }
  if (Object.keys(added).length === 0) return { config, notices };
  return { config: { ...config, user: { ...config.user, mcpServers: { ...own, ...added } } }, notices };
}

function writtenServer(server: McpServer): WrittenServer | undefined {
  const pairs = (list: readonly { readonly name: string; readonly value: string }[]): Record<string, string> =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  if ("command" in server) return { command: server.command, args: server.args, env: pairs(server.env) };
  return server.type === "http" ? { url: server.url, headers: pairs(server.headers) } : undefined;
}
