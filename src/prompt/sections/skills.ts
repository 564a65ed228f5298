import type {
  Diagnostic,
  PromptSkill,
  PromptSource,
  Rendered,
  RuntimeSkill,
  StableInputs,
  UnlistedReason,
  UnlistedSkill,
} from "../../core/prompt.ts";
import { sha256 } from "../../core/support/digest.ts";
import { countCharacters } from "../../core/support/text.ts";
import { clean, oneLine, visiblePath } from "../text/clean.ts";
import { type DynamicSection, hasTool, type StableSection } from "../text/section.ts";
import { skillsIntroduction, skillsLeftOut, TURN_SKILLS } from "../text/text.ts";

/** Room for all entries together, Unicode characters. */
const LISTING_CHARACTERS = 24_000;

/** Skills without room that are told of one by one; the sources name all of them. */
const TOLD = 20;

/** Names, descriptions and places of skills, by name; bodies are read when they are needed (R102–R108, R122). */
export const skillsListing: StableSection = {
  id: "skills_listing",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => {
    const tool = readingTool(inputs);
    if (!tool || inputs.skills.length === 0) return undefined;
    const entries: string[] = [];
    const sources: PromptSource[] = [];
    const diagnostics: Diagnostic[] = [];
    let omitted = 0;
    const limit = inputs.budgets?.skills?.total ?? LISTING_CHARACTERS;
    let left = limit;
    for (const skill of inputs.skills.toSorted(byName)) {
      const entry = elementOf(skill);
      const chars = countCharacters(entry);
      const fits = chars <= left;
      const status = fits ? "loaded" : "filtered";
      sources.push({
        kind: "skill",
        ref: oneLine(skill.name),
        path: skill.path,
        status,
        chars,
        kept: fits ? chars : 0,
        ...(fits ? { sha256: sha256(entry) } : {}),
      });
      if (fits) entries.push(entry), left -= chars;
      else if (++omitted <= TOLD) diagnostics.push(leftOut(skill, limit));
    }
    if (omitted > TOLD) diagnostics.push(leftOutToo(omitted - TOLD));
    const text = [skillsIntroduction(tool), "", "<available_skills>", ...entries, "</available_skills>"];
    if (omitted > 0) text.push(skillsLeftOut(omitted));
    return { text: text.join("\n"), sources, diagnostics };
  },
};

/** Skills that were found and that the listing does not show, each with the reason. */
export function unlistedSkills(inputs: StableInputs): readonly UnlistedSkill[] {
  const hidden = inputs.unlistedSkills ?? [];
  const reason: UnlistedReason | undefined = !skillsListing.profiles.includes(inputs.profile)
    ? "profile"
    : readingTool(inputs)
    ? undefined
    : "no_tool";
  if (reason === undefined) return hidden;
  return [...inputs.skills.map(({ name, path }): UnlistedSkill => ({ name, path, reason })), ...hidden];
}

function readingTool(inputs: StableInputs): string | undefined {
  return ["read", "read_skill"].find((name) => inputs.tools.some((tool) => tool.name === name));
}

// By code unit and not by locale: the order has to be the same on every machine.
function byName(a: PromptSkill, b: PromptSkill): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

function elementOf(skill: PromptSkill): string {
  const profiles = new Set((skill.authProfiles ?? []).map(oneLine).filter(Boolean));
  const names = [...profiles].sort().join(", ");
  return [
    "<skill>",
    `<name>${escapeXml(oneLine(skill.name))}</name>`,
    `<description>${escapeXml(oneLine(skill.description))}</description>`,
    `<location>${escapeXml(visiblePath(skill.path))}</location>`,
    ...names ? [`<auth_profiles>${escapeXml(names)}</auth_profiles>`] : [],
    "</skill>",
  ].join("\n");
}

