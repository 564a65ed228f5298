import { UserError } from "../core/error.ts";
import { stripControls } from "../core/text.ts";
import { sectionTexts } from "../prompt/compile.ts";
import { gatherBase } from "./base.ts";
import { configure } from "./config.ts";
import { createPromptState } from "./engine/prompt_state.ts";
import { writeAll } from "./main.ts";
import type { Invocation } from "./parse.ts";
import { builtinTool } from "./engine/toolset.ts";
import { openTools } from "./tools_host.ts";
import { readWorld } from "./world.ts";

/** `sandpiper prompt`: the system prompt as the model would get it; no network, no key, nothing started (R56). */
export async function promptCommand(invocation: Invocation): Promise<number> {
  const config = configure(invocation, readWorld());
  const tools = openTools(config, false);
  try {
    const base = await gatherBase(config, tools, "text");
    const active = tools.active.map((tool) => builtinTool(tool, tools.run));
    const state = createPromptState(base, active, tools.policy);
    const prompt = state.peek();
    const { values } = invocation;
    for (const notice of values["quiet"] ? [] : [...config.warnings, ...tools.notices, ...base.notices]) {
      writeAll(Deno.stderr, `warning: ${stripControls(notice)}\n`);
    }
    const text = (): string => {
      if (values["json"]) return JSON.stringify(prompt, null, 2);
      if (values["manifest"]) return JSON.stringify(prompt.manifest, null, 2);
      if (typeof values["section"] === "string") return section(values["section"], sectionTexts(state.base().inputs));
      if (values["stable"]) return prompt.stable;
      if (values["dynamic"]) return prompt.dynamic;
      return prompt.full;
    };
    writeAll(Deno.stdout, text() + "\n");
    return 0;
  } finally {
    await tools.close();
  }
}

function section(id: string, texts: ReadonlyMap<string, string>): string {
  const text = texts.get(id);
  if (text !== undefined) return text;
  throw new UserError({
    what: `There is no section "${id}"`,
    why: `this prompt has ${[...texts.keys()].join(", ")}`,
    fix: "Name one of them with --section",
  });
}
