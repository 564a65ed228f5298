/** The words after a template's name. */
export type TemplateArguments = readonly string[];

/**
 * Splits what follows a template's name into arguments (R155, R156).
 *
 * White space of any kind separates. A quote, `"` or `'`, opens only at the start of an argument, so `don't` is a word;
 * a backslash before that same quote makes it a character; every other backslash is one. An empty pair of quotes is an
 * argument. A quote without its partner is a character like any other.
 */
export function splitArguments(text: string): TemplateArguments {
  const found: string[] = [];
  for (let at = 0;;) {
    while (at < text.length && SPACE.test(text.charAt(at))) at++;
    if (at >= text.length) return found;
    const quoted = quotedFrom(text, at);
    const [word, end] = wordFrom(text, quoted?.end ?? at);
    found.push((quoted?.value ?? "") + word);
    at = end;
  }
}

const SPACE = /\s/;

/** The content of the quotes that open here; undefined where none open or nothing closes them. */
function quotedFrom(text: string, start: number): { readonly value: string; readonly end: number } | undefined {
  const quote = text.charAt(start);
  if (quote !== '"' && quote !== "'") return undefined;
  let value = "";
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === quote) return { value, end: at + 1 };
    if (char === "\\" && text.charAt(at + 1) === quote) at++, value += quote;
    else value += char;
  }
  return undefined;
}

function wordFrom(text: string, start: number): readonly [string, number] {
  let end = start;
  while (end < text.length && !SPACE.test(text.charAt(end))) end++;
  return [text.slice(start, end), end];
}

/** All that a template's text may hold for an argument; a default is bounded, so that a text of nothing else ends. */
const PLACE = /\$\{(\d+|@|ARGUMENTS):-([^}]{0,4096})\}|\$\{@:(\d+)(?::(\d+))?\}|\$(\d+)|\$(@|ARGUMENTS)/g;

/**
 * Puts arguments into a template's text (R151–R154, R158–R160).
 *
 * `$1`, `$2`, … one argument; `$@`, `$ARGUMENTS` all, joined with a space; `${@:2}` from the second on; `${@:2:3}` three
 * from the second on; `${1:-text}`, `${@:-text}` with a text for none or an empty one. In one pass: what an argument
 * or a default holds is never looked at again.
 */
export function substituteArguments(text: string, args: TemplateArguments): string {
  const all = args.join(" ");
  return text.replace(PLACE, (_, named?: string, fallback?: string, from?: string, count?: string, one?: string) => {
    if (named !== undefined) return (/^\d/.test(named) ? args[Number(named) - 1] : all) || (fallback ?? "");
    if (from !== undefined) return slice(args, Number(from), count).join(" ");
    return one === undefined ? all : args[Number(one) - 1] ?? "";
  });
}

/** Counted from 1; 0 is taken for 1. */
function slice(args: TemplateArguments, from: number, count: string | undefined): TemplateArguments {
  const start = Math.max(from - 1, 0);
  return args.slice(start, count === undefined ? undefined : start + Number(count));
}
