import { join, resolve } from "@std/path";
import type { Config } from "../../config/config.ts";
import { namedFilesOf, namedPaths, repositoryFiles } from "../../config/named_files.ts";
import { findGitRoot } from "../../context/files/ancestors.ts";
import { gatherContextFiles } from "../../context/files/context_files.ts";
import { gatherDocs } from "../resources/bundled.ts";
import type { GatheredMemory } from "../../context/files/memory_files.ts";
import { gatherPersona } from "../../context/files/persona_files.ts";
import { gatherScripts } from "../../context/files/bootstrap_file.ts";
import { gatherSystemFiles } from "../../context/files/system_files.ts";
import { gatherRuntime } from "../../context/runtime_facts.ts";
import type { TemplateOptions, TemplateSet } from "../../context/templates/templates.ts";
import type { TrustDecision } from "../../core/compiled_prompt.ts";
import { UserError } from "../../core/error.ts";
import type { Pack } from "../../core/pack.ts";
import { linkProblem } from "../../core/named_files.ts";
import { covers, isInside, type Policy } from "../../core/policy.ts";
import type { ContextFile, Diagnostic, Persona, Profile, PromptInputs } from "../../core/prompt.ts";
import { isThere } from "../../core/support/on_disk.ts";
import { once } from "../../core/support/once.ts";
import type { InputSources } from "./inputs.ts";
import { packedFolder } from "../../config/host_environment.ts";
import { findSkills } from "../resources/skills.ts";
import type { ToolsHost } from "../tools/tools_host.ts";
import { channelOf, LOCAL_AUGMENTS, type PromptAdditions } from "../../prompt/augment.ts";
import { describePolicy } from "../../sandbox/policy/describe.ts";

/** Everything that a system prompt is made from, gathered once. */
export interface PromptBase {
  readonly inputs: PromptInputs;
  /** What gathering had to report; the compiler adds its own. */
  readonly diagnostics: readonly Diagnostic[];
  /** Whether the project's own configuration is in it; for the manifest (R145). */
  readonly trust: TrustDecision;
  /** What was packed into the program; for the manifest. */
  readonly pack?: Pick<Pack, "name" | "fingerprint">;
  /** What typed text may name. */
  readonly sources: InputSources;
  /** What a person should be told, one sentence each. */
  readonly notices: readonly string[];
}

/** Files that extensions brought; absolute. */
export interface Contributed {
  readonly skills: readonly string[];
  readonly templates: readonly string[];
}

const NOTHING: Contributed = { skills: [], templates: [] };

