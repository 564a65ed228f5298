import { dirname, join } from "@std/path";
import { selectSkills, type SkillReport } from "../../context/skills/selection.ts";
import { findSkillFiles } from "../../context/skills/folders.ts";
import type { Skill, SkillSet } from "../../context/skills/skills.ts";
import { validateSkill } from "../../context/skills/validate.ts";
import { UserError } from "../../core/error.ts";
import { linkProblem } from "../../core/named_files.ts";
import { stripControls, visibleJson } from "../../core/support/text.ts";
import { configure } from "../../config/config.ts";
import { writeAll } from "../output/write_all.ts";
import { listOrValidate } from "./list_or_validate.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { discover, skillChoice } from "../../engine/resources/skills.ts";
import { openTools } from "../../engine/tools/tools_host.ts";
import { readWorld } from "../../config/host_environment.ts";

/** `sandpiper skills`: what was found, hidden and rejected, with the reason; or whether a folder keeps the standard. */
export async function skillsCommand(invocation: Invocation): Promise<number> {
  return await listOrValidate(invocation, {
    ...{ name: "skills", thing: "folder", place: "DIR" },
    list: (isJson) => list(invocation, isJson),
    validate: async (path, files) => {
      const verdicts = [];
      for (const folder of skillsAt(path)) {
        const problem = linkProblem(files, join(folder, "SKILL.md"));
        const errors = problem === undefined ? await validateSkill(folder) : [problem];
        verdicts.push({ path: folder, valid: errors.length === 0, errors });
      }
      return verdicts;
    },
    faults: ({ errors }) => errors,
  });
}

async function list(invocation: Invocation, isJson: boolean): Promise<number> {
  const config = configure(invocation, readWorld());
  const tools = openTools(config, false);
  try {
    const found = await discover(config, tools.bundled, tools.policy);
    const { reports, problem } = reportsOf(found.skills, skillChoice(config), config.root);
    if (problem) writeAll(Deno.stderr, stripControls(`warning: ${problem}\n`));
    writeAll(Deno.stdout, isJson ? listJson(found, reports) : stripControls(listText(found, reports)));
    return 0;
  } finally {
    await tools.close();
  }
}

/** What a prompt that mentions nothing would make of each skill (R135). A wrong setting is told and hides nothing. */
function reportsOf(
  skills: readonly Skill[],
  choice: ReturnType<typeof skillChoice>,
  root: string,
): { readonly reports: ReadonlyMap<string, SkillReport>; readonly problem?: string } {
  const turn = { words: "", touched: [], root };
  const byPath = (reports: readonly SkillReport[]) => new Map(reports.map((report) => [report.path, report]));
  try {
    return { reports: byPath(selectSkills(skills, choice, turn, () => undefined).reports) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { reports } = selectSkills(skills, {}, turn, () => undefined);
    return { reports: byPath(reports), problem: `${error.what}: ${error.why}` };
  }
}

function listText(found: SkillSet, reports: ReadonlyMap<string, SkillReport>): string {
  const width = Math.max(...found.skills.map(({ name }) => name.length), 4);
  const skills = found.skills.flatMap((skill) => {
    const report = reports.get(skill.path);
    const status = report?.status === "active" ? "" : ` [${report?.status}: ${report?.reason}]`;
    return [
      `${skill.name.padEnd(width)}  ${skill.origin.padEnd(8)}  ${skill.path}${status}`,
      `${" ".repeat(width)}  ${skill.description.replace(/\s+/g, " ")}`,
    ];
  });
  // Hidden and rejected skills stand below in their own lists.
  const listed = new Set([...found.shadowed, ...found.rejected].map(({ path }) => path));
  const warnings = found.diagnostics.filter(({ file }) => file === undefined || !listed.has(file));
  return [
    ...skills.length > 0 ? skills : ["No skills"],
    ...section("Hidden", found.shadowed.map((one) => `${one.path}: ${one.winner} has the name "${one.name}"`)),
    ...section("Rejected", found.rejected.map((one) => `${one.path}: ${one.reason}`)),
    ...section("Warnings", warnings.map((one) => one.file === undefined ? one.message : `${one.file}: ${one.message}`)),
    "",
  ].join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}

function listJson(found: SkillSet, reports: ReadonlyMap<string, SkillReport>): string {
  const skills = found.skills.map((skill) => {
    const report = reports.get(skill.path);
    return { ...skill, ...(report ? { status: report.status, state: report.state, reason: report.reason } : {}) };
  });
  return visibleJson({ ...found, skills }, 2) + "\n";
}

/** A folder without a SKILL.md stands for the skills in it. */
function skillsAt(path: string): readonly string[] {
  const folder = /(?:^|\/)SKILL\.md$/.test(path) ? dirname(path) : path;
  const { found } = findSkillFiles(folder, true);
  return found.length === 0 ? [folder] : found.map((file) => dirname(file.path));
}
