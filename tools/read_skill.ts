import { dirname } from "@std/path";
import type * as z from "zod/mini";
import { ToolError } from "../src/core/error.ts";
import type { JsonObject } from "../src/core/json.ts";
import { formatSize } from "../src/core/support/text.ts";
import { textResult, type Tool, type ToolContext, type Zod } from "../src/core/tool.ts";
import type { ToolResult } from "../src/core/tool_result.ts";
import { decodeLossless, markStrayBytes } from "./text/lossless_text.ts";
import { shownPath } from "./text/shown_path.ts";
import { visibleControls } from "./text/visible_controls.ts";

// Loose, because the path that the host adds has to come through; the model is shown the slug alone.
const args = (z: Zod) => z.looseObject({ slug: z.string().check(z.describe("As the prompt lists it")) });

/** Most that one call gives, UTF-16 units. */
const MAX_UNITS = 72_000;
/** Larger files are no instructions. */
const MAX_BYTES = 1024 * 1024;

/**
 * Gives the instructions of a skill by its slug (R133, R134). Behind the boundary like `read`: the policy decides whether
 * the file may be opened (R146). Where a slug leads is the host's knowledge, see `skillArguments`.
 */
export const readSkill: Tool<z.infer<ReturnType<typeof args>>> = {
  name: "read_skill",
  description: "Read the instructions of a skill by its slug",
  args,
  promptSnippet: "Read the instructions of a skill",
  needs: ["read"],
  readOnly: true,
  place: "runner",
  run({ slug, path }, context) {
    if (typeof path !== "string") {
      throw new ToolError(`Nothing is known of skills here. Open the SKILL.md of "${slug}" with read`);
    }
    const file = context.files.resolve(path);
    return context.files.lock(file, "read", () => Promise.resolve(instructions(file, context)));
  },
};

/** The arguments of a call with the SKILL.md that its slug leads to. Throws ToolError for a slug that leads nowhere. */
export function skillArguments(given: JsonObject, places: ReadonlyMap<string, string>): JsonObject {
  if (typeof given["slug"] !== "string") return given;
  const slug = given["slug"].trim().replace(/^(?:\$|\/?skill:)/, "");
  const path = places.get(slug);
  if (path !== undefined) return { slug, path };
  throw new ToolError(`there is no skill "${slug}"; there is ${[...places.keys()].join(", ") || "none"}`);
}

function instructions(file: string, { files, policy }: ToolContext): ToolResult {
  const shown = shownPath(file, policy.root);
  const { size } = files.info(file);
  if (size > MAX_BYTES) throw new ToolError(`${shown} has ${formatSize(size)}. Open parts of it with read`);
  const text = decodeLossless(files.read(file)).replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  const body = text.replace(/^---\n(?:[^]*?\n)?---[ \t]*(?:\n|$)/, "").trim();
  const clean = visibleControls(markStrayBytes(body));
  const part = clean.length > MAX_UNITS ? clean.slice(0, MAX_UNITS).toWellFormed() : clean;
  return textResult([
    `References are relative to ${shownPath(dirname(file))}.`,
    part === "" ? "(The skill has no instructions.)" : part,
    ...(part.length < clean.length
      ? [`[Cut after ${MAX_UNITS} characters. Open ${shown} with read for the rest.]`]
      : []),
  ].join("\n\n"));
}