/** Reads what is on disk for the prompt. Throws UserError only for what the command line or a setting names. */
export async function gatherBase(
  config: Config,
  tools: Pick<ToolsHost, "policy" | "active" | "bundled">,
  channel: string,
  contributed: Contributed = NOTHING,
  additions: PromptAdditions = {},
): Promise<PromptBase> {
  const { values } = config.invocation;
  const { settings, root, projectFolder, userFolder, trusted } = config;
  const profile = profileOf(config);
  const mayRead = readGate();
  const gitRoot = once(() => findGitRoot(root));
  // In a trial the state of the copy is told, all else is the workspace's own.
  const place = config.trial === undefined ? { root, gitRoot } : { root: config.trial.folder };
  const files = repositoryFiles(config);
  const system = gatherSystemFiles({
    root,
    projectFolder,
    userFolder,
    trusted,
    gitRoot,
    canRead: mayRead,
    home: config.world.home,
    files,
    named: namedFilesOf(config),
    systemPrompt: typeof values["system-prompt"] === "string" ? values["system-prompt"] : undefined,
    appendedBySettings: settings.appendSystemPrompt,
    appendSystemPrompt: Array.isArray(values["append-system-prompt"]) ? values["append-system-prompt"] : undefined,
  });
  const packed = config.world.pack?.pack;
  const isFull = profile === "full";
  // A base prompt of somebody else's would stand in for what is inside.
  const systemOverride = packed?.isOpen === false ? undefined : system.systemOverride;
  const enabled = !values["no-context-files"] && isFull;
  const contextFiles = gatherContextFiles({ root, userFolder, gitRoot, enabled, canRead: mayRead, files });
  const places = { root, projectFolder, userFolder, gitRoot, trusted, canRead: mayRead, files, enabled };
  const wanted = typeof settings.persona === "string" ? { mode: settings.persona } : settings.persona ?? {};
  const mode = wanted.mode ?? "sections";
  const persona = gatherPersona({
    ...places,
    ...wanted,
    mode,
    enabled: !values["no-context-files"] && (isFull || (profile === "minimal" && mode === "replace")),
  });
  const scripts = gatherScripts({ ...places, canWrite: (path) => canWrite(tools.policy, path) });
  const memory: GatheredMemory = !enabled || settings.memory !== true
    ? { diagnostics: [] }
    : (await import("../../context/files/memory_files.ts")).gatherMemory({
      userFolder,
      now: Date.now(),
      canRead: mayRead,
      canOpen: (path) => canOpen(tools.policy, path),
      enabled,
    });
  const skills = await findSkills(config, tools.bundled, tools.policy, {
    contributed: contributed.skills,
    gitRoot,
    // The identity alone: no file is opened for it but what the command line names (R42).
    enabled: profile !== "none",
  });
  // Whoever cannot start one is not told of them.
  const agents = tools.active.some(({ name }) => name === "task")
    ? await (await import("../resources/agents.ts")).findAgents(config)
    : undefined;
  const templates = await templatesOf({
    root,
    projectFolder,
    userFolder,
    trusted,
    packed: packedFolder(config.world, "templates"),
    explicit: namedPaths(config, values["template"], root),
    linkProblem: (path) => linkProblem(namedFilesOf(config), path),
    files,
    contributed: contributed.templates,
    enabled: !values["no-templates"],
  });
  return {
    inputs: {
      profile,
      identity: settings.identity ?? "assistant",
      ...(systemOverride ? { systemOverride } : {}),
      appendSystem: [...packedPrompt(packed), ...system.appendSystem],
      tools: [],
      contextFiles,
      skills: skills.skills,
      ...(skills.unlisted.length > 0 ? { unlistedSkills: skills.unlisted } : {}),
      docs: "problem" in tools.bundled ? [] : gatherDocs(tools.bundled.folder),
      environmentPolicy: describePolicy(tools.policy),
      ...(persona.persona ? { persona: persona.persona } : {}),
      ...(scripts.scripts ? { scripts: scripts.scripts } : {}),
      ...(settings.toolRecoveryPolicy ? { toolRecoveryPolicy: true } : {}),
      ...(settings.budgets ? { budgets: settings.budgets } : {}),
      ...(isFull && !(settings.builtInSections === false && systemOverride) ? { metadataMessages: true } : {}),
      ...(settings.builtInSections === false ? { withoutBuiltIn: true } : {}),
      ...additionsOf(additions, channel),
      ...(memory.memory ? { memory: memory.memory } : {}),
      ...(agents ? { agents: agents.agents.map(({ name, description }) => ({ name, description })) } : {}),
      runtime: gatherRuntime({ ...place, now: Date.now(), os: Deno.build.os, arch: Deno.build.arch }),
    },
    diagnostics: [system, persona, scripts, memory, skills].flatMap((one) => one.diagnostics).concat(
      templates.problems,
      agents?.problems ?? [],
    ),
    trust: { trusted, reason: config.trustReason },
    ...(packed ? { pack: { name: packed.name, fingerprint: packed.fingerprint } } : {}),
    sources: { skills: skills.found.skills, choice: skills.choice, templates: templates.templates, root, files },
    notices: baseNotices({
      files: [systemOverride, ...system.appendSystem, ...contextFiles, scripts.scripts?.file, memory.file],
      persona: persona.persona,
      skills: isFull ? skills.diagnostics : [],
      templates: [...templates.problems, ...agents?.problems.filter(({ code }) => code !== "untrusted") ?? []],
      named: [...(Array.isArray(values["skill"]) ? values["skill"] : []), ...contributed.skills],
      root,
    }),
  };
}

