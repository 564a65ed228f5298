import { UserError } from "../../core/error.ts";
import type { CompiledPrompt } from "../../core/compiled_prompt.ts";
import type { HookProblem, Hooks } from "../../core/hook.ts";
import type { Policy } from "../../core/policy.ts";
import { stripControls, visibleJson } from "../../core/support/text.ts";
import { sectionTexts } from "../../prompt/compile.ts";
import { SECTIONS } from "../../prompt/sections/mod.ts";
import { describePolicy } from "../../sandbox/policy/describe.ts";
import { readingOnly } from "../../sandbox/policy/policy.ts";
import { TOOLS } from "../../../tools/mod.ts";
import { refuseUnknown } from "../../engine/tools/active_tools.ts";
import { refuseWithPlan } from "../../engine/plan.ts";
import { gatherBase } from "../../engine/prompt/prompt_sources.ts";
import { type Config, configure } from "../../config/config.ts";
import { findExtensions } from "../../engine/extensions.ts";
import { readyInput } from "../../engine/prompt/inputs.ts";
import { createPromptState } from "../../engine/prompt_state.ts";
import { writeAll } from "../output/write_all.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { builtinTool, createToolset } from "../../engine/tools/toolset.ts";
import { openTools } from "../../engine/tools/tools_host.ts";
import { withNamedAgent } from "../../engine/resources/agents.ts";
import { readWorld } from "../../config/host_environment.ts";

const BUILTIN = TOOLS.map(({ name }) => name);

/** Options of which each says what to print. */
const FORMS = ["json", "manifest", "section", "stable", "dynamic"] as const;

/**
 * `sandpiper prompt`: the system prompt as the model would get it; no network, no key, no process started (R56). With words
 * it is the prompt of that message: skills that they mention are in it.
 */
export async function promptCommand(invocation: Invocation): Promise<number> {
  const { values, words } = invocation;
  const form = formOf(invocation);
  const config = await withNamedAgent(configure(invocation, readWorld()));
  refuseWithPlan(config);
  const tools = openTools(config, false);
  const said: string[] = [];
  const say = (message: string): void => void said.push(message);
  let hooks: Hooks | undefined;
  try {
    hooks = await openBrought(config, tools.policy, say);
    const toolset = createToolset(
      tools.known.map((tool) => builtinTool(tool, tools.run)),
      tools.active.map(({ name }) => name),
    );
    const opened = hooks && await import("../../engine/open_extensions.ts");
    if (hooks && opened && !values["no-tools"]) toolset.replace("extension", opened.extensionTools(hooks));
    const names = toolset.views().flatMap(({ name, origin }) => origin === "builtin" ? [] : [name]);
    refuseUnknown(tools.foreign, [...BUILTIN, ...names], true);
    const contributed = hooks && await opened?.contributedBy(hooks, "startup");
    const base = await gatherBase(config, tools, "text", contributed);
    const state = createPromptState(base, toolset.active(), tools.policy);
    const held = values["plan"] ? readingOnly(tools.policy) : undefined;
    if (held) state.takePolicy(tools, toolset.active(), { policy: held, granted: [] });
    if (hooks?.has("before_agent_start")) {
      say("extensions may change this prompt with each message (before_agent_start): that is not in it");
    }
    const { skills, problem } = await readyInput(words.join(" "), base.sources);
    state.startPrompt(skills);
    const runtimeSkills = skills([]);
    const prompt = state.peek();
    const notices = [...config.warnings, ...tools.notices, ...said, ...base.notices, ...problem ? [problem] : []];
    for (const notice of values["quiet"] ? [] : notices) {
      writeAll(Deno.stderr, `warning: ${stripControls(notice)}\n`);
    }
    const planning = held ? { planning: describePolicy(held) } : {};
    const texts = () => sectionTexts({ ...state.base().inputs, runtimeSkills, ...planning });
    writeAll(
      Deno.stdout,
      (form === "section" ? section(String(values["section"]), texts(), prompt) : whole(form, prompt)) + "\n",
    );
    return 0;
  } finally {
    hooks?.close();
    await tools.close();
  }
}

/** Extensions as far as they are part of the prompt: their tools, skills and templates. Nobody is asked anything. */
async function openBrought(config: Config, policy: Policy, say: (message: string) => void): Promise<Hooks | undefined> {
  const report = ({ extension, message }: HookProblem): void => say(`extension ${extension}: ${message}`);
  const found = findExtensions(config, true, report);
  if (found.length === 0) return undefined;
  const [{ openExtensions }, { createExtensionGrants }, { mutedUi, noSession }] = await Promise.all([
    import("../../engine/open_extensions.ts"),
    import("../../engine/extension_grants.ts"),
    import("../../engine/host_actions.ts"),
  ]);
  return await openExtensions({
    config,
    found,
    policy: () => policy,
    host: noSession(mutedUi(say)),
    facts: { cwd: config.root, mode: "text", hasUI: false },
    builtinTools: BUILTIN,
    inProcess: [],
    grants: createExtensionGrants(config, undefined, report),
    report,
    isStart: true,
  });
}

type Form = typeof FORMS[number];

function formOf({ values }: Invocation): Form | undefined {
  const [form, other] = FORMS.filter((name) => values[name]);
  if (other === undefined) return form;
  throw new UserError({
    what: `Cannot print --${form} and --${other} at once`,
    why: "each of them says what the output is",
    fix: "Take one of them; --json holds both halves and the manifest",
  });
}

function whole(form: Form | undefined, prompt: CompiledPrompt): string {
  switch (form) {
    case "json":
      return visibleJson(prompt, 2);
    case "manifest":
      return visibleJson(prompt.manifest, 2);
    case "stable":
      return prompt.stable;
    case "dynamic":
      return prompt.dynamic;
    default:
      return prompt.full;
  }
}

function section(id: string, texts: ReadonlyMap<string, string>, { manifest }: CompiledPrompt): string {
  const text = texts.get(id);
  if (text !== undefined) return text;
  const why = `this prompt has ${[...texts.keys()].join(", ")}`;
  if (!SECTIONS.some((one) => one.id === id)) {
    throw new UserError({ what: `There is no section "${id}"`, why, fix: "Name one of them with --section" });
  }
  const told = manifest.diagnostics.filter((one) => one.section === id)
    .map((one) => one.file === undefined ? one.message : `${one.file}: ${one.message}`);
  throw new UserError({
    what: `Section "${id}" is not in this prompt`,
    why: told.length > 0 ? told.join("; ") : `nothing gives it a text here; ${why}`,
    fix: "See docs/prompt.md for what it is made from, and sandpiper prompt --manifest for what was found",
  });
}
