import { warner } from "../output/report.ts";
import { stripControls, visibleJson } from "../../core/support/text.ts";
import { describePolicy, policyRecord } from "../../sandbox/policy/describe.ts";
import { TOOLS } from "../../../tools/mod.ts";
import { readingOnly } from "../../sandbox/policy/policy.ts";
import { permittedTools, refuseUnknown } from "../../engine/tools/active_tools.ts";
import { configure } from "../../config/config.ts";
import { writeAll } from "../output/write_all.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { refuseWithPlan } from "../../engine/plan.ts";
import { withNamedAgent } from "../../engine/resources/agents.ts";
import { openTools } from "../../engine/tools/tools_host.ts";
import { readWorld } from "../../config/host_environment.ts";

/** `sandpiper policy`: what tools may touch, and what enforces it (R493); with `--plan` what of it is left while a session plans. */
export async function policyCommand(invocation: Invocation): Promise<number> {
  const config = await withNamedAgent(configure(invocation, readWorld()));
  refuseWithPlan(config);
  const plans = config.invocation.values["plan"] === true;
  const tools = openTools(config, false);
  const warn = warner(invocation);
  // A setting that is misspelt holds nothing.
  for (const warning of config.warnings) warn(warning);
  try {
    refuseUnknown(tools.foreign, TOOLS.map(({ name }) => name), true);
    const policy = plans ? readingOnly(tools.policy) : tools.policy;
    const active = plans ? permittedTools(tools.active, policy) : tools.active;
    const pack = config.world.pack?.pack;
    const record = {
      ...policyRecord(policy),
      ...{ denyRead: policy.denyRead, denyWrite: policy.denyWrite },
      tools: active.map((tool) => tool.name),
      ...(pack ? { pack: { name: pack.name, fingerprint: pack.fingerprint } } : {}),
    };
    const text = invocation.values["json"] ? visibleJson(record, 2) : [
      `workspace  ${policy.root}`,
      `sandbox    ${policy.sandbox}`,
      `tools      ${record.tools.join(", ") || "none"}`,
      ...(pack
        ? [`pack       ${pack.name}, fingerprint ${pack.fingerprint}: nothing widens what is packed into it`]
        : []),
      "",
      ...describePolicy(policy),
      ...(plans ? ["Note: This is what holds until a plan is accepted."] : []),
      ...tools.notices.map((notice) => `Note: ${notice}`),
    ].join("\n");
    writeAll(Deno.stdout, stripControls(text) + "\n");
    return 0;
  } finally {
    await tools.close();
  }
}