function leftOut(skill: PromptSkill, limit: number): Diagnostic {
  return {
    code: "section_omitted",
    message: `Skill "${skill.name}" is not listed: the listing has room for ${limit} characters. Shorten ` +
      "descriptions or remove skills",
    file: skill.path,
    section: "skills_listing",
  };
}

function leftOutToo(count: number): Diagnostic {
  return {
    code: "section_omitted",
    message: `${count} more skills are not listed for the same reason. Remove some, or name those you want in the ` +
      "setting skills.load",
    section: "skills_listing",
  };
}

/** Skills that this turn mentions or whose paths it touches (K14, R126). */
export const skillsRuntime: DynamicSection = {
  id: "skills_runtime",
  stability: "dynamic",
  profiles: ["full"],
  render: (inputs) => {
    const budget = inputs.budgets?.skillsRuntime?.total;
    return skillsPrompt(inputs.runtimeSkills ?? [], {
      hasReadSkill: hasTool(inputs, "read_skill"),
      ...(budget === undefined ? {} : { budget }),
    });
  },
};

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** A text that can stand inside an element or an attribute (R105). */
function escapeXml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char) : text;
}

/** How much room the skills of a turn have, and what can load the rest. */
export interface SkillsPromptOptions {
  /** Unicode characters of the whole section; 24,000 unless told otherwise. */
  readonly budget?: number;
  /** Whether the tool `read_skill` is active. */
  readonly hasReadSkill: boolean;
}

/** Above so many active skills no instructions are included (R131). */
const FULL_UP_TO = 6;

/** A skill made ready: its line, its instructions where they may be shown, and what became of each. */
interface Entry {
  readonly skill: RuntimeSkill;
  readonly slug: string;
  readonly line: string;
  readonly body: string;
}

interface Layout {
  readonly lines: ReadonlySet<Entry>;
  readonly bodies: ReadonlySet<Entry>;
}

const NOTHING: Layout = { lines: new Set(), bodies: new Set() };
const RANK = { explicit: 0, path: 1, implicit: 2 } as const;
const SLUGS_CHARACTERS = 300;

/**
 * The `[Skills]` section: one line for each skill of the turn, and the instructions of those that were named or matched
 * by path, when few are active and they fit (R126–R133). Never longer than its budget.
 */
export function skillsPrompt(skills: readonly RuntimeSkill[], options: SkillsPromptOptions): Rendered | undefined {
  if (skills.length === 0) return undefined;
  const { budget = 24_000, hasReadSkill } = options;
  const entries = skills.map((skill) => entryOf(skill, skills.length <= FULL_UP_TO)).sort((a, b) =>
    RANK[a.skill.state] - RANK[b.skill.state] || bySlug(a, b)
  );
  const load = TURN_SKILLS.load(hasReadSkill, entries.some(({ skill }) => skill.isGiven));
  const fixed = countCharacters(`${TURN_SKILLS.heading}\n${load}\n`);
  let layout = layOut(entries, budget - fixed);
  let hint = leftOutHint(entries, layout, hasReadSkill);
  if (hint) {
    // Something stays out: room for saying so comes first.
    layout = layOut(entries, budget - fixed - longestHint(entries, hasReadSkill));
    hint = leftOutHint(entries, layout, hasReadSkill);
  }
  const text = textOf(entries, layout, load, hint);
  const isRoom = countCharacters(text) <= budget;
  const final = isRoom ? layout : NOTHING;
  return {
    text: isRoom ? text : "",
    sources: entries.map((entry) => sourceOf(entry, final)),
    diagnostics: entries.flatMap((entry) => diagnosticOf(entry, final, budget)),
  };
}

function textOf(entries: readonly Entry[], layout: Layout, load: string, hint: string | undefined): string {
  const shown = entries.filter((entry) => layout.lines.has(entry));
  const inFull = entries.filter((entry) => layout.bodies.has(entry)).sort(bySlug);
  const isAtHand = (entry: Entry): boolean => layout.bodies.has(entry) || entry.skill.isGiven === true;
  return [
    TURN_SKILLS.heading,
    ...shown.map((entry) => entry.line),
    ...shown.every(isAtHand) ? [] : [load],
    ...hint ? [hint] : [],
    ...inFull.map((entry) => entry.body),
  ].join("\n");
}

