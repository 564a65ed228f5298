import type { CommandView } from "../../core/engine.ts";
import { UserError } from "../../core/error.ts";
import { nearest } from "../nearest.ts";
import { inputCommands, type InputSources } from "./inputs.ts";

/**
 * Throws UserError for a text that begins with `/name` and names nothing: no template, no skill, no command of an
 * extension. A path such as `/etc/hosts`, or `/tmp` where it exists, begins a message.
 *
 * @param problem Why a skill that is named was not put in.
 */
export function refuseUnknownName(
  text: string,
  sources: InputSources,
  problem: string | undefined,
  commands: readonly Pick<CommandView, "name">[] = [],
): void {
  const name = /^\/([^\s/]+)(?:\s|$)/.exec(text)?.[1];
  if (name === undefined) return;
  const known = [...commands, ...inputCommands(sources)].map((one) => one.name);
  if (problem === undefined && (name.startsWith("skill:") || known.includes(name) || isPath(`/${name}`))) return;
  const near = nearest(name, known);
  throw new UserError({
    what: `There is no command /${name}`,
    why: problem ??
      "neither a template nor a skill nor an extension has that name; /help and its kind are the terminal UI's",
    fix:
      `${
        near === undefined ? "sandpiper skills lists the skills." : `Did you mean /${near}?`
      } For a message that begins ` +
      "with a slash put a word before it",
  });
}

function isPath(path: string): boolean {
  try {
    return Deno.lstatSync(path) !== undefined;
  } catch {
    return false;
  }
}
