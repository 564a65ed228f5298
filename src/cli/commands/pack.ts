import { basename, dirname, join, relative, resolve } from "@std/path";
import { FLAGS } from "../../config/options/flags.ts";
import { POLICY_GROUPS } from "../../config/options/packed.ts";
import { type Invocation, parseCommandLine, type Values } from "../../config/options/parse.ts";
import { checkSettings } from "../../config/settings/settings.ts";
import { namedFilesIn } from "../../config/named_files.ts";
import { readWorld } from "../../config/host_environment.ts";
import { readAgentAt } from "../../context/agents/agents.ts";
import { readSkill } from "../../context/skills/file.ts";
import { findSkillFiles } from "../../context/skills/folders.ts";
import { readTemplate } from "../../context/templates/templates.ts";
import { messageOf, UserError } from "../../core/error.ts";
import type { NamedFiles } from "../../core/named_files.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { isFile, isFolder } from "../../core/support/on_disk.ts";
import { stripControls, visibleJson } from "../../core/support/text.ts";
import { VERSION } from "../../core/version.ts";
import { readSource } from "../../hooks/code/source_files.ts";
import { isProductName } from "../../pack/archive.ts";
import { gatherFiles, refused, type Source } from "../../pack/gather.ts";
import { inspectBinary, writeBinary } from "../../pack/write_binary.ts";
import { writeAll } from "../output/write_all.ts";

/** What the prompt's section keeps of one text, and of all; characters. */
const PROMPT_LIMITS = { one: 50_000, all: 100_000 };
const MAX_TEXT_BYTES = 1024 * 1024;
/** Settings that say something of one machine. */
const OF_A_MACHINE = ["projects"];

/** `sandpiper pack`: writes this program with a team's own things inside, or tells what such a program holds. */
export async function packCommand({ values, words }: Invocation): Promise<number> {
  const cwd = resolve(typeof values["cwd"] === "string" ? values["cwd"] : ".");
  if (values["inspect"]) return inspect(words, cwd, values["json"] === true);
  if (words.length > 0) throw misuse(`"${words.join(" ")}" is no option`);
  const given = values["output"];
  if (typeof given !== "string" || given === "-") throw misuse("no file to write is named");
  const files = namedFilesIn({ ...readWorld(), cwd });
  const out = files.find(resolve(cwd, given), { access: "write", typed: true });
  const name = typeof values["name"] === "string" ? values["name"] : basename(out.path).replace(/\.exe$/i, "");
  if (!isProductName(name)) {
    throw new UserError({
      what: `Cannot call a program "${name.slice(0, 100)}"`,
      why: "a name has at most 64 letters, digits, dots, hyphens and underscores, and begins with a letter or a digit",
      fix: "Name it with --name NAME",
    });
  }
  for (const option of ["extension", "skills", "templates", "agents"]) {
    for (const path of pathsOf(values[option], cwd)) files.find(path, { access: "read", typed: true });
  }
  const extensions = pathsOf(values["extension"], cwd).map(extensionAt);
  const sources = [
    ...(await Promise.all(pathsOf(values["skills"], cwd).map(skillsIn))).flat(),
    ...(await Promise.all(pathsOf(values["templates"], cwd).map((at) => filesIn(at, "template", readTemplate)))).flat(),
    ...(await Promise.all(
      pathsOf(values["agents"], cwd).map((at) => filesIn(at, "agent", (path) => readAgentAt(path, "packed"))),
    )).flat(),
    ...extensions.flatMap(({ sources }) => sources),
  ];
  const twice = sources.find(({ to }, at) => sources.findIndex((one) => one.to === to) !== at);
  if (twice !== undefined) throw refused(twice.from, "another one has its name", "Rename one of them");
  const toPack = {
    ...{ name, isOpen: values["open"] === true },
    settings: settingsOf(files, values["settings"], cwd),
    flags: flagsOf(values["policy"]),
    prompt: promptOf(files, promptFiles(values["append-system-prompt"], cwd)),
    extensions: extensions.map(({ entry }) => entry).sort(),
    files: gatherFiles(sources),
  };
  const written = writeBinary(baseOf(files, values["target"], cwd), toPack, files, out);
  const { bytes, fingerprint, untested } = written;
  if (untested !== undefined && !values["quiet"]) writeAll(Deno.stderr, `warning: untested on ${untested}\n`);
  const text = values["json"]
    ? visibleJson({ file: out.path, name, ...written }, 2)
    : `${stripControls(out.path)}: ${name}, ${mega(bytes)}\nfingerprint ${fingerprint}`;
  writeAll(Deno.stdout, `${text}\n`);
  return 0;
}

