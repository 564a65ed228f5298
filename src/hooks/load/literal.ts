import type { JsonValue } from "../../core/json.ts";

/** One token of a literal: blank, comment, mark, quoted text or bare key. A comment can be read in one way alone. */
const TOKEN =
  /(?:\s|\/\/[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*([{}[\]:,]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_$][\w$]*)/y;

/**
 * The object, list or text that starts at `start` of a program text, written with keys, quoted texts, lists and trailing
 * commas and nothing else; undefined for anything that would have to be run to be known.
 */
export function readLiteral(text: string, start: number): JsonValue | undefined {
  let at = start;
  const next = (): string | undefined => {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match) at = TOKEN.lastIndex;
    return match?.[1];
  };
  const items = (close: string, one: (token: string) => boolean): boolean => {
    for (let token = next(); token !== undefined; token = next()) {
      if (token === close) return true;
      if (!one(token)) return false;
      const after = next();
      if (after === close) return true;
      if (after !== ",") return false;
    }
    return false;
  };
  const value = (token: string | undefined): JsonValue | undefined => {
    if (token === "[") {
      const list: JsonValue[] = [];
      const add = (item: string): boolean => {
        const read = value(item);
        return read !== undefined && list.push(read) > 0;
      };
      return items("]", add) ? list : undefined;
    }
    if (token === "{") {
      const entries: [string, JsonValue][] = [];
      const add = (key: string): boolean => {
        const name = /^["']/.test(key) ? quoted(key) : /^\w/.test(key) ? key : undefined;
        if (name === undefined || name === "__proto__" || next() !== ":") return false;
        const read = value(next());
        return read !== undefined && entries.push([name, read]) > 0;
      };
      return items("}", add) ? Object.fromEntries(entries) : undefined;
    }
    return token === undefined ? undefined : quoted(token);
  };
  return value(next());
}

/** A quoted text without escapes but those of JSON and `\'`; undefined for another token. */
function quoted(token: string): string | undefined {
  if (!/^["']/.test(token)) return undefined;
  const inner = token.slice(1, -1).replace(/\\'/g, "'").replace(/(?<!\\)"/g, '\\"');
  try {
    // A JSON string literal parses to a string.
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    return undefined;
  }
}
