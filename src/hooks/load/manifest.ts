import { isObject } from "../../core/json.ts";
import { type ExtensionPermissions, GRANT_KINDS, readExtensionProvider } from "../../core/hook.ts";
import { isTexts } from "../events/json_text.ts";
import { readLiteral } from "./literal.ts";
import type { ExtensionSource } from "../code/source_files.ts";

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