function inspect(words: readonly string[], cwd: string, isJson: boolean): number {
  const [file, ...more] = words;
  if (file === undefined || more.length > 0) throw misuse("one file to inspect is wanted");
  const named = namedFilesIn({ ...readWorld(), cwd }).find(resolve(cwd, file), { access: "read", typed: true });
  const path = named.real;
  if (!isFile(path)) {
    throw new UserError({
      what: `Cannot inspect ${path}`,
      why: "there is no file of this name",
      fix: "Name a packed program",
    });
  }
  const { index, fingerprint, bytes } = inspectBinary(path);
  const { name, isOpen, settings, flags, prompt, files, extensions } = index;
  const shown = Object.fromEntries(Object.entries(flags).map(([key, value]) => [key, typed(value)]));
  if (isJson) {
    const record = { name, fingerprint, bytes, isOpen, settings, policy: shown, prompt, extensions, files };
    writeAll(Deno.stdout, visibleJson(record, 2) + "\n");
    return 0;
  }
  const options = Object.entries(flags).map(([key, value]) => optionText(key, value));
  const width = Math.max(0, ...files.map((one) => String(one.bytes).length));
  const lines = [
    `name         ${name}`,
    `fingerprint  ${fingerprint}`,
    `size         ${mega(bytes)}`,
    `open         ${isOpen ? "yes: files of the same name may stand in for those inside" : "no"}`,
    `policy       ${options.join(" ") || "the usual scopes"}`,
    `settings     ${JSON.stringify(settings)}`,
    `prompt       ${prompt.length === 0 ? "nothing" : `${prompt.join("").length} characters`}`,
    ...files.map((one) => `${String(one.bytes).padStart(width)}  ${one.sha256.slice(0, 16)}  ${one.path}`),
  ];
  writeAll(Deno.stdout, stripControls(lines.join("\n")) + "\n");
  return 0;
}

/** An option as it was typed. */
function optionText(name: string, value: JsonValue): string {
  const shown = typed(value);
  return shown === true ? `--${name}` : `--${name}=${Array.isArray(shown) ? shown.join(",") : String(shown)}`;
}

/** A bare scope stands for everything; the parser marks it with a character that nobody can type. */
function typed(value: JsonValue): JsonValue {
  return Array.isArray(value) && value[0] === "\u0000all" ? true : value;
}

