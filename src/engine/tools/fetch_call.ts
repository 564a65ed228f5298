import { ToolError } from "../../core/error.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Policy } from "../../core/policy.ts";
import type { CallOptions } from "../../core/runner.ts";
import { errorResult, type Tool, type ToolResult } from "../../core/tool.ts";
import { withDenial } from "../../sandbox/denial/claim.ts";
import { WebDenied, webGet } from "../../sandbox/proxy/web_get.ts";
import type { Runner } from "../../sandbox/runner_client/runner_client.ts";

/** A call of a tool that shows what is at an address. */
export interface FetchingCall {
  readonly tool: Tool;
  readonly address: string;
  readonly args: JsonObject;
  readonly options: CallOptions;
}

/** Runs it: the host gets what is at the address; the runner, which has no network, takes it apart. */
export async function runFetching(
  { tool, address, args, options }: FetchingCall,
  policy: Policy,
  open: () => Promise<Runner>,
): Promise<ToolResult> {
  const got = await fetchFor(address, policy, options.signal);
  if ("result" in got) return got.result;
  const deadlineMs = await tool.deadlineMs?.(args, policy);
  const call = { name: tool.name, args: { ...args, fetched: got.fetched } };
  const { content, isError } = await (await open()).call(
    call,
    deadlineMs === undefined ? options : { ...options, deadlineMs },
  );
  // Of what the runner says beside its text nothing is needed: which hosts there were is known here.
  return { content, ...(isError ? { isError } : {}), details: got.details };
}

/** What an address gave: for the runner, with what readers of events should know; or the result of a call that has none. */
type ForCall =
  | { readonly fetched: JsonObject; readonly details: JsonObject }
  | { readonly result: ToolResult };

/** Gets what is at an address for a call, within the network scope of its policy. Never rejects. */
async function fetchFor(address: string, { net }: Pick<Policy, "net">, signal: AbortSignal): Promise<ForCall> {
  try {
    const { url, status, type, body, isCut, refused, hosts } = await webGet(address, net, signal);
    // Without what stands behind "?": that of a search is the user's setting.
    const { origin, pathname } = new URL(url);
    const details = { url: origin + pathname, status, bytes: body.length, hosts: [...hosts] };
    const fetched = { url, status, type, body: body.toBase64(), isCut, ...(refused === undefined ? {} : { refused }) };
    return { fetched, details };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (!(error instanceof WebDenied)) return { result: errorResult(error.message) };
    const hosts = error.hosts.length > 0 ? { hosts: [...error.hosts] } : {};
    const told = error.claim ? { toldLines: error.message.split("\n").length } : {};
    const result = errorResult(error.message, { isDenied: true, ...told, ...hosts });
    return { result: error.claim ? withDenial(result, error.claim) : result };
  }
}
