import { isObject } from "../../core/json.ts";
import { dirname, join, relative } from "@std/path";
import { sha256 } from "../../core/support/digest.ts";
import { isList } from "../events/json_text.ts";
import type { LinkModule } from "./linker.ts";
import { readOwnFile, writeOwnFile } from "./own_file.ts";
import type { ExtensionSource } from "./source_files.ts";
import { TRANSPILER } from "./transpile.ts";

/**
 * What the transpiler made of extensions, kept by the hash of their files in a folder of the user's own.
 *
 * The folder is created private, and nothing counts that another user can have written. Whoever can write there can change
 * what an extension does, within its permissions, so it must not be in the tools' scope.
 */
export interface CompiledCache {
  get(source: ExtensionSource): readonly LinkModule[] | undefined;
  /** Keeps the JSON text of a list of modules. */
  put(source: ExtensionSource, modules: string): void;
}

/** The cache in a folder; without a folder nothing is kept. */
export function openCompiledCache(folder: string | undefined): CompiledCache {
  const pathFor = (source: ExtensionSource): string =>
    join(folder ?? "", `${sha256(`${TRANSPILER}\0${source.hash}`)}.json`);
  return {
    get: (source) => {
      if (folder === undefined) return undefined;
      try {
        const kept: unknown = JSON.parse(readOwnFile(pathFor(source)) ?? "null");
        return isObject(kept) ? restore(source, kept) : undefined;
      } catch {
        return undefined;
      }
    },
    put: (source, modules) => {
      if (folder === undefined) return;
      writeOwnFile(pathFor(source), JSON.stringify(collect(source, JSON.parse(modules))));
    },
  };
}

/** Code by path below the extension's folder: the same files elsewhere are the same extension. */
function collect(source: ExtensionSource, modules: unknown): Record<string, unknown> {
  const root = dirname(source.entry);
  return Object.fromEntries(
    (isList(modules) ? modules : []).filter(isObject).map(({ path, code }) => [relative(root, String(path)), code]),
  );
}

function restore(source: ExtensionSource, kept: Readonly<Record<string, unknown>>): LinkModule[] | undefined {
  const root = dirname(source.entry);
  const modules: LinkModule[] = [];
  for (const { path, imports } of source.files) {
    const code = kept[relative(root, path)];
    if (typeof code !== "string") return undefined;
    modules.push({ path, code, imports });
  }
  return modules;
}
