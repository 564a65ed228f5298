import type { JsonObject } from "../../core/json.ts";
import type { CapabilityMemory, SomeCapabilities } from "../capabilities/capabilities.ts";
import type { Price } from "../models/models.ts";
import type { ProviderEntry } from "../table/entry.ts";
import type { EndpointKey } from "./endpoint.ts";

/** When calls that a model wrote as plain text are taken: `auto` means on private addresses only. */
export type TextCallMode = "auto" | "on" | "off";

/** How an adapter reaches a server: an endpoint, and what a session says about its requests. */
export interface Connection extends Pick<ProviderEntry, "keyHeader" | "headers" | "query"> {
  /** Up to and including the version, for example `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  /** Empty for a server that wants none. */
  readonly apiKey: string;
  /** No key was found, and the server is asked as if it wanted none: `apiKey` is no secret then. */
  readonly isKeyless?: boolean;
  /** The variable that held the key: messages name it, so that a person knows what to fix. */
  readonly apiKeyEnv?: string;
  /** Where the key comes from when it can change; goes before `apiKey`. */
  readonly key?: EndpointKey;
  /** Other secrets than its key, which an answer must not show either. */
  readonly secrets?: () => readonly string[];
  /** As the server calls it. */
  readonly model: string;
  /** Short name for messages and records; `openai` unless told otherwise. */
  readonly name?: string;
  /** What is known of its model: less sure than what was learned. */
  readonly known?: SomeCapabilities;
  /** What settings say that the endpoint takes: goes before all that was learned or is known of it. */
  readonly capabilities?: SomeCapabilities;
  /** What was learned of the endpoint in earlier runs, and where it is kept; absent: it is learned anew. */
  readonly memory?: CapabilityMemory;
  /** Longest silence on the connection, milliseconds; comments count as life. Default 300,000. */
  readonly stallMs?: number;
  /** Longest time without anything new in the reply, milliseconds; comments do not count. Default six times `stallMs`. */
  readonly noProgressMs?: number;
  /** Input and output together, tokens; lets a silently cut prompt be noticed. */
  readonly contextWindow?: number;
  /** Longest reply: text, reasoning and arguments together, UTF-16 units. */
  readonly maxReplyCharacters?: number;
  readonly price?: Price;
  readonly textCalls?: TextCallMode;
  /**
   * Sees, and may replace, the body right before it is sent (R213); undefined when nobody looked at it. May reject: the
   * reply then fails.
   */
  readonly beforeRequest?: (payload: JsonObject) => JsonObject | undefined | Promise<JsonObject | undefined>;
  /** Headers to add to a request, `null` to leave one out (R217). The key's own header is not to be had. */
  readonly beforeHeaders?: () => Promise<Readonly<Record<string, string | null>>>;
  /**
   * Hears of every answer before it is read, errors included. Headers whose value holds the key are not among them. Must not
   * throw.
   */
  readonly onResponse?: (status: number, headers: () => Readonly<Record<string, string>>) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** A new call id, for servers that send none; must be unique in a conversation. */
  readonly newId?: () => string;
}

/** The default of `stallMs`. */
export const STALL_MS = 300_000;

/** Host and port of a server, for messages; the text itself where it is no URL. */
export function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}

/** Whether a server runs on this machine or in this house: loopback, private ranges, names without a public suffix. */
export function isPrivateHost(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const name = new URL(baseUrl).hostname.replace(/^\[|\]$/g, "");
  if (name.includes(":")) return name === "::1" || /^(fe[89ab]|f[cd])/i.test(name);
  if (/^\d+(\.\d+){3}$/.test(name)) return /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\./.test(name);
  return !name.includes(".") || /\.(local|internal|lan|home\.arpa|localhost)$/.test(name);
}
