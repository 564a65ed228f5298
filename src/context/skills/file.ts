import { dirname } from "@std/path";
import type { NamedFiles } from "../../core/named_files.ts";
import { isInside } from "../../core/policy.ts";
import { countCharacters, formatSize, isSteering, stripControls, takeCharacters } from "../../core/support/text.ts";
import { cutBlock, parseFrontMatter, textAfterBlock } from "../files/front_matter.ts";
import { failureOf, type ReadText, readText } from "../files/read_text.ts";

/** A read skill with what is odd about it, or why it cannot be used. */
export type ReadSkill =
  | { readonly head: SkillHead; readonly warnings: readonly string[] }
  | { readonly rejected: string };

/** Largest SKILL.md, bytes: more is no text for a model. */
export const MAX_SKILL_BYTES = 1024 * 1024;

/** Bytes read of a SKILL.md while looking for skills: nearly every block ends within the first number, none is as long as the second. */
const HEAD_BYTES = [4 * 1024, 64 * 1024] as const;

/**
 * Reads the head of a SKILL.md (R118, R123, X9).
 *
 * A missing description, a block that is no YAML even with its values quoted, or a link out of the skill's folder rejects
 * it; the rest is a warning.
 *
 * @param seen What the search knows of the file; looked up where it is left out.
 * @param files Opens it, if tools can replace a part of its path.
 */
export async function readSkill(path: string, seen?: Deno.FileInfo, files?: NamedFiles): Promise<ReadSkill> {
  const checked = checkFile(path, seen);
  if ("rejected" in checked) return checked;
  const read = readHead(path, checked.info, files);
  if (read.status === "missing") return { rejected: "the file is gone. Start again" };
  if (read.status !== "loaded") return { rejected: read.note };
  const parsed = await parseFrontMatter(read.text);
  if ("error" in parsed) return { rejected: `${parsed.error}. Write the block as docs/skills.md shows` };
  const made = skillHead(parsed.fields, folderName(path));
  if ("rejected" in made || !parsed.recovered) return made;
  return { ...made, warnings: [...made.warnings, "a value with a colon in it should stand in quotes"] };
}

function readHead(path: string, info: Deno.FileInfo, files: NamedFiles | undefined): ReadText {
  const [few, many] = HEAD_BYTES;
  const read = readText(path, few, info, files);
  const isLonger = read.status === "loaded" && read.note !== undefined && cutBlock(read.text) === undefined;
  return isLonger ? readText(path, many, info, files) : read;
}

/** The part before the last; a slice, because this is done a thousand times before the first request. */
function folderName(path: string): string {
  const end = path.lastIndexOf("/");
  return path.slice(path.lastIndexOf("/", end - 1) + 1, end);
}

/** The file itself, or why it may not be read: too large, or a link to what is not the skill's own (R147). */
function checkFile(
  path: string,
  seen?: Deno.FileInfo,
  maxBytes = MAX_SKILL_BYTES,
): { readonly info: Deno.FileInfo } | { readonly rejected: string } {
  try {
    const own = seen ?? Deno.lstatSync(path);
    const info = own.isSymlink ? Deno.statSync(path) : own;
    if (info.size > maxBytes) {
      const [size, most] = [formatSize(info.size), formatSize(MAX_SKILL_BYTES)];
      return { rejected: `it has ${size}, more than ${most}. Move parts of it into other files` };
    }
    if (!own.isSymlink || isInside(Deno.realPathSync(path), Deno.realPathSync(dirname(path)))) return { info };
    return { rejected: "it is a link to a file outside its folder. Copy the file here instead" };
  } catch (error) {
    const failure = failureOf(error);
    return {
      rejected: failure.status === "missing" ? "it links to nothing. Copy the file here instead" : failure.note,
    };
  }
}

/** The instructions of a skill, or why they cannot be read and what to do. */
export type SkillBody = { readonly text: string } | { readonly problem: string };

