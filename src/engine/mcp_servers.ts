import { join } from "@std/path";
import type { Policy } from "../core/policy.ts";
import type { SessionStore } from "../core/session.ts";
import type { Config } from "../config/config.ts";
import type { Conversation } from "./conversation.ts";
import { isThere } from "../core/support/on_disk.ts";
import type { McpPrompt } from "../mcp/open.ts";
import type { SessionMcp } from "./mcp/mcp.ts";
import type { ModelChoice } from "./model/model.ts";
import type { KnownTool } from "./tools/toolset.ts";

/** The servers of a session, as far as the engine has to do with them. */
export interface McpServers {
  /** Waits for those that are still starting; their tools where these are others than at the last call. */
  readonly take: (signal: AbortSignal) => Promise<readonly KnownTool[] | undefined>;
  /** The same without waiting, in the middle of a run. */
  readonly takeNow: () => readonly KnownTool[] | undefined;
  /** The prompts of those that are ready. */
  readonly prompts: () => readonly McpPrompt[];
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
  /** Makes tools active that `tool_search` has found. */
  readonly activate: (names: readonly string[]) => void;
}

/** Starts the servers of the user's settings; their code is loaded with the first that somebody names, else never. */
export function openMcpServers({ config, onNotice, ...rest }: McpServersOptions): McpServers | undefined {
  const hasOwn = Object.keys(config.user.mcpServers ?? {}).length > 0;
  const mayBring = config.trusted && isThere(join(config.root, ".mcp.json"));
  if ((!hasOwn && !mayBring) || config.invocation.values["no-tools"]) return undefined;
  let listener: ((servers: readonly string[]) => void) | undefined;
  let hasChanged = false;
  let isStale = true;
  let here: SessionMcp | undefined;
  let ready: SessionMcp | undefined;
  const named = (opened: SessionMcp): readonly string[] =>
    opened.states().filter(({ tools }) => tools > 0).map(({ name }) => name);
  const opening = import("./mcp/mcp.ts").then(async ({ openSessionMcp }) => {
    const { ownerOf, serversOf, serverWords } = await import("../config/project_servers.ts");
    const { servers, warnings } = serversOf(config);
    warnings.forEach((warning) => onNotice(warning));
    const brought = Object.entries(servers).filter(([name]) => ownerOf(config, name) !== "");
    if (brought.length > 0) {
      const words = brought.map(([name, server]) => `${name} (${serverWords(server)})`);
      onNotice(`MCP servers of this project: ${words.join(", ")}`);
    }
    const opened = here = openSessionMcp({ config, servers, onNotice, ...rest });
    opened.onChanged(() => {
      hasChanged = isStale = true;
      listener?.(named(opened));
    });
    return opened;
  });
  let last = "";
  const takeNow = (): readonly KnownTool[] | undefined => {
    if (!ready || !isStale) return undefined;
    isStale = false;
    const known = ready.known();
    const now = JSON.stringify(known.map(({ definition }) => definition));
    if (now === last) return undefined;
    last = now;
    return known;
  };
  return {
    async take(signal) {
      const opened = await opening;
      await opened.ready(signal);
      ready = opened;
      return takeNow();
    },
    takeNow,
    prompts: () => here?.prompts() ?? [],
    listen(next) {
      listener = next;
      if (hasChanged) void opening.then((opened) => next(named(opened)));
    },
    close: async () => void await (await opening.catch(() => undefined))?.close(),
  };
}

/** The custom type of entries that name the tools which a search has made active. */
const ACTIVATED = "activated_tools";

/** Keeps with the session which tools a search has made active. */
export function keepActivated(conversation: Pick<Conversation, "append">, names: readonly string[]): void {
  conversation.append({ type: "custom", customType: ACTIVATED, data: { names: [...names] } });
}

/** The names of the tools that searches of a session have made active, in that order. */
export function activatedIn(store: Pick<SessionStore, "entries">): readonly string[] {
  const names = store.entries().flatMap((entry) => {
    if (entry.type !== "custom" || entry.customType !== ACTIVATED) return [];
    const { data } = entry;
    const found = typeof data === "object" && data !== null && "names" in data ? data.names : undefined;
    return Array.isArray(found) ? found.filter((name) => typeof name === "string") : [];
  });
  return [...new Set(names)];
}
