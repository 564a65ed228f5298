import { messageOf } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { Refused } from "./refusal.ts";

/** How deep arguments may nest; deeper ones are an attack on a recursive reader. */
const MAX_DEPTH = 64;

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Strict JSON, or `undefined`. */
export function parseStrict(text: string): JsonValue | undefined {
  return attempt(() => JSON.parse(text));
}

/** Throws `Refused` for keys that are never data and for nesting that is never meant. */
export function refuseHostile(value: JsonValue, depth = 0): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > MAX_DEPTH) throw new Refused("invalid_json", `the arguments nest deeper than ${MAX_DEPTH} levels`);
  for (const [key, item] of Object.entries(value)) {
    if (FORBIDDEN_KEYS.has(key)) throw new Refused("invalid_json", `"${key}" is not allowed as a key`);
    refuseHostile(item, depth + 1);
  }
}

/** The inside of a code fence that is the whole text; `undefined` without one. */
function unfence(text: string): string | undefined {
  const fence = /^`{3,}/.exec(text)?.[0];
  const lineEnd = text.indexOf("\n");
  if (fence === undefined || lineEnd < 0 || !text.endsWith(`\n${fence}`) && !text.endsWith(`}${fence}`)) {
    return undefined;
  }
  const tag = text.slice(fence.length, lineEnd).trim().toLowerCase();
  return tag === "" || tag === "json" ? text.slice(lineEnd, -fence.length) : undefined;
}

function parseScanned(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refused("invalid_json", messageOf(error));
  }
}

/** The one value that a damaged text can mean. Adds what was mended to `repairs`; throws `Refused`. */
export function readJson(text: string, repairs: string[]): JsonValue {
  const strict = parseStrict(text);
  if (strict !== undefined) return strict;
  const trimmed = text.trim();
  const inside = unfence(trimmed);
  if (inside !== undefined) {
    repairs.push("code fence removed");
    return readJson(inside, repairs);
  }
  const scanned = scanJson(trimmed);
  const values = scanned.values.map(parseScanned);
  const [first] = values;
  if (first === undefined) throw new Refused("invalid_json", "there is no JSON object");
  if (values.length > 1) {
    const canonical = JSON.stringify(first);
    if (!values.every((value) => isObject(value) && JSON.stringify(value) === canonical)) {
      const code = values.every(isObject) ? "several_objects" : "invalid_json";
      throw new Refused(code, "there is more than one JSON value; make one call for each");
    }
    repairs.push(`${values.length} identical objects taken as one`);
  }
  repairs.push(...scanned.repairs);
  return first;
}

/** The argument object in a call's raw text: blank is `{}`, JSON inside a JSON string is unpacked. Throws `Refused`. */
export function readArguments(raw: string, repairs: string[]): JsonObject {
  if (raw.trim() === "") return {};
  let value = readJson(raw, repairs);
  for (let layer = 0; typeof value === "string" && layer < 2; layer++) {
    repairs.push("JSON inside a string unpacked");
    value = readJson(value, repairs);
  }
  if (value === null || (Array.isArray(value) && value.length === 0)) return {};
  if (!isObject(value)) throw new Refused("wrong_type", "the arguments must be one JSON object");
  refuseHostile(value);
  return value;
}

// Models write JSON with damage that has exactly one reading: raw newlines inside strings, invented escapes, a comma too
// many. Nothing is ever closed here: text that ends inside a string or a bracket was cut, and what is missing is unknown.

/** The top-level values found in a text, each now strict JSON text, and what was mended on the way. */
export interface Scanned {
  readonly values: readonly string[];
  readonly repairs: readonly string[];
}

/** Control tokens and closing tags that servers leave behind a call. */
const LEFTOVERS = /^(?:\s*(?:<[|｜][^<>]{0,40}[|｜]>|<\/[A-Za-z_:]{1,30}>))+\s*$/;

const VALID_ESCAPE = /^["\\/bfnrt]$/;
const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f" };

/** Reads one string literal that starts at `start`; gives its strict form and the index behind it. */
function scanString(
  text: string,
  start: number,
  repairs: Set<string>,
): { readonly text: string; readonly end: number } {
  let out = '"';
  let invented = false;
  let controlLike = false;
  for (let i = start + 1; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"') {
      // Half of the backslashes of such a path would silently become newlines.
      if (invented && controlLike && /^"[A-Za-z]:\\/.test(out)) {
        throw new Refused("ambiguous_escape", "a Windows path has single backslashes; write each one as \\\\");
      }
      if (invented) repairs.add("invalid escapes taken literally");
      return { text: `${out}"`, end: i + 1 };
    }
    if (char === "\\") {
      const next = text.charAt(i + 1);
      if (VALID_ESCAPE.test(next)) {
        controlLike ||= next !== '"' && next !== "\\" && next !== "/";
        out += char + next;
        i++;
      } else if (next === "u" && /^[0-9a-fA-F]{4}$/.test(text.slice(i + 2, i + 6))) {
        out += text.slice(i, i + 6);
        i += 5;
      } else {
        invented = true;
        out += "\\\\";
      }
    } else if (char < " ") {
      repairs.add("control characters in strings escaped");
      out += NAMED[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
    } else out += char;
  }
  throw new Refused("truncated", "the arguments end inside a string");
}

/** Splits a text into its top-level JSON values, mending what has one reading; throws `Refused` for everything else. */
function scanJson(text: string): Scanned {
  const repairs = new Set<string>();
  const values: string[] = [];
  let out = "";
  let depth = 0;
  for (let i = 0; i < text.length;) {
    const char = text.charAt(i);
    if (char === "<" && depth === 0 && values.length > 0 && LEFTOVERS.test(text.slice(i))) {
      repairs.add("control tokens behind the arguments dropped");
      break;
    }
    if (char === '"') {
      const string = scanString(text, i, repairs);
      out += string.text;
      i = string.end;
    } else if (char === "\\" && /^[nrt]$/.test(text.charAt(i + 1))) {
      repairs.add("escaped white space between values dropped");
      out += " ";
      i += 2;
      continue;
    } else if (/\s/.test(char)) {
      out += char;
      i++;
      continue;
    } else if (char === "," && /^,(?:\s|\\[nrt])*[}\]]/.test(text.slice(i, i + 1000))) {
      repairs.add("trailing comma dropped");
      i++;
      continue;
    } else {
      if (char === "{" || char === "[") depth++;
      if (char === "}" || char === "]") depth--;
      out += char;
      i++;
    }
    // Bare words at the top level are prose or literals of another language; the strict parse names them.
    if (depth === 0 && /["}\]]/.test(out.charAt(out.length - 1))) {
      values.push(out.trim());
      out = "";
    }
  }
  if (depth > 0) throw new Refused("truncated", "the arguments end before their last bracket");
  if (out.trim() !== "") values.push(out.trim());
  return { values, repairs: [...repairs] };
}
