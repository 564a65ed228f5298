import { oneLine, visiblePath } from "../text/clean.ts";
import type { DynamicSection } from "../text/section.ts";
import { countCharacters } from "../../core/support/text.ts";

/** Whether there are untracked files is not looked at, as that takes a walk through all folders. */
const CLEAN = " (clean, untracked files not counted)";

/** System, branch with its state, date and working directory; the last two are the last lines of the prompt (R15, R21–R25). */
export const runtimeFacts: DynamicSection = {
  id: "runtime_facts",
  stability: "dynamic",
  profiles: ["full", "minimal"],
  render: ({ runtime }) => {
    const { git } = runtime;
    const state = git?.dirty === undefined ? "" : git.dirty ? " (uncommitted changes)" : CLEAN;
    const text = [
      `Operating system: ${oneLine(runtime.os)}`,
      ...git ? [`Git branch: ${oneLine(git.branch)}${state}`] : [],
      `Current date and time: ${oneLine(runtime.dateTime)}`,
      `Current working directory: ${visiblePath(runtime.cwd)}`,
    ].join("\n");
    const chars = countCharacters(text);
    return { text, sources: [{ kind: "runtime", ref: "runtime_facts", status: "loaded", chars, kept: chars }] };
  },
};