function mega(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function pathsOf(value: Values[string], cwd: string): string[] {
  return Array.isArray(value) ? value.map((path) => resolve(cwd, path)) : [];
}

async function skillsIn(folder: string): Promise<Source[]> {
  const { found, refused: left } = findSkillFiles(folder, false);
  for (const { path, reason } of left) throw refused(path, reason, "Correct it, or leave it out");
  if (found.length === 0) {
    const why = isFolder(folder) ? "it holds no skill: a folder with a SKILL.md" : "there is no such folder";
    throw refused(folder, why, "Name another folder");
  }
  return await Promise.all(found.map(async ({ path }) => {
    const read = await readSkill(path);
    if ("rejected" in read) throw refused(path, read.rejected, "Correct the skill");
    return { from: dirname(path), to: `skills/${basename(dirname(path))}` };
  }));
}

/** Files NAME.md of a folder, each of which `read` takes. */
async function filesIn(
  folder: string,
  what: "template" | "agent",
  read: (path: string, name: string) => Promise<object>,
): Promise<Source[]> {
  let names: string[];
  try {
    names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch (error) {
    throw refused(folder, messageOf(error), "Name a folder that can be read");
  }
  const files = names.filter((name) => /^[^.].*\.md$/.test(name)).sort();
  if (files.length === 0) throw refused(folder, `it holds no ${what}: a file NAME.md`, "Name another folder");
  return await Promise.all(files.map(async (file) => {
    const path = join(folder, file);
    const found = await read(path, file.slice(0, -".md".length));
    if ("rejected" in found) throw refused(path, String(found.rejected), `Correct the ${what}`);
    return { from: path, to: `${what}s/${file}` };
  }));
}

/** The files of an extension: a folder with all that is in it, or a file with what it imports from its folder. */
function extensionAt(path: string): { readonly entry: string; readonly sources: readonly Source[] } {
  const index = ["index.ts", "index.js"].map((name) => join(path, name)).find(isFile);
  if (!isFile(path) && index === undefined) {
    throw refused(path, "there is no such file, and no folder with index.ts", "Correct the path");
  }
  const { files, packageField } = readSource(index ?? path);
  if (index !== undefined) {
    const to = `extensions/${basename(path)}`;
    return { entry: `${to}/${basename(index)}`, sources: [{ from: path, to }] };
  }
  const root = Deno.realPathSync(dirname(path));
  const to = `extensions/${basename(path).replace(/\.[jt]s$/, "")}`;
  const read = files.map((file) => file.path).concat(packageField === undefined ? [] : [join(root, "package.json")]);
  const sources = read.map((from) => ({ from, to: `${to}/${relative(root, from)}` }));
  return { entry: `${to}/${basename(path)}`, sources };
}

function settingsOf(files: NamedFiles, value: Values[string], cwd: string): JsonObject {
  if (typeof value !== "string") return {};
  const path = resolve(cwd, value);
  let read: unknown;
  try {
    read = JSON.parse(textOf(files, path));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw refused(path, messageOf(error), "Correct the JSON");
  }
  if (!isObject(read)) throw refused(path, "it must hold one JSON object", 'Write for example {"thinking": "low"}');
  const { $schema: _, ...raw } = read;
  const { warnings: [odd] } = checkSettings(path, raw, "user");
  if (odd !== undefined) throw refused(path, odd, "Correct the key, or leave it out");
  const own = OF_A_MACHINE.find((key) => key in raw);
  if (own !== undefined) throw refused(path, `"${own}" is about folders of one machine`, "Leave the key out");
  return raw;
}

function flagsOf(value: Values[string]): JsonObject {
  if (typeof value !== "string") return {};
  const { values, words, command } = parseCommandLine(wordsOf(value));
  const odd = Object.keys(values).find((name) =>
    !POLICY_GROUPS.includes(FLAGS.find((flag) => flag.name === name)?.group ?? "Run")
  );
  if (odd === undefined && words.length === 0 && command === undefined) return values as JsonObject; // no value is absent
  throw new UserError({
    what: `Cannot use --policy ${JSON.stringify(value)}`,
    why: odd === undefined ? "it holds words that are no options" : `--${odd} is neither a scope nor a limit`,
    fix: 'Write options of scopes and limits, for example --policy "--read-only --max-turns 20"',
  });
}

/** Words as a shell separates them; quotes hold together what has spaces. */
function wordsOf(text: string): string[] {
  return (text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, one: string | undefined, other: string | undefined) => one ?? other ?? "")
  );
}

/** The files of a prompt, with or without the `@` that they have in the other commands. */
function promptFiles(value: Values[string], cwd: string): readonly string[] {
  return Array.isArray(value) ? value.map((path) => resolve(cwd, path.replace(/^@/, ""))) : [];
}

function promptOf(files: NamedFiles, paths: readonly string[]): readonly string[] {
  const texts = paths.map((path) => {
    const text = textOf(files, path);
    if (text.trim() === "") throw refused(path, "it has no text", "Write what the model should be told");
    if (text.length > PROMPT_LIMITS.one) {
      throw refused(path, `it has more than ${PROMPT_LIMITS.one} characters`, "Cut it");
    }
    return text;
  });
  if (texts.join("").length <= PROMPT_LIMITS.all) return texts;
  throw refused("the prompt", `its texts have more than ${PROMPT_LIMITS.all} characters`, "Cut them");
}

function textOf(files: NamedFiles, path: string): string {
  try {
    const bytes = files.read(files.find(path, { access: "read", typed: true }), MAX_TEXT_BYTES);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw refused(path, messageOf(error), "Name a readable text file (UTF-8)");
  }
}

function baseOf(files: NamedFiles, target: Values[string], cwd: string): string {
  if (typeof target === "string") return files.find(resolve(cwd, target), { access: "read", typed: true }).real;
  if (Deno.build.standalone) return Deno.execPath();
  throw new UserError({
    what: "Cannot pack from source",
    why: "there is no binary to pack into",
    fix: `Name one of sandpiper ${VERSION} with --target, as deno task compile makes it`,
  });
}

function misuse(why: string): UserError {
  return new UserError({
    what: "Cannot pack",
    why,
    fix: "Write sandpiper pack --skills DIR … -o FILE, or sandpiper pack --inspect FILE",
  });
}
