import type { Policy } from "../../core/policy.ts";

/**
 * What programs get where there is no network: no second attempt. A refusal is as final the first time, and package
 * managers try for minutes before they say what is wrong.
 */
const ONCE: Readonly<Record<string, string>> = {
  RES_OPTIONS: "attempts:1 timeout:1",
  npm_config_fetch_retries: "0",
  // With none it does not say why it found nothing.
  PIP_RETRIES: "1",
  UV_HTTP_RETRIES: "0",
  CARGO_NET_RETRY: "0",
  BUNDLE_RETRY: "0",
  YARN_HTTP_RETRY: "0",
};

/** The environment of tools under a network scope; one that was closed before loses what it had for that. */
export function netEnvironment(
  env: Readonly<Record<string, string>>,
  { net, sandbox }: Pick<Policy, "net" | "sandbox">,
): Record<string, string> {
  if (!net.all && net.list.length === 0 && sandbox !== "off") return { ...env, ...ONCE };
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => ONCE[name] !== value));
}
