import { type HostRule, hostText } from "../policy/net_rules.ts";

/** Where the bridge listens inside the network namespace, beyond the ports that the kernel hands out by itself. */
export const BRIDGE_PORT = 61_280;

/** Name of the socket in a gate's folder. */
export const SOCKET_NAME = "s";

const USER = "sandpiper";

/** What `Proxy-Authorization` must be for a token. */
export function proxyAuthorization(token: string): string {
  return `Basic ${btoa(`${USER}:${token}`)}`;
}

/** The variables that make programs ask the proxy at a port, each in the spellings that are in use. */
export function proxyVariables(rules: readonly HostRule[], token: string, port: number): Record<string, string> {
  const url = `http://${USER}:${token}@127.0.0.1:${port}`;
  // Servers that a command starts for itself are reached without the proxy, unless the same name was granted outside.
  const direct = ["localhost", "127.0.0.1", "::1"].filter((host) => !rules.some((rule) => rule.host === host));
  const both = (name: string, value: string): [string, string][] => [[name, value], [name.toUpperCase(), value]];
  return Object.fromEntries([
    ...both("http_proxy", url),
    ...both("https_proxy", url),
    ...both("all_proxy", url),
    ...both("no_proxy", direct.map((host) => hostText(host)).join(",") + (direct.includes("::1") ? ",::1" : "")),
    // Of these a project's own file would win over the variables above.
    ["npm_config_proxy", url],
    ["npm_config_https_proxy", url],
    ["npm_config_noproxy", direct.join(",")],
    ["YARN_HTTP_PROXY", url],
    ["YARN_HTTPS_PROXY", url],
    ["PIP_PROXY", url],
    ["NODE_USE_ENV_PROXY", "1"],
  ]);
}
