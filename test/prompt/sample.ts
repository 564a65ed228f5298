import type { ContextFile, PromptInputs, PromptTool } from "../../src/core/prompt.ts";
import type { ToolDefinition } from "../../src/core/provider.ts";
import { type CompileMeta, compilePrompt } from "../../src/prompt/compile.ts";

export const DATE_LINE = "Current date and time: Saturday, March 7, 2026 at 08:55:05 AM CST";
export const CWD_LINE = "Current working directory: /work/app";

export function tools(...names: readonly string[]): readonly PromptTool[] {
  return names.map((name) => ({ name, origin: "builtin" }));
}

export function loaded(path: string, text: string): ContextFile {
  return { path, status: "loaded", text };
}

/** The inputs of a plain start: four tools, nothing found on disk. */
export function inputs(changes: Partial<PromptInputs> = {}): PromptInputs {
  return {
    profile: "full",
    identity: "assistant",
    appendSystem: [],
    tools: tools("read", "bash", "edit", "write"),
    contextFiles: [],
    skills: [],
    docs: [
      { label: "Main docs", path: "/opt/sandpiper/README.md" },
      { label: "Additional docs", path: "/opt/sandpiper/docs" },
      { label: "Examples", path: "/opt/sandpiper/docs/examples" },
    ],
    environmentPolicy: [
      "Read: the workspace, system, toolchains.",
      "Write: the workspace, $TMPDIR (/tmp); never .gitmodules, .sandpiper, .sf, .pi, .vscode, .idea, .envrc, .mcp.json, .git settings.",
      "Programs: any, confined.",
      "Network: none; 127.0.0.1 works within one command.",
      "Enforced by the Linux kernel.",
    ],
    rules: [],
    runtime: {
      dateTime: "Saturday, March 7, 2026 at 08:55:05 AM CST",
      cwd: "/work/app",
      os: "linux x86_64",
      git: { branch: "main" },
    },
    ...changes,
  };
}

export const DEFINITIONS: readonly ToolDefinition[] = [{
  name: "read",
  description: "Reads a file, as the provider is told",
  parameters: { type: "object", properties: { zzParameterName: { type: "string" } } },
}];

export function meta(changes: Partial<CompileMeta> = {}): CompileMeta {
  return {
    trigger: "startup",
    round: 1,
    tools: DEFINITIONS,
    policy: { read: ["/work/app"] },
    history: { decision: "full" },
    hooks: [],
    ...changes,
  };
}

/** The whole text of a prompt compiled from changed sample inputs. */
export function promptOf(changes: Partial<PromptInputs> = {}): string {
  return compilePrompt(inputs(changes), meta()).full;
}

/** Every source at once. */
export const EVERYTHING: Partial<PromptInputs> = {
  appendSystem: [loaded("/work/app/.sandpiper/APPEND_SYSTEM.md", "APPENDED-TEXT")],
  contextFiles: [
    loaded("/home/u/.sandpiper/agent/AGENTS.md", "GLOBAL-TEXT"),
    loaded("/work/app/AGENTS.md", "NEAR-TEXT"),
  ],
  skills: [{ name: "commit", description: "Commits in groups", path: "/home/u/.agents/skills/commit/SKILL.md" }],
  rules: ["Never push"],
};
