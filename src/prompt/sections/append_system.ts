import { keepFiles } from "../text/files.ts";
import type { StableSection } from "../text/section.ts";

/** What is added to whatever base there is (R17–R20). */
export const appendSystem: StableSection = {
  id: "append_system",
  stability: "stable",
  profiles: ["full", "minimal"],
  files: (inputs) => inputs.appendSystem,
  render: (inputs) => {
    const { kept, sources, diagnostics } = keepFiles("append_system", inputs.appendSystem, {
      perSource: 50_000,
      total: 100_000,
    });
    return { text: kept.map((file) => file.text).join("\n\n"), sources, diagnostics };
  },
};
