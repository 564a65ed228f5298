import { isAbsolute, normalize, relative } from "@std/path";
import { UserError } from "../../core/error.ts";
import type { RuntimeSkill, SkillState, UnlistedSkill } from "../../core/prompt.ts";
import type { Skill } from "./skills.ts";

/** Settings `skills.load` and `skills.mode`. */
export interface SkillChoice {
  /** Names or ids of the skills that the model is told of; `*` and nothing mean all (R140). */
  readonly load?: readonly string[] | undefined;
  /** `off`: none at all (R142). */
  readonly mode?: "on" | "off" | undefined;
}

/** What of one prompt can call for a skill. */
export interface SkillTurn {
  /** What the user said, skills and templates put in, without a skill's own text. */
  readonly words: string;
  /** The skill that `/skill:` named; its instructions are in the message. */
  readonly expanded?: Skill | undefined;
  /** Files that were attached or touched besides those that the words name; absolute or relative to the workspace. */
  readonly touched: readonly string[];
  readonly root: string;
}

/** What became of one skill, for the debugging output (R135). */
export interface SkillReport {
  readonly name: string;
  readonly slug: string;
  readonly path: string;
  /** `non-implicit`: only a mention by the user calls it. */
  readonly status: "active" | "disabled" | "non-implicit";
  /** Present when active. */
  readonly state?: SkillState;
  readonly reason: string;
}

/** The skills of a turn. */
export interface SkillSelection {
  /** For the dynamic half: mentioned by the user or matched by a path (K14), by rank and slug. */
  readonly runtime: readonly RuntimeSkill[];
  /** Every skill, by slug. */
  readonly reports: readonly SkillReport[];
}

/** More active skills than these go without their instructions (R131). */
export const MAX_BODIES = 6;

/**
 * The skills that settings let through.
 *
 * Throws UserError for a name in `load` that no skill has, unless `*` stands beside it (R141).
 */
export function chooseSkills(skills: readonly Skill[], choice: SkillChoice): readonly Skill[] {
  if (choice.mode === "off") return [];
  const { load } = choice;
  if (load === undefined || load.includes("*")) return skills;
  const wanted = new Set(load.map((name) => name.trim().toLowerCase()).filter((name) => name !== ""));
  const chosen = skills.filter((skill) => keysOf(skill).some((key) => wanted.has(key)));
  const known = new Set(chosen.flatMap(keysOf));
  const unknown = [...wanted].find((name) => !known.has(name));
  if (unknown === undefined) return chosen;
  throw new UserError({
    what: `There is no skill "${unknown}", which the setting skills.load names`,
    why: `the skills are ${skills.map(({ name }) => name).join(", ") || "none"}`,
    fix: 'Correct the name, or write "*" for all; sandpiper skills list shows what was found and what was rejected',
  });
}

/**
 * Decides which skills a turn calls for (R126–R131, R135, R143). Pure but for `bodyOf`.
 *
 * @param bodyOf The instructions of a skill; `given` where they are in the request already (X11), undefined where they cannot be read.
 */
export function selectSkills(
  skills: readonly Skill[],
  choice: SkillChoice,
  turn: SkillTurn,
  bodyOf: (skill: Skill) => string | { readonly given: true } | undefined,
): SkillSelection {
  const bySlug = skills.toSorted((a, b) => a.slug < b.slug ? -1 : 1);
  const listed = new Set(choice.mode === "off" ? [] : chooseSkills(skills, choice));
  const mentioned = mentionsIn(turn.words);
  const touched = [
    ...pathsIn(turn.words, turn.root),
    ...turn.touched.map((path) => insideOf(path, turn.root)).filter((path) => path !== undefined),
  ];
  const judged = bySlug.map((skill) => ({ skill, ...judge(skill, choice, listed, mentioned, touched, turn.expanded) }));
  const called = (["explicit", "path"] as const)
    .flatMap((state) => judged.filter((one) => one.state === state).map((one) => ({ ...one, state })));
  return {
    runtime: called.map(({ skill, state, reason }) => {
      const body = skill === turn.expanded ? { given: true } : bodyOf(skill);
      const { name, slug, path, description } = skill;
      const base = { name, slug, path, description, state, reason };
      if (typeof body === "object") return { ...base, isGiven: true };
      return body === undefined || called.length > MAX_BODIES ? base : { ...base, body };
    }),
    reports: judged.map(({ skill: { name, slug, path }, ...verdict }) => ({ name, slug, path, ...verdict })),
  };
}

/** The skills that the listing does not show although they were found. `choice` is one that `chooseSkills()` accepts. */
export function unlistedSkills(skills: readonly Skill[], choice: SkillChoice): readonly UnlistedSkill[] {
  const chosen = new Set(chooseSkills(skills, choice));
  return skills.flatMap((skill): readonly UnlistedSkill[] => {
    const { name, path, modelInvocation } = skill;
    if (!chosen.has(skill)) return [{ name, path, reason: "disabled" }];
    return modelInvocation ? [] : [{ name, path, reason: "non_implicit" }];
  });
}

