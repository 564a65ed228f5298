import { UserError } from "../core/error.ts";
import type { CompiledPrompt } from "../core/compiled_prompt.ts";
import { stripControls } from "../core/text.ts";
import { sectionTexts } from "../prompt/compile.ts";
import { SECTIONS } from "../prompt/sections/mod.ts";
import { gatherBase } from "./base.ts";
import { configure } from "./config.ts";
import { readyInput } from "./engine/inputs.ts";
import { createPromptState } from "./engine/prompt_state.ts";
import { writeAll } from "./main.ts";
import type { Invocation } from "./parse.ts";
import { builtinTool } from "./engine/toolset.ts";
import { openTools } from "./tools_host.ts";
import { readWorld } from "./world.ts";

/** Options of which each says what to print. */
const FORMS = ["json", "manifest", "section", "stable", "dynamic"] as const;

/**
 * `sandpiper prompt`: the system prompt as the model would get it; no network, no key, nothing started (R56). With words
 * it is the prompt of that message: skills that they mention are in it.
 */
export async function promptCommand(invocation: Invocation): Promise<number> {
  const { values, words } = invocation;
  const form = formOf(invocation);
  const config = configure(invocation, readWorld());
  const tools = openTools(config, false);
  try {
    const base = await gatherBase(config, tools, "text");
    const active = tools.active.map((tool) => builtinTool(tool, tools.run));
    const state = createPromptState(base, active, tools.policy);
    const { runtimeSkills, problem } = readyInput(words.join(" "), base.sources, []);
    state.startPrompt({ runtimeSkills });
    const prompt = state.peek();
    const notices = [...config.warnings, ...tools.notices, ...base.notices, ...problem ? [problem] : []];
    for (const notice of values["quiet"] ? [] : notices) {
      writeAll(Deno.stderr, `warning: ${stripControls(notice)}\n`);
    }
    const texts = () => sectionTexts({ ...state.base().inputs, runtimeSkills });
    writeAll(
      Deno.stdout,
      (form === "section" ? section(String(values["section"]), texts(), prompt) : whole(form, prompt)) + "\n",
    );
    return 0;
  } finally {
    await tools.close();
  }
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
      return JSON.stringify(prompt, null, 2);
    case "manifest":
      return JSON.stringify(prompt.manifest, null, 2);
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
