import { basename, join } from "@std/path";
import { messageOf } from "../../core/error.ts";
import { isObject } from "../../core/json.ts";
import { countCharacters } from "../../core/support/text.ts";
import { cutBlock, MAX_BLOCK } from "../files/front_matter.ts";
import { readText } from "../files/read_text.ts";
import {
  isFitName,
  isFlatMap,
  isSameName,
  isTextUpTo,
  MAX_SKILL_BYTES,
  SKILL_LIMITS,
  STANDARD_FIELDS,
} from "./file.ts";

/**
 * What of a skill's folder breaks the rules of the standard, one sentence each; empty for a skill that keeps them all.
 *
 * Strict where finding skills is lenient (agentskills.io, specification; X1–X7): the verdict is that of its reference
 * validator.
 */
export async function validateSkill(folder: string): Promise<readonly string[]> {
  const read = readText(join(folder, "SKILL.md"), MAX_SKILL_BYTES);
  if (read.status === "missing") return [noFile(folder)];
  if (read.status !== "loaded") return [`SKILL.md cannot be read. ${read.note}`];
  if (read.note) return [`SKILL.md is too large. ${read.note}`];
  const block = cutBlock(read.text);
  if (block === undefined) return ["SKILL.md does not begin with a block between two --- lines"];
  if (block.length > MAX_BLOCK) return [`The block is longer than ${MAX_BLOCK} characters`];
  const fields = await parseStrict(block);
  return typeof fields === "string" ? [fields] : faultsOf(fields, basename(folder));
}

const NO_FILE = "There is no SKILL.md in the folder; the name has to be written in exactly these letters";

/** The rules field by field. */
function faultsOf(fields: Readonly<Record<string, unknown>>, folder: string): readonly string[] {
  const { name, description, compatibility, metadata } = fields;
  const unknown = Object.keys(fields).filter((key) => !STANDARD_FIELDS.includes(key));
  const faults = [...nameFaults(name, folder)];
  if (description === undefined) faults.push('The field "description" is missing');
  else if (!isTextUpTo(description, Infinity)) faults.push('The field "description" is not a text, or it is empty');
  else if (!isTextUpTo(description, SKILL_LIMITS.description)) faults.push(tooLong("description", description));
  if (compatibility !== undefined && !isTextUpTo(compatibility, SKILL_LIMITS.compatibility)) {
    faults.push(`The field "compatibility" is not a text of 1 to ${SKILL_LIMITS.compatibility} characters`);
  }
  if (metadata !== undefined && !isFlatMap(metadata)) {
    faults.push('The field "metadata" is not a map of strings to strings');
  }
  if (unknown.length > 0) {
    faults.push(`The standard has no field ${unknown.join(", ")}. Its fields are ${STANDARD_FIELDS.join(", ")}`);
  }
  return faults;
}

function nameFaults(name: unknown, folder: string): readonly string[] {
  if (name === undefined) return ['The field "name" is missing'];
  if (typeof name !== "string" || name.trim() === "") return ['The field "name" is not a text, or it is empty'];
  const plain = name.trim();
  const faults: string[] = [];
  if (countCharacters(plain.normalize("NFKC")) > SKILL_LIMITS.name) faults.push(tooLong("name", plain));
  if (!isFitName(plain)) {
    faults.push(`The name "${plain}" holds more than lower-case letters, digits and single hyphens between them`);
  }
  if (!isSameName(plain, folder)) faults.push(`The name "${plain}" is not that of the folder, "${folder}"`);
  return faults;
}

function tooLong(field: "name" | "description", value: unknown): string {
  return `The field "${field}" has ${countCharacters(String(value).trim())} characters, more than ${
    SKILL_LIMITS[field]
  }`;
}

/** Values that only full YAML knows: lists and maps in brackets, anchors, aliases, tags. */
const FULL_YAML = /^(?:[^\s#][^:]*|[ \t]+[\w-]+):[ \t]+[[{&*!]/m;

/** The fields, every plain value a text; a sentence where the block is not the simple YAML that the standard takes. */
async function parseStrict(block: string): Promise<Readonly<Record<string, unknown>> | string> {
  const blockTexts = /^[\w-]+:[ \t]*[|>][^\n]*\n(?:[ \t]+[^\n]*\n|\n)*/gm;
  const full = FULL_YAML.exec(block.replace(blockTexts, ""));
  if (full) return `The block uses more of YAML than the standard takes, at "${full[0].trim()}". Write plain values`;
  try {
    const { parse } = await import("@std/yaml");
    const value = parse(block, { schema: "failsafe" });
    return isObject(value) ? { ...value } : "The block holds no fields";
  } catch (error) {
    return `The block is not valid YAML: ${messageOf(error).split("\n", 1)[0]}. Put values with a colon in quotes`;
  }
}

function noFile(folder: string): string {
  try {
    return Deno.statSync(folder).isDirectory ? NO_FILE : "It is a file. Name the folder of a skill, or its SKILL.md";
  } catch {
    return "There is no such folder. Name a skill's folder";
  }
}