function entryOf(skill: RuntimeSkill, isFew: boolean): Entry {
  const slug = oneLine(skill.slug);
  const body = isFew && skill.state !== "implicit" ? clean(skill.body ?? "") : "";
  return {
    skill,
    slug,
    line: `- ${oneLine(skill.name)} (${slug}): ${oneLine(skill.description)}`,
    // Instructions cannot end their own element and begin another skill's.
    body: body && `<skill slug="${slug}">\n${body.replace(/<(\/?)(?=skill\b)/gi, "&lt;$1")}\n</skill>`,
  };
}

/** Lines first, each that fits; then instructions by slug, each that fits. */
function layOut(entries: readonly Entry[], room: number): Layout {
  let left = room;
  const take = (text: string): boolean => {
    const size = countCharacters(text) + 1;
    if (size > left) return false;
    left -= size;
    return true;
  };
  const lines = new Set(entries.filter((entry) => take(entry.line)));
  const bodies = new Set([...lines].sort(bySlug).filter((entry) => entry.body && take(entry.body)));
  return { lines, bodies };
}

function leftOutHint(entries: readonly Entry[], { lines }: Layout, hasReadSkill: boolean): string | undefined {
  const slugs = entries.filter((entry) => !lines.has(entry)).map((entry) => entry.slug);
  return slugs.length ? TURN_SKILLS.leftOut(hasReadSkill, listed(slugs)) : undefined;
}

function longestHint(entries: readonly Entry[], hasReadSkill: boolean): number {
  const all = entries.map((entry) => countCharacters(entry.slug) + 2).reduce((sum, size) => sum + size, 0);
  return countCharacters(TURN_SKILLS.leftOut(hasReadSkill, "")) + Math.min(all, SLUGS_CHARACTERS) + 20;
}

/** As many slugs as fit, and how many more there are. */
function listed(slugs: readonly string[]): string {
  const kept: string[] = [];
  let left = SLUGS_CHARACTERS;
  for (const slug of slugs) {
    left -= countCharacters(slug) + 2;
    if (left < 0) break;
    kept.push(slug);
  }
  const more = slugs.length - kept.length;
  return more === 0 ? kept.join(", ") : [...kept, `${more} more`].join(", ");
}

/** What is counted and digested is the line, and the instructions on the lines after it. */
function sourceOf(entry: Entry, { lines, bodies }: Layout): PromptSource {
  const { skill, slug, line, body } = entry;
  const whole = body ? `${line}\n${body}` : line;
  const part = !lines.has(entry) ? "" : bodies.has(entry) ? whole : line;
  return {
    kind: "skill",
    ref: slug,
    ...(skill.path === undefined ? {} : { path: skill.path }),
    status: part === "" ? "filtered" : part === whole ? "loaded" : "truncated",
    chars: countCharacters(whole),
    kept: countCharacters(part),
    ...(part ? { sha256: sha256(part) } : {}),
    reason: skill.state,
  };
}

function diagnosticOf(entry: Entry, { lines, bodies }: Layout, budget: number): readonly Diagnostic[] {
  const section = "skills_runtime";
  const why = `the section has room for ${budget} characters`;
  if (!lines.has(entry)) {
    const message =
      `Skill "${entry.slug}" is active but left out: ${why}. Mention fewer skills, or shorten descriptions`;
    return [{ code: "section_omitted", message, section }];
  }
  if (entry.body === "" || bodies.has(entry)) return [];
  const message = `The instructions of skill "${entry.slug}" are left out: ${why}. The model can load them itself`;
  return [{ code: "section_truncated", message, section }];
}

// By code unit and not by locale: the order has to be the same on every machine.
function bySlug(a: Entry, b: Entry): number {
  return a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : 0;
}
