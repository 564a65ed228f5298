// The home's git settings hold tokens as often as names: tools get settings of their own instead, with the user's identity
// and what is known to be harmless, in a file of the session's private folder.
import { dirname, isAbsolute, join } from "@std/path";
import type { FolderView } from "../system/folder_view.ts";
import { siftConfig } from "./harmless_config.ts";

/** Where the private settings lie in the session's temporary folder. */
export const PRIVATE_GIT_CONFIG = ".gitconfig";

/** What of a person's settings is looked at. */
export interface GitHome {
  readonly home: string;
  /** The workspace: settings may hold for some folders alone. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly view: Pick<FolderView, "readText">;
}

/** Private settings: the text of the configuration, and the files beside it that it names, by name. */
export interface PrivateGitConfig {
  readonly config: string;
  readonly beside: Readonly<Record<string, string>>;
}

/** An include may lead to another. */
const DEEPEST = 4;

/** Sections about one repository or another place. */
const NOT_GLOBAL = /^(?:remote|branch|submodule|extensions)$/i;

/** Signing takes a key, which no tool can read; an address may have a password in it. */
const NEEDS_SECRET = /^\t(?:gpgsign|signingkey)\b|:\/\/[^/\s]*@/i;

/** Whether a setting may hold for all repositories and needs no secret; `line` is its key and value as a file has them. Pure. */
export function isGlobalSetting(section: string, line: string): boolean {
  return !NOT_GLOBAL.test(section) && !NEEDS_SECRET.test(line);
}

/** What git keeps in files of their own, by setting: the name beside the private configuration, and the default below `git/`. */
const LISTS = {
  "core.excludesfile": { name: ".gitignore-global", standard: "ignore" },
  "core.attributesfile": { name: ".gitattributes-global", standard: "attributes" },
} as const;

/** The global settings of git that tools get, made of the person's; pure but for `view`. */
export function privateGitConfig(from: GitHome): PrivateGitConfig {
  const { home, env, view } = from;
  const own = env["XDG_CONFIG_HOME"];
  const folder = join(own?.startsWith("/") ? own : join(home, ".config"), "git");
  const named = env["GIT_CONFIG_GLOBAL"];
  const files = named?.startsWith("/") ? [named] : [join(folder, "config"), join(home, ".gitconfig")];
  const read = files.map((file) => sifted(file, from, DEEPEST));
  const places = new Map(read.flatMap(({ places }) => [...places]));
  const beside: Record<string, string> = {};
  for (const [setting, { name, standard }] of Object.entries(LISTS)) {
    const text = view.readText(places.get(setting) ?? join(folder, standard));
    // Patterns alone: a comment may say anything.
    beside[name] = (text ?? "").split("\n").filter((line) => !/^\s*#/.test(line)).join("\n");
  }
  return { config: read.map(({ text }) => text).join(""), beside };
}

/** Writes the settings into the session's temporary folder. */
export function writePrivateGitConfig(tmp: string, from: GitHome): void {
  const { config, beside } = privateGitConfig(from);
  const [excludes, attributes] = Object.values(LISTS).map(({ name }) => join(tmp, name));
  const lists = `[core]\n\texcludesFile = "${excludes}"\n\tattributesFile = "${attributes}"\n`;
  const files = { ...beside, [PRIVATE_GIT_CONFIG]: config + lists };
  for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(join(tmp, name), text, { mode: 0o600 });
}

/** What is harmless in a file and in those that it includes, in the order in which git would read it. */
function sifted(
  file: string,
  from: GitHome,
  depth: number,
): { readonly text: string; readonly places: ReadonlyMap<string, string> } {
  let text = "";
  const places = new Map<string, string>();
  const whole = depth > 0 ? from.view.readText(file) : undefined;
  for (const section of (whole ?? "").split(/^(?=[ \t]*\[)/m)) {
    const { harmless, risky } = siftConfig(section);
    const lines = harmless.split("\n");
    const name = /^\[([\w-]+)/.exec(lines[0] ?? "")?.[1] ?? "";
    const kept = lines.filter((line) => line !== "" && isGlobalSetting(name, line));
    if (kept.length > 1) text += kept.join("\n") + "\n";
    for (const setting of risky) {
      const at = setting.indexOf("=");
      const key = setting.slice(0, at).toLowerCase();
      const value = setting.slice(at + 1).replaceAll('"', "").trim();
      if (at < 0 || value === "") continue;
      const path = value.startsWith("~/")
        ? join(from.home, value.slice(2))
        : isAbsolute(value)
        ? value
        : join(dirname(file), value);
      if (key in LISTS) places.set(key, path);
      // Which folders of other owners a person trusts; git would not work in them.
      else if (key === "safe.directory" && /^[\w./*~+-]+$/.test(value)) text += `[safe]\n\tdirectory = ${value}\n`;
      else if (key === "include.path" || isMeant(setting.slice(0, at), file, from)) {
        const inner = sifted(path, from, depth - 1);
        text += inner.text;
        for (const [name, place] of inner.places) places.set(name, place);
      }
    }
  }
  return { text, places };
}

/** Whether a conditional include (`includeif.gitdir:PATTERN.path`) is for the workspace; git-config(1), Conditional includes. */
function isMeant(key: string, file: string, { home, root }: GitHome): boolean {
  const [, fold, written] = /^includeif\.gitdir(\/i)?:(.+)\.path$/i.exec(key) ?? [];
  if (written === undefined) return false;
  const pattern = written.startsWith("~/")
    ? join(home, written.slice(1))
    : written.startsWith("./")
    ? join(dirname(file), written.slice(1))
    : written.startsWith("/")
    ? written
    : `**/${written}`;
  const whole = written.endsWith("/") ? `${pattern.replace(/\/$/, "")}/**` : pattern;
  return new RegExp(`^${wildcards(whole)}$`, fold === undefined ? "" : "i").test(join(root, ".git"));
}

/** The wildcards of git's patterns of folders, as a regular expression; wildmatch without its classes of characters. */
function wildcards(pattern: string): string {
  return pattern.replace(
    /\*\*\/|\*\*|[*?]|[^\w/]/g,
    (part) =>
      part === "**/" ? "(?:.*/)?" : part === "**" ? ".*" : part === "*" ? "[^/]*" : part === "?" ? "[^/]" : `\\${part}`,
  );
}
