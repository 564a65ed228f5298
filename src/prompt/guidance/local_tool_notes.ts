import type { StableInputs } from "../../core/prompt.ts";
import { bracketed, keepFiles } from "../text/files.ts";
import { visiblePath } from "../text/clean.ts";
import type { StableSection } from "../text/section.ts";
import { CONTEXT_CUT, SCRIPTS } from "../text/text.ts";
import { hasTool } from "../text/rendered.ts";

const filesOf = (inputs: StableInputs) => inputs.scripts ? [inputs.scripts.file] : [];

/** Scripts of this place and how to add one; an empty file says that there is nothing yet (R384–R387). */
export const localToolNotes: StableSection = {
  id: "local_tool_notes",
  title: "Local Scripts",
  stability: "stable",
  profiles: ["full"],
  files: filesOf,
  render: (inputs) => {
    const { perSource = 20_000, total = perSource } = inputs.budgets?.scripts ?? {};
    const { kept, sources, diagnostics } = keepFiles("local_tool_notes", filesOf(inputs), { perSource, total });
    if (inputs.scripts?.file.status !== "loaded") return { text: "", sources, diagnostics };
    const [file] = kept;
    const notes = file
      ? bracketed("SCRIPTS.md", file.isCut ? `${file.text}\n\n${CONTEXT_CUT}` : file.text)
      : SCRIPTS.none;
    return { text: [...advice(inputs, file !== undefined), notes].join("\n"), sources, diagnostics };
  },
};

/** Only what the active tools can do: running needs bash, adding needs a tool that writes. */
function advice(inputs: StableInputs, hasNotes: boolean): readonly string[] {
  const { scripts } = inputs;
  if (!scripts) return [];
  const intro = hasNotes ? [hasTool(inputs, "bash") ? SCRIPTS.run : SCRIPTS.known] : [];
  if (!["write", "edit", "bash"].some((name) => hasTool(inputs, name))) return intro;
  const say = scripts.editable ? SCRIPTS.add : SCRIPTS.propose;
  return [...intro, say(visiblePath(scripts.folder), visiblePath(scripts.file.path))];
}
