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
import { promptTitle } from "../../core/message.ts";
import { readHeader } from "../../session/header.ts";
import { isSessionId } from "../../session/identifiers.ts";
import { findSession, listSessions } from "../../session/list.ts";
import { lockSession } from "../../session/lock.ts";
import { type Config, configure } from "../../config/config.ts";
import { withNamedAgent } from "../../engine/resources/agents.ts";
import { firstModel } from "../../engine/model/first_model.ts";
import type { Invocation, Values } from "../../config/options/parse.ts";
import { sessionFiles, sessionPlaces } from "../../engine/sessions/session_choice.ts";
import { readVariable, type World } from "../../config/host_environment.ts";
import { type AcpSession, openAcpSession } from "./session.ts";
import type { WrittenServer } from "../../mcp/config.ts";

/** What a client says about a session that it wants. */
export interface WantedSession {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
  /** More directories that the tools may use as the workspace; absolute. */
  readonly additionalDirectories?: readonly string[];
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
  /** Deletes a kept session with all that belongs to it; one that is open is closed first. */
  readonly delete: (id: string) => Promise<void>;
  /** Throws an error of the protocol that says what is missing if no model can be asked. */
  readonly checkKey: () => Promise<void>;
  /** Stops the prompts at hand. */
  readonly cancelAll: () => void;
  readonly closeAll: () => Promise<void>;
}

/** No sessions yet. The command line's options hold for each of them; `warn` hears what a person should know. */
export function createSessions(invocation: Invocation, world: World, warn: (line: string) => void): Sessions {
  const open = new Map<string, AcpSession>();
  const closing = new Map<string, Promise<void>>();
  let isClosed = false;
  const resolveConfig = (cwd: string, resume?: string, more: Values = {}): Config => {
    const { continue: _continue, resume: _resume, fork: _fork, ...values } = invocation.values;
    const own = { ...values, ...more, cwd, ...(resume === undefined ? {} : { resume }) };
    return configure({ ...invocation, values: own }, world);
  };
  /** The configuration with more directories in the scopes of the tools, where the user has not said what these are. */
  const withDirectories = (config: Config, directories: readonly string[], resume?: string): WithServers => {
    const { permissions = {} } = config.settings;
    const isOpen = (kind: "read" | "write"): boolean =>
      invocation.values[`allow-${kind}`] === undefined && permissions[kind] === undefined && world.pack === undefined;
    const added = directories.map((directory) => `+${directory}`);
    const kinds = (["read", "write"] as const).filter(isOpen);
    const closed = (["read", "write"] as const).filter((kind) => !isOpen(kind));
    if (directories.length === 0) return { config, notices: [] };
    const values = Object.fromEntries(kinds.map((kind) => [`allow-${kind}`, added]));
    return {
      config: kinds.length === 0 ? config : resolveConfig(config.invocation.values["cwd"] as string, resume, values),
      notices: closed.map((kind) =>
        `The client's additional directories are not in the ${kind} scope: your own options or settings say what is`
      ),
    };
  };
  return {
    async open({ cwd, mcpServers = [], additionalDirectories = [], sessionId }, client, capabilities) {
      checkDirectory("cwd", cwd);
      for (const directory of additionalDirectories) checkDirectory("additionalDirectories", directory);
      try {
        const file = sessionId === undefined ? undefined : fileOf(cwd, sessionId);
        if (sessionId !== undefined) await close(sessionId);
        if (sessionId !== undefined && file !== undefined) checkLock(resolveConfig(cwd), sessionId, file);
        const wider = withDirectories(resolveConfig(cwd, file), additionalDirectories, file);
        const { config, notices } = withServers(await withNamedAgent(wider.config), mcpServers);
        const choice = await firstModel(config, readVariable);
        const session = await openAcpSession({ config, choice, client, capabilities, onLeft: warn });
        if (isClosed) await session.close();
        open.set(session.id, session);
        const told = [...session.engine.notices, ...wider.notices, ...notices];
        for (const notice of told) warn(notice);
        session.keepNotices(told);
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
          ...(name || firstMessage ? { title: name ?? titleOf(firstMessage) } : {}),
        }));
    },
    close,
    async delete(id) {
      if (!isSessionId(id)) throw RequestError.sessionNotFound(id);
      await close(id);
      const { deleteSession } = await import("../../engine/sessions/kept_sessions.ts");
      const config = resolveConfig(world.cwd);
      let path: string;
      try {
        path = findSession(sessionPlaces(config).all, id);
        if (readHeader(path).header.id !== id) throw RequestError.sessionNotFound(id);
      } catch (error) {
        throw error instanceof UserError ? RequestError.sessionNotFound(id) : error;
      }
      checked(id, () => deleteSession(config, path));
    },
    async checkKey() {
      try {
        await firstModel(resolveConfig(world.cwd), readVariable);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        throw RequestError.authRequired(undefined, `${error.message}. ${error.fix}`);
      }
    },
    cancelAll() {
      for (const session of open.values()) session.cancel();
    },
    async closeAll() {
      isClosed = true;
      await Promise.all([...open.keys(), ...closing.keys()].map(close));
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

  /** Settles when the session is closed, also if another request has begun that. */
  async function close(id: string): Promise<void> {
    const session = open.get(id);
    if (session === undefined) return await closing.get(id);
    open.delete(id);
    session.cancel();
    const closed = session.close().finally(() => closing.delete(id));
    closing.set(id, closed);
    await closed;
  }
}

function checkDirectory(name: string, path: string): void {
  if (!isAbsolutePath(path)) throw RequestError.invalidParams({ [name]: path }, `${name} must be an absolute path`);
  if (!isFolder(path)) throw RequestError.invalidParams({ [name]: path }, `${name} must be a folder that exists`);
}

/** A first message as a title: as `promptTitle` shows it, without the signs of Markdown. */
export function titleOf(firstMessage: string): string {
  return promptTitle(firstMessage).replace(/[`*]{2,}|`|^#+\s/g, "").trim() || firstMessage;
}

/**
 * Converts an error for the ACP client. User errors point to the client's agent configuration; internal errors keep their
 * stack.
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
function checkLock(config: Config, sessionId: string, path: string): void {
  try {
    checked(sessionId, () => lockSession(Deno.realPathSync(path), Date.now(), sessionFiles(config, path)).release());
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
