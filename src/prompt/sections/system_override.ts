import type { StableInputs } from "../../core/prompt.ts";
import { keepFiles } from "../text/files.ts";
import type { StableSection } from "../text/section.ts";

const filesOf = (inputs: StableInputs) => inputs.systemOverride ? [inputs.systemOverride] : [];

/** The one SYSTEM.md, in place of the whole default base (R8–R11). */
export const systemOverride: StableSection = {
  id: "system_override",
  stability: "stable",
  profiles: ["full", "minimal"],
  files: filesOf,
  render: (inputs) => {
    const { kept, sources, diagnostics } = keepFiles("system_override", filesOf(inputs), { perSource: 100_000 });
    return { text: kept.map((file) => file.text).join("\n\n"), sources, diagnostics };
  },
};
