import type { StableSection } from "../section.ts";
import { IDENTITY } from "../text.ts";
import { builtin, isOverridden } from "./base.ts";

/** Who the model is and what it does (R3, R4); the only section of profile `none` (R42). */
export const identityBase: StableSection = {
  id: "identity_base",
  stability: "stable",
  profiles: ["full", "minimal", "none"],
  render: (inputs) =>
    isOverridden(inputs) ? undefined : builtin(`identity:${inputs.identity}`, IDENTITY[inputs.identity]),
};