/** Reads a skill's instructions: its file without the block at the start, LF, without terminal controls (R115). */
export function readSkillBody(path: string, files?: NamedFiles): SkillBody {
  // A command of the session can have put a link in its place.
  const checked = checkFile(path, undefined, Infinity);
  if ("rejected" in checked) return { problem: checked.rejected };
  const read = readText(path, MAX_SKILL_BYTES, checked.info, files);
  if (read.status === "missing") return { problem: "the file is gone. Start again, or take another skill" };
  if (read.status !== "loaded") return { problem: read.note };
  if (read.note) return { problem: `${read.note}. Move parts of it into other files` };
  return { text: stripControls(textAfterBlock(read.text)) };
}

/** What a SKILL.md says of itself; its body is read when the skill is used. */
export interface SkillHead {
  readonly name: string;
  readonly description: string;
  /** False: only the user calls it (`disable-model-invocation`). */
  readonly modelInvocation: boolean;
  /** Patterns of the paths that it is for (`paths`). */
  readonly paths: readonly string[];
  /** Names of credentials that it needs (`auth_profiles`), sorted (R138); absent where it names none. */
  readonly authProfiles?: readonly string[];
  /** Tools that its author had in mind (`allowed-tools`). For people to read: it grants nothing (X5). */
  readonly allowedTools: readonly string[];
}

/** Longest values of the standard, Unicode characters (agentskills.io). */
export const SKILL_LIMITS = { name: 64, description: 1024, compatibility: 500 } as const;

/** The fields that the standard knows. */
export const STANDARD_FIELDS: readonly string[] = [
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
];

/** More patterns or profiles than these are no description of a skill. */
const MAX_LIST = 100;
const MAX_ITEM = 256;

/**
 * The head of a skill from its fields, with what is odd about it; a description is the one thing that must be there.
 *
 * Lenient where a reader can be (agentskills.io, client guide). Fields that only we know count in their own right and,
 * as the standard wants it, below `metadata`.
 *
 * @param folder Name of the skill's folder.
 */
function skillHead(
  fields: Readonly<Record<string, unknown>>,
  folder: string,
): { readonly head: SkillHead; readonly warnings: readonly string[] } | { readonly rejected: string } {
  const description = textOf(fields["description"]);
  if (!description) return { rejected: "it has no description. Write one that says what it does and when to use it" };
  const name = textOf(fields["name"]) || folder;
  const profiles = listOf(ownField(fields, "auth_profiles"), /[,\s]+/);
  return {
    head: {
      name: takeCharacters(name, SKILL_LIMITS.name),
      description: takeCharacters(description, SKILL_LIMITS.description),
      modelInvocation: !["true", true].some((set) => ownField(fields, "disable-model-invocation") === set),
      paths: listOf(ownField(fields, "paths"), ","),
      ...(profiles.length > 0 ? { authProfiles: profiles.toSorted() } : {}),
      allowedTools: listOf(fields["allowed-tools"], /\s+/),
    },
    warnings: [
      ...warningsOf(fields, name, description, folder),
      ...disguises({ name, description, auth_profiles: profiles.join("\n") }),
    ],
  };
}

function warningsOf(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  description: string,
  folder: string,
): readonly string[] {
  const { compatibility, metadata } = fields;
  const unknown = Object.keys(fields).filter((key) => !STANDARD_FIELDS.includes(key));
  const warnings: string[] = [];
  const warn = (holds: boolean, text: () => string): unknown => holds && warnings.push(text());
  warn(isLonger(name, SKILL_LIMITS.name), () => `its name was cut to ${SKILL_LIMITS.name} characters. Shorten it`);
  warn(!isFitName(name), () => "its name should be lower-case letters, digits and single hyphens");
  warn(!isSameName(name, folder), () => `its name should be that of its folder, "${folder}"`);
  warn(
    isLonger(description, SKILL_LIMITS.description),
    () => `its description was cut to ${SKILL_LIMITS.description} characters. Shorten it`,
  );
  warn(
    compatibility !== undefined && !isTextUpTo(compatibility, SKILL_LIMITS.compatibility),
    () => `its compatibility should be a text of 1 to ${SKILL_LIMITS.compatibility} characters`,
  );
  warn(metadata !== undefined && !isFlatMap(metadata), () => "its metadata should be a map of strings to strings");
  warn(unknown.length > 0, () => `the standard has no field ${unknown.slice(0, 10).join(", ")}. Put it below metadata`);
  return warnings;
}

