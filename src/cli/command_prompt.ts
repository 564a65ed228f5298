import { UserError } from "../core/error.ts";
import { stripControls } from "../core/text.ts";
import { sectionTexts } from "../prompt/compile.ts";
import { openApp } from "./app.ts";
import { configure } from "./config.ts";
import { writeAll } from "./main.ts";
import type { Invocation } from "./parse.ts";
import { readWorld } from "./world.ts";

/** `sandpiper prompt`: the system prompt as the model would get it; no network, no key, nothing started (R56). */
export async function promptCommand(invocation: Invocation): Promise<number> {
  const config = configure(invocation, readWorld());
  const app = await openApp(config, { startTools: false });
  try {
    const { prompt } = app.compile({ round: 1 });
    const { values } = invocation;
    for (const notice of values["quiet"] ? [] : app.notices) {
      writeAll(Deno.stderr, `warning: ${stripControls(notice)}\n`);
    }
    const text = (): string => {
      if (values["json"]) return JSON.stringify(prompt, null, 2);
      if (values["manifest"]) return JSON.stringify(prompt.manifest, null, 2);
      if (typeof values["section"] === "string") return section(values["section"], sectionTexts(app.base.inputs));
      if (values["stable"]) return prompt.stable;
      if (values["dynamic"]) return prompt.dynamic;
      return prompt.full;
    };
    writeAll(Deno.stdout, text() + "\n");
    return 0;
  } finally {
    await app.close();
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
