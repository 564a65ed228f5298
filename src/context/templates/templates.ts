import { basename, join, resolve } from "@std/path";
import { isInside } from "../../core/policy.ts";
import type { Diagnostic } from "../../core/prompt.ts";
import { failureOf } from "../files/read_text.ts";
import { LINKS_TO_NOTHING, readTemplate, type TemplateHead } from "./file.ts";

/** Where templates are looked for. */
export interface TemplateOptions {
  /** The workspace; relative paths of flags start here. */
  readonly root: string;
  readonly projectFolder?: string | undefined;
  readonly userFolder?: string | undefined;
  /** `--template`: a file or a folder of files; taken even without `enabled`. */
  readonly explicit: readonly string[];
  /** Files or folders that extensions named (R163). */
  readonly contributed?: readonly string[];
  /** Whether the project's own templates may be used. */
  readonly trusted: boolean;
  /** False: only the explicit ones (`--no-templates`). */
  readonly enabled: boolean;
}

/** Whose template it is; in this order the first wins a name (R162). */
export type TemplateOrigin = "explicit" | "project" | "user" | "extension";

/** A text that `/name` stands for. */
export interface Template extends TemplateHead {
  /** The file's name without `.md`. */
  readonly name: string;
  readonly path: string;
  readonly origin: TemplateOrigin;
}

/** Templates by name, and what the search had to report; each with the file. */
export interface TemplateSet {
  readonly templates: readonly Template[];
  readonly problems: readonly Diagnostic[];
}

/** Files looked at in one folder. */
const MAX_FILES = 1000;

/**
 * Finds the templates of every place there is (docs/templates.md; R149, R162, R163). Never throws.
 *
 * A name belongs to the first of: explicit paths, the project's `prompts` folder, the user's, paths of extensions.
 * Folders are not searched further down.
 */
export async function discoverTemplates(options: TemplateOptions): Promise<TemplateSet> {
  const problems: Diagnostic[] = [];
  const byName = new Map<string, Template>();
  const seen = new Set<string>();
  for (const { place, origin } of placesOf(options, problems)) {
    for (const path of filesAt(place, origin, problems)) {
      if (seen.has(path)) continue;
      seen.add(path);
      await take(path, origin, byName, problems);
    }
  }
  return { templates: [...byName.values()].sort((a, b) => a.name < b.name ? -1 : 1), problems };
}

async function take(
  path: string,
  origin: TemplateOrigin,
  byName: Map<string, Template>,
  problems: Diagnostic[],
): Promise<void> {
  const name = basename(path).slice(0, -".md".length);
  const winner = byName.get(name);
  if (winner) {
    const message = `The template is hidden by the one at ${winner.path}. Rename one of them`;
    problems.push({ code: "template_collision", message, file: path });
    return;
  }
  const read = await readTemplate(path, name);
  if ("rejected" in read) {
    problems.push(invalid(path, `The template is left out: ${read.rejected}`));
    return;
  }
  for (const warning of read.warnings) problems.push(invalid(path, `The template is used, but ${warning}`));
  byName.set(name, { ...read.head, name, path, origin });
}

interface Place {
  readonly place: string;
  readonly origin: TemplateOrigin;
}

function placesOf(options: TemplateOptions, problems: Diagnostic[]): readonly Place[] {
  const { root, projectFolder, userFolder, trusted } = options;
  const of = (origin: TemplateOrigin) => (path: string): Place => ({ place: resolve(root, path), origin });
  const named = options.explicit.map(of("explicit"));
  if (!options.enabled) return named;
  const own = projectFolder === undefined ? [] : [join(projectFolder, "prompts")].filter((path) => kindOf(path));
  if (!trusted) {
    const message = "The project is not trusted, so its templates are left out. Look at them, then pass --trust";
    for (const file of own) problems.push({ code: "untrusted", message, file });
  }
  return [
    ...named,
    ...trusted ? own.map(of("project")) : [],
    ...userFolder === undefined ? [] : [join(userFolder, "prompts")].map(of("user")),
    ...(options.contributed ?? []).map(of("extension")),
  ];
}

/** The files of a place, and folders that are named like one, by name. What was named and is not there is a problem; what was only looked for is none. */
function filesAt(place: string, origin: TemplateOrigin, problems: Diagnostic[]): readonly string[] {
  const isNamed = origin === "explicit" || origin === "extension";
  const problem = (message: string): readonly string[] => {
    problems.push(invalid(place, message));
    return [];
  };
  switch (kindOf(place)) {
    case undefined:
      return isNamed ? problem("There is no such file. Name a .md file or a folder of them") : [];
    case "file":
      if (!isNamed) {
        return problem("It is no folder, so there are no templates. Put a folder of .md files in its place");
      }
      return place.endsWith(".md") ? [place] : problem("It is no template. Give it the ending .md");
    case "folder":
      break;
  }
  try {
    const names = [...Deno.readDirSync(place)].map(({ name }) => name).filter((name) => /^[^.].*\.md$/.test(name))
      .sort();
    if (names.length > MAX_FILES) problem(`Only the first ${MAX_FILES} templates are used. Move the others elsewhere`);
    return names.slice(0, MAX_FILES).map((name) => join(place, name))
      .filter((path) => origin !== "project" || staysInside(path, place, problems));
  } catch {
    return problem("The folder cannot be listed. Change its permissions");
  }
}

/** A project's link out of its own folder is not followed: what it leads to is not what the user looked at. */
function staysInside(path: string, folder: string, problems: Diagnostic[]): boolean {
  try {
    if (isInside(Deno.realPathSync(path), Deno.realPathSync(folder))) return true;
    const message = "The template is left out: it is a link to a file outside its folder. Copy the file here instead";
    problems.push(invalid(path, message));
  } catch (error) {
    const failure = failureOf(error);
    const reason = failure.status === "missing" ? LINKS_TO_NOTHING : failure.note;
    problems.push(invalid(path, `The template is left out: ${reason}`));
  }
  return false;
}

function invalid(file: string, message: string): Diagnostic {
  return { code: "template_invalid", message, file };
}

function kindOf(path: string): "file" | "folder" | undefined {
  try {
    return Deno.statSync(path).isDirectory ? "folder" : "file";
  } catch {
    return undefined;
  }
}