/** The templates that there are; most people have none. */
async function templatesOf(options: TemplateOptions): Promise<TemplateSet> {
  const { packed, projectFolder, userFolder, explicit, contributed = [], enabled } = options;
  const folders = [projectFolder, userFolder].filter((folder) => folder !== undefined);
  const isAny = packed !== undefined || explicit.length > 0 || (enabled && contributed.length > 0) ||
    (enabled && folders.some((folder) => isThere(join(folder, "prompts"))));
  if (!isAny) return { templates: [], problems: [] };
  return await (await import("../../context/templates/templates.ts")).discoverTemplates(options);
}

/** Texts that were packed into the program: they come first, so that no budget is used up before them. */
function packedPrompt(pack: Pack | undefined): readonly ContextFile[] {
  return (pack?.prompt ?? []).map((text, at) => ({ path: `${pack?.name} prompt ${at + 1}`, status: "loaded", text }));
}

/** Asked before the disk is touched, so that a restricted run is denied and never asked (R97, R472). */
function readGate(): (path: string) => boolean {
  const { state, partial } = Deno.permissions.querySync({ name: "read" });
  if (state === "granted" && !partial) return () => true;
  return (path) => Deno.permissions.querySync({ name: "read", path }).state === "granted";
}

function canWrite(policy: Policy, path: string): boolean {
  const denied = [...policy.denyWrite, ...policy.protected];
  return covers(policy.write, path) && !denied.some((folder) => isInside(path, folder));
}

function canOpen(policy: Policy, path: string): boolean {
  return covers(policy.read, path) && !policy.denyRead.some((folder) => isInside(path, folder));
}

function profileOf(config: Config): Profile {
  const flag = config.invocation.values["profile"];
  // The option table allows nothing but the profiles.
  return typeof flag === "string" ? flag as Profile : config.settings.profile ?? "full";
}

/** What gathering found that a person may have to act on. */
export interface FoundFiles {
  /** Files that were looked for. */
  readonly files: readonly (ContextFile | undefined)[];
  readonly persona: Persona | undefined;
  readonly skills: readonly Diagnostic[];
  readonly templates: readonly Diagnostic[];
  /** Paths that `--skill` and extensions name, as they were written. */
  readonly named: readonly string[];
  readonly root: string;
}

/**
 * What a person should be told at the start, one sentence each: files that are there and cannot be read, skills that
 * they or their extensions named and do not get, templates. The rest is for the manifest: a skill of somebody else's may well be odd.
 */
export function baseNotices({ files, persona, skills, templates, named, root }: FoundFiles): readonly string[] {
  const wanted = named.map((path) => resolve(root, path));
  const isNamed = (path: string): boolean => wanted.some((one) => isInside(path, one));
  return [
    ...[...files, persona?.soul, persona?.identity, persona?.user].flatMap((file) =>
      file?.status === "read_error" ? [`${file.path} is left out. ${file.message ?? "It cannot be read"}`] : []
    ),
    ...skills.flatMap(({ file, message }) =>
      file === undefined ? [message] : isNamed(file) ? [`${file}: ${message}`] : []
    ),
    ...templates.map(({ file, message }) => file === undefined ? message : `${file}: ${message}`),
  ];
}

/** The additions as the compiler takes them, beside the texts of the channel in use. */
function additionsOf(
  additions: PromptAdditions,
  local: string,
): Pick<PromptInputs, "rules" | "blocks" | "dynamicContext" | "channel"> {
  const { rules = [], blocks, dynamicContext, augments = [], channel, audience = "direct" } = additions;
  const known = [...LOCAL_AUGMENTS, ...augments];
  const inUse = channelOf(known, channel ?? local, { audience });
  if (channel !== undefined && !inUse) {
    throw new UserError({
      what: `There is no channel "${channel}"`,
      why: `they are ${[...new Set(known.map((augment) => augment.channel))].join(", ")}`,
      fix: "Name one of them, or describe the channel with an augment of its own",
    });
  }
  return {
    rules,
    ...(blocks ? { blocks } : {}),
    ...(dynamicContext === undefined ? {} : { dynamicContext }),
    ...(inUse ? { channel: inUse } : {}),
  };
}
