import { diffStyle } from "./diff_rows.ts";
import type { Theme } from "../screen/theme.ts";

/** Words that are keywords in most languages of the family; one list reads well enough for all of them. */
const KEYWORDS = new Set(
  ("abstract as async await bool break case catch char class const constructor continue crate def default defer del do " +
    "elif else end enum except export extends extern false False fi final finally float fn for from func function go " +
    "goto if impl implements import in instanceof int interface is lambda let loop match mod module move mut namespace " +
    "new nil None nonlocal not null or package pass private protected pub public raise readonly return select self " +
    "static string struct super switch then this throw trait true True try type typeof undefined union unless until use " +
    "using var void where while with yield and done esac local echo set select insert update delete from where join")
    .split(" "),
);

/** Languages in which `#` starts a comment. */
const HASH = /^(?:py|python|sh|bash|shell|zsh|ruby|rb|yaml|yml|toml|ini|make|makefile|dockerfile|perl|r|console)$/i;
/** Languages whose words are no code. */
const PROSE = /^(?:text|txt|plain|log|output|md|markdown|)$/i;

/** Comments, strings, numbers and words, in this order; every piece is bounded by its line. */
const TOKEN =
  /(\/\/.*$|--\s.*$|\/\*.*?(?:\*\/|$)|#.*$)|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|`(?:\\.|[^`\\])*`?)|\b(\d[\w.]*)\b|([A-Za-z_$][\w$]*)/g;

/** Longer lines are data, and are left as they are. */
const LINE_UNITS = 500;

/** Lines of code with colours: one small scanner for all languages, line by line. */
export function highlight(code: string, lang: string, theme: Theme): readonly string[] {
  const lines = code.split("\n");
  if (/^(?:diff|patch)$/i.test(lang)) return lines.map((line) => diffStyle(line, theme)(line));
  if (PROSE.test(lang) || theme.name === "none") return lines;
  const hasHash = HASH.test(lang);
  return lines.map((line) => line.length > LINE_UNITS ? line : styled(line, hasHash, theme));
}

function styled(line: string, hasHash: boolean, theme: Theme): string {
  let out = "";
  let last = 0;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(line); found; found = TOKEN.exec(line)) {
    const [whole, comment, text, number, word] = found;
    if (comment?.startsWith("#") && !hasHash) {
      TOKEN.lastIndex = found.index + 1; // a character like any other here
      continue;
    }
    out += line.slice(last, found.index);
    if (comment !== undefined) out += theme.comment(comment);
    else if (text !== undefined) out += theme.text(text);
    else if (number !== undefined) out += theme.number(number);
    else if (word !== undefined && KEYWORDS.has(word)) out += theme.keyword(word);
    else out += whole;
    last = found.index + whole.length;
  }
  return out + line.slice(last);
}
