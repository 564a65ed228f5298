/**
 * How a server's tools reach the model: `all` with every request, schemas included; `search`: none until `tool_search`
 * has found it; `names`: by name alone, until `tool_search` is given the name.
 */
export type Exposure = "all" | "search" | "names";

/** What every server may say, whatever kind it is of. Times in milliseconds. */
interface ServerCommon {
  /** As other programs write it; which kind a server is of, its other keys say. */
  readonly type?: "stdio" | "http" | "streamable-http" | "sse";
  /** From its start until its tools are known; 10,000 unless told otherwise. */
  readonly startMs?: number;
  /** Of one call; 60,000 unless told otherwise. */
  readonly callMs?: number;
  /** `all` unless told otherwise. */
  readonly exposure?: Exposure;
  /** Whether the server may ask the user for input; false unless told otherwise. */
  readonly elicitation?: boolean;
  /** Whether the server may have the model answer, after the user has allowed it each time; false unless told otherwise. */
  readonly sampling?: boolean;
}

/** A server that is a program: it speaks over its standard input and output. */
export interface StdioServer extends ServerCommon {
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables beside those that tools have. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of variables of the user's own environment that it gets besides. */
  readonly envFrom?: readonly string[];
  /** The workspace unless told otherwise. */
  readonly cwd?: string;
}

/** A server at an address: streamable HTTP. */
export interface HttpServer extends ServerCommon {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Header → name of the variable that holds its value. */
  readonly headerEnv?: Readonly<Record<string, string>>;
  /** For a server that wants a login in a browser; most need nothing here. */
  readonly oauth?: {
    /** Of a client that was registered beforehand, where the server registers none by itself. */
    readonly clientId?: string;
    /** Name of the variable that holds the secret of that client, which is never kept. */
    readonly clientSecretEnv?: string;
    /** Without a user: the client's own id and secret are enough. `authorization_code` unless told otherwise. */
    readonly grant?: "authorization_code" | "client_credentials";
    /** Port of the loopback address that the browser comes back to; any free one unless told otherwise. */
    readonly callbackPort?: number;
    /** What to ask for, in place of what the server names. */
    readonly scope?: string;
  };
}

export type McpServer = StdioServer | HttpServer;

/** What a settings file may hold for a server: any of the keys. */
export type WrittenServer = Partial<StdioServer> & Partial<HttpServer>;

const START_MS = 10_000;
const CALL_MS = 60_000;
/** As timers take it. */
const LONGEST_MS = 2 ** 31 - 1;

/** Of keys that belong to the one kind, which one stands in the way of the other. */
const STDIO_KEYS = ["command", "args", "env", "envFrom", "cwd"] as const;
const HTTP_KEYS = ["url", "headers", "headerEnv", "oauth"] as const;

/** The server that was written, or why it is none, as a clause. */
export function readServer(written: WrittenServer): McpServer | { readonly why: string } {
  const { command, url } = written;
  if (command !== undefined && url !== undefined) return { why: "it has both a command and a url; keep one" };
  if (command === undefined && url === undefined) return { why: 'it has neither a "command" nor a "url"' };
  const { type } = written;
  if (type === "sse") return { why: 'its type "sse" (HTTP with a separate stream of events) is not supported' };
  if (type !== undefined && (type === "stdio") !== (command !== undefined)) {
    return { why: `its type is "${type}", but it has a ${command === undefined ? "url" : "command"}` };
  }
  const foreign = (command === undefined ? STDIO_KEYS : HTTP_KEYS).find((key) => written[key] !== undefined);
  if (foreign !== undefined) {
    return { why: `"${foreign}" is not for a server with a ${command === undefined ? "url" : "command"}` };
  }
  if (command === "") return { why: "its command is empty" };
  // One of the two is there and nothing of the other kind, as was just looked at.
  return command === undefined ? written as HttpServer : written as StdioServer;
}

/** Whether a server is a program. */
export function isStdio(server: McpServer): server is StdioServer {
  return "command" in server;
}

/** The times of a server with the defaults. */
export function timesOf(
  { startMs = START_MS, callMs = CALL_MS }: McpServer,
): Required<Pick<ServerCommon, "startMs" | "callMs">> {
  return { startMs: Math.min(startMs, LONGEST_MS), callMs: Math.min(callMs, LONGEST_MS) };
}
