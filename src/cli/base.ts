import { gatherContextFiles } from "../context/context_files.ts";
import { gatherDocs } from "../context/docs_pointers.ts";
import { gatherRuntime } from "../context/runtime_facts.ts";
import { gatherSystemFiles } from "../context/system_files.ts";
import type { Diagnostic, Profile, PromptInputs } from "../core/prompt.ts";
import { describePolicy } from "../sandbox/describe.ts";
import type { Config } from "./config.ts";
import { findSkills } from "./skills.ts";
import type { ToolsHost } from "./tools_host.ts";

/** Everything that a system prompt is made from, gathered once. */
export interface PromptBase {
  readonly inputs: PromptInputs;
  /** What gathering had to report; the compiler adds its own. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads what is on disk for the prompt. Throws UserError only for a file that the command line names. */
export async function gatherBase(config: Config, tools: ToolsHost): Promise<PromptBase> {
  const { values } = config.invocation;
  const profile = profileOf(config);
  const system = gatherSystemFiles({
    root: config.root,
    projectFolder: config.projectFolder,
    userFolder: config.userFolder,
    trusted: config.trusted,
    systemPrompt: typeof values["system-prompt"] === "string" ? values["system-prompt"] : undefined,
    appendSystemPrompt: Array.isArray(values["append-system-prompt"]) ? values["append-system-prompt"] : undefined,
  });
  const contextFiles = gatherContextFiles({
    root: config.root,
    userFolder: config.userFolder,
    enabled: !values["no-context-files"] && profile === "full",
    canRead: mayRead,
  });
  const skills = await findSkills(config, tools.bundled, tools.policy);
  const docs = tools.bundled ? gatherDocs(tools.bundled) : [];
  return {
    inputs: {
      profile,
      identity: config.settings.identity ?? "assistant",
      ...(system.systemOverride ? { systemOverride: system.systemOverride } : {}),
      appendSystem: system.appendSystem,
      tools: tools.active.map((tool) => ({
        name: tool.name,
        snippet: tool.promptSnippet,
        ...(tool.promptGuidelines ? { guidelines: tool.promptGuidelines } : {}),
        origin: "builtin" as const,
      })),
      contextFiles,
      skills: skills.skills,
      docs: tools.active.some((tool) => tool.name === "read") ? docs : [],
      environmentPolicy: describePolicy(tools.policy),
      rules: [],
      runtime: gatherRuntime({ root: config.root, now: Date.now(), os: Deno.build.os, arch: Deno.build.arch }),
    },
    diagnostics: [...system.diagnostics, ...skills.diagnostics],
  };
}

/** Asked before the disk is touched, so that a restricted run is denied and never asked (R97, R472). */
function mayRead(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}

function profileOf(config: Config): Profile {
  const flag = config.invocation.values["profile"];
  // The option table allows nothing but the profiles.
  return typeof flag === "string" ? flag as Profile : config.settings.profile ?? "full";
}
