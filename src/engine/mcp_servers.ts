import type { Policy } from "../core/policy.ts";
import type { Config } from "../config/config.ts";
import type { SessionMcp } from "./mcp/mcp.ts";
import type { ModelChoice } from "./model/model.ts";
import type { KnownTool } from "./tools/toolset.ts";

/** The servers of a session, as far as the engine has to do with them. */
export interface McpServers {
  /** Waits for those that are still starting; their tools where these are others than at the last call. */
  readonly take: (signal: AbortSignal) => Promise<readonly KnownTool[] | undefined>;
  /** From now on `listener` hears which servers have tools whenever those change, and at once when they have already. */
  readonly listen: (listener: (servers: readonly string[]) => void) => void;
  readonly close: () => Promise<void>;
}

/** What servers are opened with. */
export interface McpServersOptions {
  readonly config: Config;
  readonly choice: ModelChoice;
  readonly policy: () => Policy;
  readonly onNotice: (sentence: string) => void;
}

/** Starts the servers of the user's settings; their code is loaded with the first that somebody names, else never. */
export function openMcpServers({ config, ...rest }: McpServersOptions): McpServers | undefined {
  const servers = config.user.mcpServers ?? {};
  if (Object.keys(servers).length === 0 || config.invocation.values["no-tools"]) return undefined;
  let listener: ((servers: readonly string[]) => void) | undefined;
  let hasChanged = false;
  const named = (opened: SessionMcp): readonly string[] =>
    opened.states().filter(({ tools }) => tools > 0).map(({ name }) => name);
  const opening = import("./mcp/mcp.ts").then(({ openSessionMcp }) => {
    const opened = openSessionMcp({ config, servers, ...rest });
    opened.onChanged(() => {
      hasChanged = true;
      listener?.(named(opened));
    });
    return opened;
  });
  let last = "";
  return {
    async take(signal) {
      const opened = await opening;
      await opened.ready(signal);
      const known = opened.known();
      const now = JSON.stringify(known.map(({ definition }) => definition));
      if (now === last) return undefined;
      last = now;
      return known;
    },
    listen(next) {
      listener = next;
      if (hasChanged) void opening.then((opened) => next(named(opened)));
    },
    close: async () => void await (await opening.catch(() => undefined))?.close(),
  };
}
