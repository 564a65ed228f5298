// What a file of settings says to git. Read as git reads it, character by character: a looser reading is one that a file can
// be written to deceive. git-config(1), Syntax.

/** Settings of a file, in their order. */
export interface ConfigText {
  /** Names in full, section and key in lower case. */
  readonly settings: readonly (readonly [name: string, value: string | undefined])[];
  /** Whether git reads it to its end; where not it says so and does nothing. */
  readonly isWhole: boolean;
}

const SKIPPED = /[ \t\r\n]+|[#;][^\n]*/y;
const SECTION = /\[([A-Za-z0-9.-]*)(?:[ \t\r]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y;
const KEY = /([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)/y;
const PIECE = /"((?:[^"\\\n]|\\[\ntbn"\\])*)"|((?:[^"\\\n#; \t\r]|\\[\ntbn"\\])+)|([ \t\r]+)/y;
const REST = /(?:[#;][^\n]*)?(?:\n|$)/y;
const ESCAPES: Readonly<Record<string, string>> = { "\n": "", t: "\t", b: "\b", n: "\n" };

/** Reads settings; pure. */
export function readConfigText(written: string): ConfigText {
  const text = written.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n") + "\n";
  const settings: [string, string | undefined][] = [];
  let prefix = "";
  let at = 0;
  const next = (form: RegExp): RegExpExecArray | null => {
    form.lastIndex = at;
    const match = form.exec(text);
    if (match) at = form.lastIndex;
    return match;
  };
  while (at < text.length) {
    if (next(SKIPPED)) continue;
    const section = next(SECTION);
    if (section) {
      const [, name = "", sub] = section;
      prefix = `${name.toLowerCase()}.${sub === undefined ? "" : `${sub.replaceAll(/\\(.)/g, "$1")}.`}`;
      if (prefix === ".") return { settings, isWhole: false };
      continue;
    }
    const key = next(KEY);
    if (!key) return { settings, isWhole: false };
    let value: string | undefined;
    if (key[2] === "=") {
      value = "";
      // Spaces around a value are none of it, nor those before a comment.
      let spaces = "";
      for (let piece = next(PIECE); piece; piece = next(PIECE)) {
        if (piece[3] !== undefined) {
          if (value !== "") spaces += piece[3];
          continue;
        }
        value += spaces + (piece[1] ?? piece[2] ?? "").replaceAll(/\\([^])/g, (_, char) => ESCAPES[char] ?? char);
        spaces = "";
      }
    }
    if (!next(value === undefined ? /\n/y : REST)) return { settings, isWhole: false };
    settings.push([prefix + (key[1] ?? "").toLowerCase(), value]);
  }
  return { settings, isWhole: true };
}

/** The length of object names in a repository with these settings; undefined where versions of git disagree about it. Pure. */
export function hashBytesIn(text: string): 20 | 32 | undefined {
  // A key cannot be written in any other way.
  if (!/objectformat/i.test(text)) return 20;
  const { settings, isWhole } = readConfigText(text);
  const all = (name: string): Set<string | undefined> =>
    new Set(settings.filter(([key]) => key === name).map(([, value]) => value));
  const formats = all("extensions.objectformat");
  if (!isWhole || formats.size > 1) return undefined;
  if (formats.size === 0 || formats.has("sha1")) return 20;
  const versions = all("core.repositoryformatversion");
  return formats.has("sha256") && versions.size === 1 && versions.has("1") ? 32 : undefined;
}
