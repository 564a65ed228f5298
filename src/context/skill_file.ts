import { basename, dirname } from "@std/path";
import { isInside } from "../core/policy.ts";
import { countCharacters, takeCharacters } from "../core/text.ts";
import { parseFrontMatter } from "./front_matter.ts";
import { failureOf, readText } from "./read_text.ts";

/** What a SKILL.md says of itself; its body is read when the skill is used. */
export interface SkillHead {
  readonly name: string;
  readonly description: string;
  /** False: only the user calls it (`disable-model-invocation`). */
  readonly modelInvocation: boolean;
}

/** A read skill with what is odd about it, or why it cannot be used. */
export type ReadSkill =
  | { readonly head: SkillHead; readonly warnings: readonly string[] }
  | { readonly rejected: string };

/** Bytes read of a SKILL.md while looking for skills: the block at its start. */
const HEAD_BYTES = 64 * 1024;
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * Reads the head of a SKILL.md (R118, R123).
 *
 * Lenient where a reader can be (agentskills.io, client guide): an odd name is a warning; a missing description, broken
 * YAML or a link out of the skill's folder rejects it.
 */
export async function readSkill(path: string): Promise<ReadSkill> {
  const escape = linkOut(path);
  if (escape) return { rejected: escape };
  const read = readText(path, HEAD_BYTES);
  if (read.status === "missing") return { rejected: "there is no such file" };
  if (read.status !== "loaded") return { rejected: read.note };
  const parsed = await parseFrontMatter(read.text);
  if ("error" in parsed) return { rejected: parsed.error };
  const { fields } = parsed;
  const description = stringOf(fields.description);
  if (!description) return { rejected: "it has no description" };
  const name = stringOf(fields.name) || basename(dirname(path));
  return {
    head: {
      name: takeCharacters(name, MAX_NAME),
      description: takeCharacters(description, MAX_DESCRIPTION),
      modelInvocation: !isSet(fields, "disable-model-invocation"),
    },
    warnings: warningsOf(name, description, path),
  };
}

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;

function warningsOf(name: string, description: string, path: string): readonly string[] {
  const folder = basename(dirname(path));
  const warnings: string[] = [];
  if (countCharacters(name) > MAX_NAME) warnings.push(`its name was cut to ${MAX_NAME} characters`);
  if (!NAME.test(name)) warnings.push("its name should be lower-case letters, digits and single hyphens");
  if (name !== folder) warnings.push(`its name should be that of its folder, "${folder}"`);
  if (countCharacters(description) > MAX_DESCRIPTION) {
    warnings.push(`its description was cut to ${MAX_DESCRIPTION} characters`);
  }
  return warnings;
}

/** Why a SKILL.md that is a link may not be read: what it points to is not the skill's own (R147). */
function linkOut(path: string): string | undefined {
  try {
    if (!Deno.lstatSync(path).isSymlink) return undefined;
    if (isInside(Deno.realPathSync(path), Deno.realPathSync(dirname(path)))) return undefined;
    return "it is a link to a file outside its folder. Copy the file here instead";
  } catch (error) {
    const failure = failureOf(error);
    return failure.status === "missing" ? "it links to nothing" : failure.note;
  }
}

// Both places are in use for fields that the standard does not know.
function isSet(fields: Readonly<Record<string, unknown>>, key: string): boolean {
  const { metadata } = fields;
  const nested = typeof metadata === "object" && metadata !== null && Object.hasOwn(metadata, key)
    ? Reflect.get(metadata, key)
    : undefined;
  return [fields[key], nested].some((value) => value === true || value === "true");
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}
