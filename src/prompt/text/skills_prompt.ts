import { sha256 } from "../../core/support/digest.ts";
import type { Diagnostic, PromptSource, Rendered, RuntimeSkill } from "../../core/prompt.ts";
import { countCharacters } from "../../core/support/text.ts";
import { clean, oneLine } from "./clean.ts";
import { TURN_SKILLS } from "./text.ts";

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
  const entries = skills.map((skill) => entryOf(skill, skills.length <= FULL_UP_TO)).sort(byRank);
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

function byRank(a: Entry, b: Entry): number {
  return RANK[a.skill.state] - RANK[b.skill.state] || bySlug(a, b);
}

// By code unit and not by locale: the order has to be the same on every machine.
function bySlug(a: Entry, b: Entry): number {
  return a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : 0;
}
