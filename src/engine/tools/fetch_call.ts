import { ToolError } from "../../core/error.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Policy } from "../../core/policy.ts";
import type { CallOptions } from "../../core/runner.ts";
import { errorResult, type Tool } from "../../core/tool.ts";
import type { ToolResult } from "../../core/tool_result.ts";
import { withDenial } from "../../sandbox/denial/claim.ts";
import { MACHINE_NET } from "../../sandbox/proxy/network.ts";
import { PROXY_LIMITS } from "../../sandbox/proxy/proxy.ts";
import { WEB_LIMITS, WebDenied, webGet } from "../../sandbox/proxy/web_get.ts";
import type { Runner } from "../../sandbox/runner_client/runner_client.ts";

/**
 * Runs a call of a tool that shows what is at an address: the host gets it; the runner, which has no network, takes it apart.
 */
export async function runFetching(
  { tool, address, args, options }: {
    readonly tool: Tool;
    readonly address: string;
    readonly args: JsonObject;
    readonly options: CallOptions;
  },
  policy: Policy,
  open: () => Promise<Runner>,
): Promise<ToolResult> {
  let got: Awaited<ReturnType<typeof webGet>>;
  try {
    got = await webGet(address, policy.net, options.signal, WEB_LIMITS, {
      world: MACHINE_NET,
      limits: PROXY_LIMITS,
      policy,
    });
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (!(error instanceof WebDenied)) return errorResult(error.message);
    const hosts = error.hosts.length > 0 ? { hosts: [...error.hosts] } : {};
    const told = error.claim ? { toldLines: error.message.split("\n").length } : {};
    const result = errorResult(error.message, { isDenied: true, ...told, ...hosts });
    return error.claim ? withDenial(result, error.claim) : result;
  }
  const { url, status, type, body, isCut, refused, hosts } = got;
  const fetched = { url, status, type, body: body.toBase64(), isCut, ...(refused === undefined ? {} : { refused }) };
  const deadlineMs = await tool.deadlineMs?.(args, policy);
  const { content, isError } = await (await open()).call(
    { name: tool.name, args: { ...args, fetched } },
    deadlineMs === undefined ? options : { ...options, deadlineMs },
  );
  // Without what stands behind "?": that of a search is the user's setting.
  const { origin, pathname } = new URL(url);
  // Of what the runner says beside its text nothing is needed: which hosts there were is known here.
  const details = { url: origin + pathname, status, bytes: body.length, hosts: [...hosts] };
  return { content, ...(isError ? { isError } : {}), details };
}
