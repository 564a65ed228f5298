import { basename, join, resolve } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import { isInside } from "../../core/policy.ts";
import type { NamedFiles } from "../../core/named_files.ts";
import type { Diagnostic } from "../../core/prompt.ts";
import { isSteering, neutralise, stripControls, takeCharacters } from "../../core/support/text.ts";
import type { BootstrapPlaces } from "../files/bootstrap_file.ts";
import { type PackedFolder, withPacked } from "../files/config_folders.ts";
import { cutBlock, parseFrontMatter, textAfterBlock } from "../files/front_matter.ts";
import { failureOf, readText } from "../files/read_text.ts";

/** Where templates are looked for; relative paths of flags start at the workspace. */
export interface TemplateOptions
  extends Pick<BootstrapPlaces, "root" | "projectFolder" | "userFolder" | "trusted" | "linkProblem" | "files"> {
  /** `--template`: a file or a folder of files; taken even without `enabled`. */
  readonly explicit: readonly string[];
  readonly packed?: PackedFolder | undefined;
  /** Files or folders that extensions named (R163). */
  readonly contributed?: readonly string[];
  /** False: only the explicit ones (`--no-templates`). */
  readonly enabled: boolean;
}

/** Whose template it is; in this order the first wins a name (R162). */
export type TemplateOrigin = "packed" | "explicit" | "project" | "user" | "extension";

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
 * A name belongs to the first of: the pack's, explicit paths, the project's `prompts` folder, the user's, paths of
 * extensions, an open pack's.
 * Folders are not searched further down.
 */
export async function discoverTemplates(options: TemplateOptions): Promise<TemplateSet> {
  const problems: Diagnostic[] = [];
  const byName = new Map<string, Template>();
  const seen = new Set<string>();
  for (const { place, origin } of placesOf(options, problems)) {
    for (const path of filesAt(place, origin, problems, options.linkProblem)) {
      if (seen.has(path)) continue;
      seen.add(path);
      await take(path, { origin, files: filesFor(origin, options.files) }, byName, problems);
    }
  }
  return { templates: [...byName.values()].sort((a, b) => a.name < b.name ? -1 : 1), problems };
}

/** Links in the user's own directories lead where the user wants. */
function filesFor(origin: TemplateOrigin, files: NamedFiles | undefined): NamedFiles | undefined {
  return origin === "user" || origin === "packed" ? undefined : files;
}

async function take(
  path: string,
  { origin, files }: { readonly origin: TemplateOrigin; readonly files: NamedFiles | undefined },
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
  const read = await readTemplate(path, name, files);
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
  const explicit = options.explicit.map(of("explicit"));
  if (!options.enabled) return withPacked(options.packed, explicit, of("packed"));
  const own = projectFolder === undefined ? [] : [join(projectFolder, "prompts")].filter((path) => kindOf(path));
  if (!trusted) {
    const message = "The project is not trusted, so its templates are left out. Look at them, then pass --trust";
    for (const file of own) problems.push({ code: "untrusted", message, file });
  }
  const places = [
    ...explicit,
    ...trusted ? own.map(of("project")) : [],
    ...userFolder === undefined ? [] : [join(userFolder, "prompts")].map(of("user")),
    ...(options.contributed ?? []).map(of("extension")),
  ];
  return withPacked(options.packed, places, of("packed"));
}

/** The files of a place, and folders that are named like one, by name. What was named and is not there is a problem; what was only looked for is none. */
function filesAt(
  place: string,
  origin: TemplateOrigin,
  problems: Diagnostic[],
  linkProblem: TemplateOptions["linkProblem"] = () => undefined,
): readonly string[] {
  const isNamed = origin === "explicit" || origin === "extension";
  const problem = (message: string): readonly string[] => {
    problems.push(invalid(place, message));
    return [];
  };
  const mayFollow = (path: string): boolean => {
    const why = linkProblem(path);
    if (why !== undefined) problems.push(invalid(path, `The template is left out: ${why}`));
    return why === undefined;
  };
  const kind = kindOf(place);
  if (kind !== undefined && !mayFollow(place)) return [];
  switch (kind) {
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
      .filter((path) => (origin !== "project" || staysInside(path, place, problems)) && mayFollow(path));
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
  return attempt(() => Deno.statSync(path).isDirectory ? "folder" : "file");
}

/** What a template's file holds. */
export interface TemplateHead {
  /** One line for lists: the `description` of its block, else the beginning of its text. */
  readonly description: string;
  /** What to write after the name (`argument-hint`). */
  readonly argumentHint?: string;
  /** With places for arguments; LF, without the block (R150). */
  readonly text: string;
}

/** A read template with what is odd about it, or why it cannot be used. */
export type ReadTemplate =
  | { readonly head: TemplateHead; readonly warnings: readonly string[] }
  | { readonly rejected: string };

/** Most bytes of a template: more is no text that somebody types often. */
const MAX_BYTES = 256 * 1024;
const DESCRIPTION_CHARACTERS = 1024;
const BEGINNING_CHARACTERS = 60;

/** Why a link is no template, and what to do. */
const LINKS_TO_NOTHING = "it links to nothing. Put the file itself here, or remove the link";

/** Reads one template; a block that cannot be read leaves its text usable. Never throws. */
export async function readTemplate(path: string, name: string, files?: NamedFiles): Promise<ReadTemplate> {
  if (/[\s\p{Cc}]/u.test(name)) return { rejected: "its name cannot be typed. Use a file name without spaces" };
  if (name.startsWith("skill:")) return { rejected: "names that begin with skill: are those of skills. Rename it" };
  const read = readText(path, MAX_BYTES, undefined, files);
  // It was listed a moment ago.
  if (read.status === "missing") return { rejected: LINKS_TO_NOTHING };
  if (read.status !== "loaded") return { rejected: read.note };
  if (read.note) return { rejected: `it is larger than ${MAX_BYTES / 1024} KB. Shorten it` };
  const text = neutralise(stripControls(textAfterBlock(read.text)));
  if (text === "") return { rejected: "it has no text. Write what the model should be told" };
  const parsed = cutBlock(read.text) === undefined ? { fields: {} } : await parseFrontMatter(read.text);
  const fields: Readonly<Record<string, unknown>> = "fields" in parsed ? parsed.fields : {};
  const hint = lineOf(fields["argument-hint"]);
  return {
    head: {
      description: takeCharacters(lineOf(fields["description"]), DESCRIPTION_CHARACTERS) || beginningOf(text),
      ...(hint ? { argumentHint: takeCharacters(hint, DESCRIPTION_CHARACTERS) } : {}),
      text,
    },
    warnings: [
      ..."error" in parsed ? [`${parsed.error}. Correct the block`] : [],
      ...["description", "argument-hint"].filter((key) => typeof (fields[key] ?? "") !== "string")
        .map((key) => `its ${key} is no text. Write one line, in quotes`),
      ...isSteering(read.text) ? [ALTERED] : [],
    ],
  };
}

const ALTERED = "terminal control characters, or a line that prompts mark their halves with, were taken out of it. " +
  "Remove them from the file, and find out who put them there";

function lineOf(value: unknown): string {
  return typeof value === "string" ? stripControls(value).replace(/\s+/g, " ").trim() : "";
}

function beginningOf(text: string): string {
  const line = lineOf(text.slice(0, text.indexOf("\n") + 1 || undefined));
  const start = takeCharacters(line, BEGINNING_CHARACTERS);
  return start === line ? line : `${start}...`;
}
