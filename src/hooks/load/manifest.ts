import { isObject, type JsonValue } from "../../core/json.ts";
import { readExtensionProvider } from "../../core/extension_provider.ts";
import { type ExtensionPermissions, GRANT_KINDS } from "../../core/hook.ts";
import type { ExtensionSource } from "../code/source_files.ts";
import { isTexts } from "../events/json_text.ts";

/**
 * What an extension's manifest asks for: `export const permissions = { net: ["api.example.com"] }` in its entry, or
 * `sandpiper.permissions` in the package.json beside it.
 *
 * Nothing of the extension is run: the object is read as a literal, and anything else throws with a sentence.
 */
export function readManifest(source: ExtensionSource): ExtensionPermissions {
  const declared = /^export\s+const\s+permissions\b[^=\n]*=(?!=)\s*/m.exec(source.files[0]?.text ?? "");
  if (declared) {
    const literal = readLiteral(source.files[0]?.text ?? "", declared.index + declared[0].length);
    if (literal === undefined) throw new Error("its permissions must be a plain object of lists of texts");
    return permissions(literal);
  }
  const field = source.packageField;
  return isObject(field) && field["permissions"] !== undefined ? permissions(field["permissions"]) : {};
}

function permissions(value: unknown): ExtensionPermissions {
  if (!isObject(value)) throw new Error("its permissions must be an object");
  const unknown = Object.keys(value).find((key) => !GRANT_KINDS.some((kind) => kind === key));
  if (unknown !== undefined) {
    const hint = unknown === "run" ? "; programs run through exec(), in the tools' scope" : "";
    throw new Error(`its permissions name "${unknown}", which is not one of ${GRANT_KINDS.join(", ")}${hint}`);
  }
  const lists = GRANT_KINDS.flatMap((kind) => value[kind] === undefined ? [] : [[kind, value[kind]] as const]);
  for (const [kind, list] of lists) {
    // What a person sees when asked has to be what is granted.
    if (!isTexts(list) || list.some((item) => item === "" || /[\p{C}\p{Zl}\p{Zp}]/u.test(item))) {
      throw new Error(`its permission "${kind}" must be a list of texts without control and invisible characters`);
    }
  }
  for (const line of isTexts(value["providers"]) ? value["providers"] : []) {
    if (!readExtensionProvider(line)) {
      throw new Error(
        `its provider ${JSON.stringify(line)} must be "NAME API URL" or "NAME API URL VARIABLE", ` +
          "the API chat, responses or anthropic, the address with https",
      );
    }
  }
  return Object.fromEntries(lists);
}

/** One token of a literal: blank, comment, mark, quoted text or bare key. */
const TOKEN =
  /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*([{}[\]:,]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_$][\w$]*)/y;

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
