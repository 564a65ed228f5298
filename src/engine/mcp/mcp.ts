import type { Config } from "../../config/config.ts";
import { ownerOf } from "../../config/project_servers.ts";
import type { Policy } from "../../core/policy.ts";
import { VERSION } from "../../core/version.ts";
import type { StdioServer, WrittenServer } from "../../mcp/config.ts";
import type { McpDeps } from "../../mcp/deps.ts";
import { requestAuth } from "../../mcp/login.ts";
import { type McpServers, type McpTool, openMcp } from "../../mcp/open.ts";
import { thisProgram } from "../../sandbox/confine/self.ts";
import { serverFolder, serverProgram } from "../../sandbox/policy/server_program.ts";
import { SESSION_VARIABLE } from "../../sandbox/process/leftovers.ts";
import { startServer } from "../../sandbox/shell/server.ts";
import { openSupervisor, type Supervisor } from "../../sandbox/shell/supervisor.ts";
import type { ModelChoice } from "../model/model.ts";
import { hideForms, secretForms } from "../../core/support/hide_secrets.ts";
import { given, openSecrets, type Secrets, sharedSecrets } from "../model/secrets.ts";
import { cacheRoot } from "../sessions/session_folders.ts";
import { recordSession } from "../sessions/session_record.ts";
import { foreignTool } from "../tools/foreign_tool.ts";
import type { KnownTool } from "../tools/toolset.ts";
import { httpWay } from "./http.ts";
import { loginFetch, loginStore } from "./logins.ts";
import { toolSearch } from "./tool_search.ts";

/** What the servers of a session are opened with. */
export interface SessionMcpOptions {
  readonly config: Pick<Config, "world" | "stateFolder" | "user" | "root">;
  /** From the user's own settings; a project's never count, whatever it is trusted with. */
  readonly servers: Readonly<Record<string, WrittenServer>>;
  readonly choice: ModelChoice;
  /** What holds at the moment; a server that is started later runs under what holds then. */
  readonly policy: () => Policy;
  /** One sentence for a person. */
  readonly onNotice: (sentence: string) => void;
  /** Makes tools active that were found, from the next request on. */
  readonly activate: (names: readonly string[]) => void;
  /** See McpDeps. */
  readonly user?: McpDeps["user"];
  readonly sample?: McpDeps["sample"];
}

/** The servers of a session, with their tools in the session's own form. */
export interface SessionMcp extends McpServers {
  readonly known: () => readonly KnownTool[];
}

/**
 * Starts the servers of the user's settings in the background: programs in the tools' sandbox, addresses within its
 * network scope. Closing ends them with everything that they started.
 */
export function openSessionMcp(
  { config, servers, choice, policy, onNotice, activate, user, sample }: SessionMcpOptions,
): SessionMcp {
  const secrets = openSecrets(config, choice);
  const session = crypto.randomUUID();
  let forget: (() => void) | undefined;
  let supervisor: Supervisor | undefined;
  const logins = loginFetch(() => policy().net);
  const deps: McpDeps = {
    startProcess(server) {
      if (!config.world.mayRun) throw new Error("this process may not start others");
      // Before anything can be left behind.
      forget ??= recordSession(cacheRoot(config.world.env), session);
      supervisor ??= openSupervisor(policy());
      const now = policy();
      const env = { ...now.env, ...variables(server, secrets), [SESSION_VARIABLE]: session };
      const cwd = serverFolder(server.cwd ?? now.root, now);
      const argv = [serverProgram(server.command, now), ...server.args ?? []];
      if (argv.some((word) => secrets.isKey("", word))) throw new Error("its arguments hold the model's key");
      return startServer({ argv, cwd, env: { ...env, PWD: cwd } }, { policy: now, self: thisProgram(), supervisor });
    },
    openHttp: (server) => httpWay(server, policy().net, secrets),
    auth: (name, server) =>
      requestAuth(
        name,
        server,
        loginStore(config.stateFolder, server.url, ownerOf(config, name)),
        logins,
        secrets.hide,
        (variable) => {
          const value = given(variable, secrets);
          if (secrets.isKey(variable, value)) {
            throw new Error(`${variable} holds the model's key, which no server gets`);
          }
          return value;
        },
      ),
    ...(user ? { user } : {}),
    ...(sample ? { sample } : {}),
    scrub: secrets.scrub,
    limits: policy().limits,
    onNotice,
    client: { name: "sandpiper", version: VERSION },
  };
  const opened = openMcp(servers, deps);
  /** A server may repeat its own token: no result has one in it. */
  const withoutTokens = (tool: McpTool): McpTool => ({
    ...tool,
    run: async (...call) => hideForms(await tool.run(...call), secretForms([...sharedSecrets(config.world)])),
  });
  return {
    ...opened,
    known: () => mcpTools(opened.tools().map(withoutTokens), activate),
    async close() {
      await opened.close();
      await supervisor?.close();
      for (const line of supervisor?.notes() ?? []) onNotice(`A server of MCP: ${line}`);
      forget?.();
    },
  };
}

/** Variables of the settings, and those that they name; the model's key is never among them. */
function variables({ env = {}, envFrom = [] }: StdioServer, secrets: Secrets): Record<string, string> {
  const all = { ...env, ...Object.fromEntries(envFrom.map((name) => [name, given(name, secrets)])) };
  for (const [name, value] of Object.entries(all)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new Error(`"${name}" is no name for a variable`);
    if (secrets.isKey(name, value)) throw new Error(`${name} holds the model's key, which no server gets`);
  }
  return all;
}

/** Tools of servers as tools of the session, and the tool that finds those that wait to be asked for. */
export function mcpTools(
  tools: readonly McpTool[],
  activate: (names: readonly string[]) => void,
): readonly KnownTool[] {
  const search = toolSearch(tools, activate);
  const known = tools.map((tool) => foreignTool(tool, "mcp", tool.run, tool.exposure !== "all"));
  return search ? [...known, search] : known;
}
