import { Buffer } from "node:buffer";
import { messageOf, ToolError } from "../../core/error.ts";
import { grantOption } from "../../core/grant_option.ts";
import { openedBy, type Scope } from "../../core/policy.ts";
import { formatSize } from "../../core/support/text.ts";
import { VERSION } from "../../core/version.ts";
import type { DenialClaim } from "../denial/claim.ts";
import { allowsHost, canonicalHost, hostText, parseRule } from "../policy/net_rules.ts";
import type { NetOptions } from "./gate.ts";
import { MACHINE_NET } from "./network.ts";
import { PROXY_LIMITS } from "./proxy.ts";
import { openScopedFetch, portOf } from "./scoped_fetch.ts";

/** Bounds of one fetch; time in milliseconds, for everything together. */
export interface WebLimits {
  /** Of the body as it is read, after decompression. */
  readonly bytes: number;
  readonly ms: number;
  readonly redirects: number;
}

export const WEB_LIMITS: WebLimits = { bytes: 2 * 1024 * 1024, ms: 30_000, redirects: 5 };

/** What an address gave. */
export interface WebAnswer {
  /** Where the last redirect led. */
  readonly url: string;
  readonly status: number;
  /** The header; empty where there was none. */
  readonly type: string;
  /** Decompressed; empty where it is no text. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** There was more than `bytes`. */
  readonly isCut: boolean;
  /** Why there is no text, as a clause. */
  readonly refused?: string;
  /** Each `host:port` that was connected to, in order. */
  readonly hosts: readonly string[];
}

/** A host that the scope does not name, or an address that it does not open. */
export class WebDenied extends ToolError {
  constructor(
    message: string,
    /** What a person could allow; absent where no grant opens it. */
    readonly claim: DenialClaim | undefined,
    readonly hosts: readonly string[],
  ) {
    super(message);
  }
}

/** Types of text besides `text/…`. */
const TEXT =
  /^(?:text\/.+|application\/(?:json|xml|javascript|ecmascript|x-javascript|yaml|x-yaml|toml|graphql|sql|x-sh|x-ndjson|ld\+json|.+\+(?:json|xml|yaml))|image\/svg\+xml)$/;
/** Types that say nothing: the first bytes decide. */
const UNKNOWN = /^(?:|application\/octet-stream|binary\/octet-stream|application\/x-unknown)$/;
const SNIFFED = 8_192;

/**
 * Gets a text by HTTP for a tool call: GET alone, no cookie, no credential, no header of the caller's.
 *
 * Each address on the way, redirects included, is judged anew by the scope, as for confined programs: the host, and every
 * address that its name leads to; the connection goes to the very address that was judged. A scope of all hosts opens
 * neither this machine nor its link: metadata services hand out credentials there. Its list names what is open besides. Throws WebDenied for what the
 * scope does not open and ToolError for everything else that gives no answer.
 */
export async function webGet(
  address: string,
  net: Scope,
  signal: AbortSignal,
  limits: WebLimits = WEB_LIMITS,
  options: NetOptions = { world: MACHINE_NET, limits: PROXY_LIMITS },
): Promise<WebAnswer> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(limits.ms)]);
  const hosts: string[] = [];
  let target = readAddress(address);
  try {
    for (let hop = 0; hop <= limits.redirects; hop++) {
      const next = await getOne(target, net, over, limits, options, hosts);
      if (!(next instanceof URL)) return { ...next, hosts };
      target = next;
    }
  } catch (error) {
    if (error instanceof ToolError) throw error;
    if (signal.aborted) throw new ToolError("it was stopped");
    if (over.aborted) throw new ToolError(`${target.host} took longer than ${limits.ms / 1000} s. Try another address`);
    throw new ToolError(`${target.host} gave no answer: ${messageOf(error)}`);
  }
  throw new ToolError(`${target.host} leads on and on: more than ${limits.redirects} redirects. Try another address`);
}

