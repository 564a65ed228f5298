import type { Limits } from "../core/policy.ts";
import type { HttpServer, StdioServer } from "./config.ts";
import type { AskUser, SamplingRequest } from "./user_input.ts";
import type { RequestAuth } from "./login.ts";

/** A server's process: confined, with both ends of its pipes in our hands. */
export interface ServerPipe {
  readonly pid: number;
  /** To be read to its end. */
  readonly output: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Rejects when nobody reads any more. */
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Why it ended, as a clause; untrusted where it quotes the program. Never rejects. */
  readonly ended: Promise<string>;
  /** What the sandbox undid or denied since this was last asked, one line each. */
  notes(): readonly string[];
  /** Ends it with everything that it started. Safe to call twice. */
  end(): Promise<void>;
}

/** The way to a server at an address. */
export interface HttpWay {
  /** Goes to the server's own origin and to no other; adds the headers of the settings. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** What the network scope denied since this was last asked, one line each. */
  notes(): readonly string[];
  close(): void;
}

/** All that servers need from the rest of the program. */
export interface McpDeps {
  /** Starts a server's program in the tools' sandbox. Throws, with a sentence for people, when that may not or cannot be. */
  readonly startProcess: (server: StdioServer) => ServerPipe;
  /** Opens the way to a server in the network scope; throws as above. */
  readonly openHttp: (server: HttpServer) => HttpWay;
  /** The login of a server at an address, for its requests. */
  readonly auth: (name: string, server: HttpServer) => RequestAuth;
  /** Takes what is secret out of a text that people will read. */
  readonly scrub: (text: string) => string;
  /** How much of a result reaches the model. */
  readonly limits: Pick<Limits, "outputBytes" | "outputLines">;
  /** How the user is asked what a server may ask; absent if nobody can be asked. */
  readonly user?: AskUser;
  /** Lets the model answer a server. Rejects with a clause. */
  readonly sample?: (
    request: SamplingRequest,
    signal: AbortSignal,
  ) => Promise<{ readonly text: string; readonly model: string }>;
  /** One sentence for a person. Must not throw. */
  readonly onNotice: (sentence: string) => void;
  /** Who asks, for the server. */
  readonly client: { readonly name: string; readonly version: string };
}