/** The tags of the listing, and of a skill's instructions (docs/prompt.md, Skills). */
const LISTING_TAG = /<\s*\/?\s*(?:available_skills|skill|name|description|location|auth_profiles)\b/i;

/** Fields that would read as more than a field, were they not made harmless in the prompt (R38, R105). */
function disguises(shown: Readonly<Record<string, string>>): readonly string[] {
  const those = (holds: (text: string) => boolean): string =>
    Object.keys(shown).filter((key) => holds(shown[key] ?? "")).join(" and ");
  const tagged = those((text) => LISTING_TAG.test(text));
  const steering = those(isSteering);
  return [
    ...tagged ? [`the list of skills' own tags are in its ${tagged}; they are sent as mere text. Remove them`] : [],
    ...steering
      ? [
        "terminal control characters, or a line that prompts mark their halves with, were taken out of its " +
        `${steering}. Remove them from the file, and find out who put them there`,
      ]
      : [],
  ];
}

/** Whether a name is lower-case letters, of any script, and digits, with single hyphens between them (X1). */
export function isFitName(name: string): boolean {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return true; // nearly always
  const plain = name.normalize("NFKC");
  return plain === plain.toLowerCase() && /^[\p{L}\p{N}]+(-[\p{L}\p{N}]+)*$/u.test(plain);
}

/** Whether two names are one, however their characters are composed. */
export function isSameName(a: string, b: string): boolean {
  return a === b || a.normalize("NFKC") === b.normalize("NFKC");
}

/** Whether a value is a text of 1 to `limit` characters. */
export function isTextUpTo(value: unknown, limit: number): boolean {
  const text = textOf(value);
  return text !== "" && !isLonger(text, limit);
}

// Counting is left for texts that may be too long: there are two of them in each of a thousand skills.
function isLonger(text: string, limit: number): boolean {
  return text.length > limit && countCharacters(text) > limit;
}

/** Whether a value is a map without lists or maps in it; a number or a date is a string that YAML took for more. */
export function isFlatMap(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    Object.values(value).every((one) => typeof one !== "object" || one instanceof Date);
}

function ownField(fields: Readonly<Record<string, unknown>>, key: string): unknown {
  const { metadata } = fields;
  if (fields[key] !== undefined || typeof metadata !== "object" || metadata === null) return fields[key];
  return Object.hasOwn(metadata, key) ? Reflect.get(metadata, key) : undefined;
}

/** A list of texts, or one text with separators: trimmed, each once, in their order. */
function listOf(value: unknown, separator: string | RegExp): readonly string[] {
  if (value === undefined) return [];
  const items: readonly unknown[] = Array.isArray(value) ? value : textOf(value).split(separator);
  const texts = items.map(textOf).filter((text) => text !== "" && text.length <= MAX_ITEM);
  return [...new Set(texts)].slice(0, MAX_LIST);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** The element that stands for `/skill:name` (R111, R112, R115); nothing in the body can close it. */
export function skillElement(
  skill: { readonly name: string; readonly path: string; readonly folder: string },
  body: string,
): string {
  return [
    `<skill name="${escapeAttribute(skill.name)}" location="${escapeAttribute(skill.path)}">`,
    `References are relative to ${skill.folder}.`,
    "",
    body.replace(/<(?=\/skill\b)/gi, "&lt;"),
    "</skill>",
  ].join("\n");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeAttribute(value: string): string {
  return value.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char).replace(/\s/g, " ");
}