/** One request; gives where it leads on, or the answer. */
async function getOne(
  target: URL,
  net: Scope,
  signal: AbortSignal,
  limits: WebLimits,
  options: NetOptions,
  hosts: string[],
): Promise<URL | Omit<WebAnswer, "hosts">> {
  const host = canonicalHost(target.hostname);
  if (host === undefined) throw new ToolError(`"${target.hostname}" is no host`);
  const port = portOf(target);
  const name = hostText(host, port);
  if (!net.all && !allowsHost(net.list.map(parseRule), host, port)) {
    const remedy = openedBy(grantOption("net", name), options.policy ?? {});
    const claim = { kind: "net", target: name } as const;
    throw new WebDenied(`Denied: fetch ${name}: not in the network scope. ${remedy}`, claim, hosts);
  }
  const scoped = openScopedFetch(target, net, options, true);
  try {
    const headers = {
      accept: "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.1",
      "user-agent": `sandpiper/${VERSION}`,
    };
    const response = await scoped.fetch(target, { method: "GET", headers, signal }).catch((error) => {
      throw refusal(scoped.notes(), name, hosts) ?? error;
    });
    // The proxy's own answer, and none of the server's.
    const refused = refusal(scoped.notes(), name, hosts);
    if (refused) {
      await response.body?.cancel();
      throw refused;
    }
    if (hosts.at(-1) !== name) hosts.push(name);
    const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
    if (location !== null) {
      await response.body?.cancel();
      return readAddress(location, target);
    }
    return { url: target.href, status: response.status, ...await readText(response, limits.bytes) };
  } finally {
    scoped.close();
  }
}

/** What the proxy noted of a request, as an error; undefined where it let the request through. */
function refusal(notes: readonly string[], name: string, hosts: readonly string[]): ToolError | undefined {
  const [note] = notes;
  if (note === undefined) return undefined;
  // The host is listed: what is denied is an address, which the note names with its grant.
  return note.startsWith("Denied:")
    ? new WebDenied(note.replace("connect to", "fetch"), undefined, hosts)
    : new ToolError(`${name}: ${note}`);
}

function readAddress(text: string, base?: URL): URL {
  const url = URL.parse(text, base);
  const what = base === undefined ? `"${text.slice(0, 200)}"` : `${base.host} leads to an address that`;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ToolError(`${what} is no http or https address. Give one, for example https://example.com/page`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ToolError(`${what} holds a name or password, which is never sent. Give the address without`);
  }
  url.hash = "";
  return url;
}

/** The body, if it is text, up to the limit: a small answer that unpacks to a huge one ends there as well. */
async function readText(
  response: Response,
  most: number,
): Promise<Pick<WebAnswer, "type" | "body" | "isCut" | "refused">> {
  const type = response.headers.get("content-type") ?? "";
  const bare = (type.split(";")[0] ?? "").trim().toLowerCase();
  const nothing = new Uint8Array(0);
  if (!TEXT.test(bare) && !UNKNOWN.test(bare)) {
    const size = Number(response.headers.get("content-length") ?? NaN);
    await response.body?.cancel();
    const shown = Number.isSafeInteger(size) && size > 0
      ? `${bare.slice(0, 100)}, ${formatSize(size)}`
      : bare.slice(0, 100);
    return { type, body: nothing, isCut: false, refused: `it is no text (${shown})` };
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let isCut = false;
  // Leaving the loop cancels the rest, which is then never unpacked.
  for await (const chunk of response.body ?? []) {
    const room = most - size;
    chunks.push(chunk.length > room ? chunk.slice(0, room) : chunk);
    size += Math.min(chunk.length, room);
    isCut = chunk.length > room;
    if (isCut) break;
  }
  const body = new Uint8Array(Buffer.concat(chunks));
  if (UNKNOWN.test(bare) && body.subarray(0, SNIFFED).includes(0)) {
    return { type, body: nothing, isCut, refused: `it is no text (${bare || "of no type"}, ${formatSize(size)})` };
  }
  return { type, body, isCut };
}
