import { isAbsolutePath, isFolder } from "../../core/support/on_disk.ts";
import {
  type AgentContext,
  type ClientCapabilities,
  type McpServer,
  RequestError,
  type SessionInfo,
} from "@agentclientprotocol/sdk";
import { resolve } from "@std/path";
import { UserError } from "../../core/error.ts";
import { readHeader } from "../../session/header.ts";
import { isSessionId } from "../../session/identifiers.ts";
import { findSession, listSessions } from "../../session/list.ts";
import { lockSession } from "../../session/lock.ts";
import { type Config, configure } from "../../config/config.ts";
import { withNamedAgent } from "../../engine/resources/agents.ts";
import { firstModel } from "../../engine/model/first_model.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { sessionPlaces } from "../../engine/sessions/session_choice.ts";
import { readVariable, type World } from "../../config/host_environment.ts";
import { type AcpSession, openAcpSession } from "./session.ts";
import type { WrittenServer } from "../../mcp/config.ts";

/** What a client says about a session that it wants. */
export interface WantedSession {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
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
  const resolveConfig = (cwd: string, resume?: string): Config => {
    const { continue: _continue, resume: _resume, fork: _fork, ...values } = invocation.values;
    return configure({ ...invocation, values: { ...values, cwd, ...(resume === undefined ? {} : { resume }) } }, world);
  };
  return {
    async open({ cwd, mcpServers = [], sessionId }, client, capabilities) {
      if (!isAbsolutePath(cwd)) throw RequestError.invalidParams({ cwd }, "cwd must be an absolute path");
      if (!isFolder(cwd)) throw RequestError.invalidParams({ cwd }, "cwd must be a folder that exists");
      try {
        const file = sessionId === undefined ? undefined : fileOf(cwd, sessionId);
        if (sessionId !== undefined && open.has(sessionId)) await close(sessionId);
        if (sessionId !== undefined && file !== undefined) checkLock(sessionId, file);
        const { config, notices } = withServers(await withNamedAgent(resolveConfig(cwd, file)), mcpServers);
        const choice = await firstModel(config, readVariable);
        const session = await openAcpSession({ config, choice, client, capabilities, onLeft: warn });
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
      const { all } = sessionPlaces(resolveConfig(cwd ?? world.cwd));
      return all.flatMap((folder) => listSessions(folder, warn))
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

  /** The file of a session by its whole id: what a client did not get from here is neither a path nor half an id. */
  function fileOf(cwd: string, sessionId: string): string {
    const { root, ...config } = resolveConfig(cwd);
    if (!isSessionId(sessionId)) throw RequestError.sessionNotFound(sessionId);
    let path: string;
    try {
      path = findSession(sessionPlaces({ root, ...config }).all, sessionId);
    } catch (error) {
      throw error instanceof UserError ? RequestError.sessionNotFound(sessionId) : error;
    }
    const { header } = checked(sessionId, () => readHeader(path));
    if (header.id !== sessionId) throw RequestError.sessionNotFound(sessionId);
    if (header.cwd === root) return resolve(path);
    throw RequestError.invalidParams({ sessionId, cwd }, `the session belongs to ${header.cwd}: give that as cwd`);
  }

  async function close(id: string): Promise<void> {
    const session = open.get(id);
    open.delete(id);
    session?.cancel();
    await session?.close();
  }
}

/**
 * A failure as the client is told of it. What a person can mend lies where the client starts this program; everything else
 * keeps its stack for our eyes.
 */
export function asRequestError(error: unknown): unknown {
  if (!(error instanceof UserError)) return error;
  const place = "In the settings of your client, where it starts this agent (arguments, environment)";
  return RequestError.internalError(undefined, `${error.message}. ${place}: ${error.fix}`);
}

/** Throws a failure that has nothing to do with the system as an error of the session. */
function checked<T>(sessionId: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const how = "session/list names those there are, session/new begins one";
    throw RequestError.invalidRequest({ sessionId }, `${error.message}. ${how}`);
  }
}

/** One that another process has open is told of before anything is opened for it. */
function checkLock(sessionId: string, path: string): void {
  try {
    checked(sessionId, () => lockSession(Deno.realPathSync(path), Date.now()).release());
  } catch (error) {
    // Where no lock can be made, the session can still be read.
    if (error instanceof RequestError) throw error;
  }
}

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
