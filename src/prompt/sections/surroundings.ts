import { oneLine, visiblePath } from "../text/clean.ts";
import { keepFiles } from "../text/files.ts";
import { builtin, bullets, type DynamicSection, isOverridden, type StableSection, whole } from "../text/section.ts";
import { METADATA_KEY } from "../text/runtime_metadata.ts";
import { CONTEXT_CUT, CONTEXT_HEADING, DOCS_HEADING, metadataSentence } from "../text/text.ts";

/** The project's instructions, the nearest file last, so that it has the last word and the first claim on room (R86–R92). */
export const projectContext: StableSection = {
  id: "project_context",
  stability: "stable",
  profiles: ["full"],
  files: (inputs) => inputs.contextFiles,
  render: (inputs) => {
    const budget = { perSource: 64_000, total: 150_000, ...inputs.budgets?.context };
    const { kept, sources, diagnostics } = keepFiles("project_context", inputs.contextFiles, budget);
    const parts = kept.map((file) => {
      return `## ${visiblePath(file.path)}\n\n${file.text}${file.isCut ? `\n\n${CONTEXT_CUT}` : ""}`;
    });
    return { text: parts.length ? [CONTEXT_HEADING, ...parts].join("\n\n") : "", sources, diagnostics };
  },
};

/** Where the program's own documentation lies, for questions about the program (R6). */
export const docsPointers: StableSection = {
  id: "docs_pointers",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => {
    if (isOverridden(inputs) || inputs.docs.length === 0) return undefined;
    const lines = inputs.docs.map(({ label, path }) => `- ${label}: ${visiblePath(path)}`);
    return builtin("docs_pointers", [DOCS_HEADING, ...lines].join("\n"));
  },
};

/** What the sandbox enforces, in words, so that the model need not find out by failing. Grants nothing. */
export const environmentPolicy: StableSection = {
  id: "environment_policy",
  title: "Environment",
  stability: "stable",
  profiles: ["full", "minimal"],
  budget: { total: 2_000 },
  render: (inputs) => bullets("environment_policy", inputs.environmentPolicy.map(oneLine).filter(Boolean)),
};

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
    return whole("runtime", "runtime_facts", text);
  },
};

/** What the messages with runtime metadata are, when there are any (R415). */
export const runtimeMetadata: StableSection = {
  id: "runtime_metadata",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => inputs.metadataMessages ? builtin("runtime_metadata", metadataSentence(METADATA_KEY)) : undefined,
};
