// A repository that a command made is its own to configure, but a later git of the user would obey it. So settings are let
// through that are known to start no program and to name no other place; the list of those that do grows with git.

/** What of a configuration is harmless, and what is not. */
export interface SiftedConfig {
  /** Written anew from what was understood, so that git reads in it what was read here. */
  readonly harmless: string;
  /** `name=value` of each setting that is not known to be harmless, and lines that were not understood. */
  readonly risky: readonly string[];
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const allOf = (sections: string): Record<string, true> =>
  Object.fromEntries(sections.split(" ").map((name) => [name, true]));

/** Keys by section, in lower case; with a subsection or without. `true`: whatever the key. git-config(1). */
const HARMLESS: Readonly<Record<string, true | ReadonlySet<string>>> = {
  ...allOf("advice color column i18n pack index rerere status versionsort feature author committer"),
  core: words(
    "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf " +
      "quotepath abbrev compression loosecompression bigfilethreshold sharedrepository untrackedcache splitindex checkstat " +
      "trustctime preloadindex fscache longpaths commentchar whitespace sparsecheckout sparsecheckoutcone hidedotfiles " +
      "protecthfs protectntfs commitgraph multipackindex fsync fsyncmethod warnambiguousrefs",
  ),
  user: words("name email signingkey useconfigonly"),
  remote: words("fetch push prune prunetags tagopt mirror skipfetchall pushdefault"),
  branch: words("remote merge rebase pushremote description autosetuprebase autosetupmerge sort"),
  submodule: words("active branch ignore fetchrecursesubmodules shallow recurse fetchjobs"),
  extensions: words("objectformat refstorage worktreeconfig noop preciousobjects relativeworktrees"),
  init: words("defaultbranch"),
  pull: words("rebase ff octopus twohead"),
  push: words("default autosetupremote followtags recursesubmodules"),
  fetch: words("prune prunetags parallel recursesubmodules writecommitgraph unpacklimit fsckobjects"),
  merge: words("ff conflictstyle renames log stat autostash verbosity renamelimit directoryrenames"),
  rebase: words("autostash autosquash stat updaterefs missingcommitscheck"),
  commit: words("gpgsign verbose cleanup status"),
  tag: words("gpgsign sort"),
  log: words("date decorate follow abbrevcommit showroot mailmap"),
  diff: words(
    "renames algorithm colormoved mnemonicprefix noprefix context interhunkcontext renamelimit submodule ignoresubmodules " +
      "wserrorhighlight indentheuristic relative xfuncname funcname wordregex binary",
  ),
  gc: words("auto autodetach autopacklimit pruneexpire reflogexpire reflogexpireunreachable worktreepruneexpire"),
  http: words("postbuffer lowspeedlimit lowspeedtime version"),
  protocol: words("version"),
  receive: words("denycurrentbranch denynonfastforwards denydeletes fsckobjects autogc"),
  transfer: words("fsckobjects hiderefs unpacklimit"),
  maintenance: words("auto strategy"),
  lfs: words("repositoryformatversion access locksverify"),
};

/** Settings that are harmless with some values; values have lost their quotes. */
const WITH_VALUE: Readonly<Record<string, (value: string, isPlace: (path: string) => boolean) => boolean>> = {
  "remote.url": isAddress,
  "remote.pushurl": isAddress,
  "submodule.url": isAddress,
  "submodule.update": (value) => /^(?:checkout|rebase|merge|none)$/.test(value),
  "core.fsmonitor": (value) => value === "false",
  "core.worktree": (value, isPlace) => isPlace(value),
  "filter.required": (value) => value === "true",
  "filter.clean": (value) => value === "git-lfs clean -- %f",
  "filter.smudge": (value) => value === "git-lfs smudge -- %f",
  "filter.process": (value) => value === "git-lfs filter-process",
};

/** All but the tab. */
// deno-lint-ignore no-control-regex
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/** No helper for a kind of address: `ext::` runs a command. */
function isAddress(value: string): boolean {
  if (/^[\w+.-]*::/.test(value) || value.startsWith("-")) return false;
  const scheme = /^([\w+.-]+):\/\//.exec(value)?.[1];
  return scheme === undefined || /^(?:https?|ssh|git|git\+ssh|ssh\+git|file|ftps?)$/.test(scheme);
}

/**
 * Sifts the text of a configuration; pure. `isPlace` says whether a working folder, as written, may be named.
 *
 * Only the plainest spelling is understood, one section or one setting a line: what git might read otherwise is risky.
 */
export function siftConfig(text: string, isPlace: (path: string) => boolean = () => false): SiftedConfig {
  const harmless: string[] = [];
  const risky: string[] = [];
  let section: { readonly name: string; readonly sub: string | undefined } | undefined;
  let isContinued = false;
  // A return belongs to the end of a line only where one follows.
  for (const line of text.split(/\r?\n/)) {
    // The next line belongs to this one's value, whatever it looks like.
    const isTail = isContinued;
    isContinued = line.endsWith("\\");
    if (isTail || isContinued) {
      risky.push(line.trim());
      continue;
    }
    // git skips some of them where others are read, and its text ends at a NUL.
    if (CONTROLS.test(line)) {
      risky.push(line.trim());
      section = undefined;
      continue;
    }
    if (/^[ \t]*(?:[#;].*)?$/.test(line)) continue;
    const head = /^[ \t]*\[([A-Za-z0-9-]+)(?:[ \t]+"([^"\\]*)")?\][ \t]*$/.exec(line);
    if (head) {
      section = { name: (head[1] ?? "").toLowerCase(), sub: head[2] };
      harmless.push(`[${section.name}${section.sub === undefined ? "" : ` "${section.sub}"`}]`);
      continue;
    }
    const setting = /^[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*([^\\]*?))?[ \t]*$/.exec(line);
    if (setting === null || section === undefined) {
      risky.push(line.trim());
      // Settings below a section that was not understood belong to it.
      section = undefined;
      continue;
    }
    const [, key = "", value] = setting;
    if (isHarmless(section.name, key.toLowerCase(), value, isPlace)) {
      harmless.push(`\t${key}${value === undefined ? "" : ` = ${value}`}`);
    } else {
      const place = section.sub === undefined ? section.name : `${section.name}.${section.sub}`;
      risky.push(`${place}.${key}${value === undefined ? "" : `=${value}`}`);
    }
  }
  return { harmless: harmless.map((line) => line + "\n").join(""), risky };
}

function isHarmless(
  section: string,
  key: string,
  value: string | undefined,
  isPlace: (path: string) => boolean,
): boolean {
  const check = WITH_VALUE[`${section}.${key}`];
  // What follows a comment sign outside of quotes is none of the value, and whether it is outside takes a parser.
  if (check) return value !== undefined && !/[#;]/.test(value) && check(value.replaceAll('"', ""), isPlace);
  const keys = Object.hasOwn(HARMLESS, section) ? HARMLESS[section] : undefined;
  return keys === true || keys?.has(key) === true;
}
