import {
  type AgentContext,
  type ClientCapabilities,
  type McpServer,
  RequestError,
  type SessionInfo,
} from "@agentclientprotocol/sdk";
import { isAbsolute } from "@std/path";
import { UserError } from "../../core/error.ts";
import { listSessions } from "../../session/list.ts";
import { type Config, configure } from "../config.ts";
import { firstModel } from "../first_model.ts";
import type { Invocation } from "../parse.ts";
import { sessionPlaces } from "../session_choice.ts";
import { readVariable, type World } from "../world.ts";
import { withServers } from "./mcp_servers.ts";
import { type AcpSession, openAcpSession } from "./session.ts";

/** What a client says about a session that it wants. */
export interface WantedSession {
  readonly cwd: string;
  readonly mcpServers: readonly McpServer[];
  /** Of a kept session. */
  readonly sessionId?: string;
}

/** The sessions of one client. */
export interface Sessions {
  readonly open: (
    wanted: WantedSession,
    client: AgentContext,
    capabilities?: ClientCapabilities,
  ) => Promise<AcpSession>;
  /** Throws RequestError for one that is not open. */
  readonly get: (id: string) => AcpSession;
  readonly list: (cwd: string | undefined) => readonly SessionInfo[];
  readonly close: (id: string) => Promise<void>;
  /** Stops the prompts at hand. */
  readonly cancelAll: () => void;
  readonly closeAll: () => Promise<void>;
}

/** No sessions yet. The command line's options hold for each of them; `warn` hears what a person should know. */
export function createSessions(invocation: Invocation, world: World, warn: (line: string) => void): Sessions {
  const open = new Map<string, AcpSession>();
  let isClosed = false;
  const configOf = (cwd: string, resume?: string): Config => {
    const { continue: _continue, resume: _resume, fork: _fork, ...values } = invocation.values;
    return configure({ ...invocation, values: { ...values, cwd, ...(resume === undefined ? {} : { resume }) } }, world);
  };
  return {
    async open({ cwd, mcpServers, sessionId }, client, capabilities) {
      if (!isAbsolute(cwd)) throw RequestError.invalidParams({ cwd }, "cwd must be an absolute path");
      if (sessionId !== undefined && open.has(sessionId)) await close(sessionId);
      try {
        const { config, notices } = withServers(configOf(cwd, sessionId), mcpServers);
        const choice = await firstModel(config, readVariable);
        const session = await openAcpSession({ config, choice, client, capabilities });
        if (isClosed) await session.close();
        open.set(session.id, session);
        for (const notice of [...session.engine.notices, ...notices]) warn(notice);
        return session;
      } catch (error) {
        throw asRequestError(error);
      }
    },
    get(id) {
      const session = open.get(id);
      if (!session) throw RequestError.resourceNotFound(id);
      return session;
    },
    list(cwd) {
      const { all } = sessionPlaces(configOf(cwd ?? world.cwd));
      return all.flatMap(listSessions)
        .filter((summary) => cwd === undefined || summary.cwd === cwd)
        .toSorted((one, other) => other.modified.getTime() - one.modified.getTime())
        .map(({ id, cwd, name, modified, firstMessage }) => ({
          sessionId: id,
          cwd,
          updatedAt: modified.toISOString(),
          // What was said first, as in the program's own list.
          ...(name || firstMessage ? { title: name ?? firstMessage } : {}),
        }));
    },
    close,
    cancelAll() {
      for (const session of open.values()) session.cancel();
    },
    async closeAll() {
      isClosed = true;
      await Promise.all(Array.from(open.keys(), close));
    },
  };

  async function close(id: string): Promise<void> {
    const session = open.get(id);
    open.delete(id);
    session?.cancel();
    await session?.close();
  }
}

/** What a person can mend is told to the client whole; everything else keeps its stack for our eyes. */
export function asRequestError(error: unknown): unknown {
  return error instanceof UserError ? RequestError.internalError(undefined, `${error.message}. ${error.fix}`) : error;
}