type Verdict = Pick<SkillReport, "status" | "state" | "reason">;

function judge(
  skill: Skill,
  choice: SkillChoice,
  listed: ReadonlySet<Skill>,
  mentioned: ReadonlySet<string>,
  touched: readonly string[],
  expanded: Skill | undefined,
): Verdict {
  if (choice.mode === "off") return { status: "disabled", reason: "skills.mode is off" };
  if (skill === expanded) return { status: "active", state: "explicit", reason: `/skill:${skill.name}` };
  if (keysOf(skill).some((key) => mentioned.has(key))) {
    return { status: "active", state: "explicit", reason: `$${skill.name} is mentioned` };
  }
  if (!listed.has(skill)) return { status: "disabled", reason: "skills.load does not name it" };
  if (!skill.modelInvocation) return { status: "non-implicit", reason: "disable-model-invocation is set" };
  for (const pattern of skill.paths) {
    const path = touched.find((one) => matchesPath(pattern, one));
    if (path !== undefined) return { status: "active", state: "path", reason: `${pattern} matches ${path}` };
  }
  return { status: "active", state: "implicit", reason: "the model may choose it" };
}

/** Words after a `$`, as `$review`; not `$1`-like numbers, which no skill is called by. */
function mentionsIn(text: string): ReadonlySet<string> {
  const words = [...text.matchAll(/(?<![\w$\\])\$([\p{L}\p{N}_][\p{L}\p{N}_./-]*)/gu)];
  return new Set(words.map(([, word = ""]) => word.replace(/[./-]+$/, "").toLowerCase()));
}

function keysOf(skill: Skill): readonly string[] {
  return [skill.name, skill.slug, skill.id].map((key) => key.toLowerCase());
}

/** Most alternatives that the braces of one pattern may make. */
const MAX_ALTERNATIVES = 64;
/** Most paths that are taken from one text. */
const MAX_PATHS = 200;

/**
 * Whether a pattern of a skill's `paths` takes in a path (R129). Both are relative to the workspace, with `/`.
 *
 * `*` and `?` stay within a name, `**` stands for any number of folders, `{a,b}` for either. A pattern without `/` is
 * one for names in any folder. Takes time in proportion to both lengths, whatever the pattern.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const matchesChar = (want: string, char: string): boolean => want === "?" || want === char;
  const plain = pattern.replace(/^(?:\.?\/)+/, "").replace(/\/$/, "/**");
  const parts = path.split("/");
  return alternatives(plain).some((one) => {
    const wanted = one.includes("/") ? one.split("/") : ["**", one];
    return matchesAll(wanted, parts, "**", (want, part) => matchesAll([...want], [...part], "*", matchesChar));
  });
}

/** Matches a sequence where `any` in the pattern stands for any number of items; only the last such has to be tried again. */
function matchesAll(
  pattern: readonly string[],
  items: readonly string[],
  any: string,
  matches: (want: string, item: string) => boolean,
): boolean {
  let p = 0, resume = -1, taken = 0;
  for (let i = 0; i < items.length;) {
    const want = pattern[p];
    if (want === any) resume = ++p, taken = i;
    else if (want !== undefined && matches(want, items[i] ?? "")) p++, i++;
    else if (resume >= 0) p = resume, i = ++taken;
    else return false;
  }
  while (pattern[p] === any) p++;
  return p === pattern.length;
}

/** The patterns that braces stand for; without nesting, and none beyond a limit. */
function alternatives(pattern: string): readonly string[] {
  let made = [""];
  for (const [, text = "", choice] of pattern.matchAll(/([^{]+)|\{([^{}]*)\}|\{/g)) {
    const next = choice === undefined ? [text || "{"] : choice.split(",");
    made = made.flatMap((start) => next.map((end) => start + end)).slice(0, MAX_ALTERNATIVES);
  }
  return made;
}

/** Words of a text that look like files of the workspace, relative to it, each once. */
export function pathsIn(text: string, root: string): readonly string[] {
  const found = new Set<string>();
  for (const word of text.split(/[\s"'`()<>\[\]|]+/)) {
    const path = word.replace(/^@/, "").replace(/(?::\d+)*[.,;:!?]*$/, "");
    if (!(path.includes("/") || /\.[A-Za-z0-9]{1,8}$/.test(path)) || path.includes("://")) continue;
    const inside = insideOf(path, root);
    if (inside !== undefined) found.add(inside);
    if (found.size >= MAX_PATHS) break;
  }
  return [...found];
}

/** A path relative to the workspace; undefined for one outside it and for the workspace itself. */
export function insideOf(path: string, root: string): string | undefined {
  const plain = normalize(isAbsolute(path) ? relative(root, path) : path).replace(/\/$/, "");
  return plain === "." || plain === ".." || plain.startsWith("../") || isAbsolute(plain) ? undefined : plain;
}
