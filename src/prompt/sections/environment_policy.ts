import { oneLine } from "../text/clean.ts";
import type { StableSection } from "../text/section.ts";
import { builtin } from "../text/base.ts";

/** What the sandbox enforces, in words, so that the model need not find out by failing. Grants nothing. */
export const environmentPolicy: StableSection = {
  id: "environment_policy",
  title: "Environment",
  stability: "stable",
  profiles: ["full", "minimal"],
  budget: { total: 2_000 },
  render: (inputs) => {
    const lines = inputs.environmentPolicy.map(oneLine).filter(Boolean);
    return builtin("environment_policy", lines.map((line) => `- ${line}`).join("\n"));
  },
};
