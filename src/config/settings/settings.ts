import { dirname, join } from "@std/path";
import { messageOf, UserError } from "../../core/error.ts";
import { findGitRoot } from "../../context/files/ancestors.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { LinkOutside } from "../../core/named_files.ts";
import { nearest } from "../../core/support/nearest.ts";
import { createNamedFiles } from "../../sandbox/names/named_files.ts";
import { misfit } from "./shape.ts";
import { type Setting, SETTINGS, type Settings } from "./settings_table.ts";

/** One file's settings and what a person should know about them. */
export interface LoadedSettings {
  readonly settings: Settings;
  readonly warnings: readonly string[];
}

/** More than anybody writes by hand. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads `settings.json` in a folder; nothing when there is none.
 *
 * Throws UserError for a file that cannot be read, is no JSON object, or holds a known key with a wrong value. Unknown
 * keys, and keys that a project must not set, become warnings.
 */
export function readSettings(folder: string, owner: "user" | "project"): LoadedSettings | undefined {
  const path = join(folder, "settings.json");
  let text: string;
  try {
    if (owner === "project") text = readProjectFile(path, dirname(folder), MAX_BYTES);
    else {
      const { isFile, size } = Deno.statSync(path);
      if (!isFile || size > MAX_BYTES) throw new Error(isFile ? "it is larger than 1 MiB" : "it is not a regular file");
      text = Deno.readTextFileSync(path);
    }
  } catch (error) {
    if (error instanceof LinkOutside) return { settings: {}, warnings: [`${path} is left out: ${error.why}`] };
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    // Without the permission to look, a run works with defaults (R508).
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw bad(path, messageOf(error), "Make it readable, or move it away");
  }
  return checkSettings(path, parse(path, text), owner);
}

function parse(path: string, text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw bad(path, messageOf(error), "Correct the JSON");
  }
  if (!isObject(value)) throw bad(path, "it must hold one JSON object", 'Write for example {"model": "gpt-5"}');
  return value;
}

/**
 * Checks what a settings file holds against the table. Throws UserError for a known key with a wrong value; unknown keys, and
 * keys that the owner must not set, become warnings. `path` is for messages.
 */
export function checkSettings(
  path: string,
  raw: Readonly<Record<string, unknown>>,
  owner: "user" | "project",
): LoadedSettings {
  const table: Readonly<Record<string, Setting>> = SETTINGS;
  const warnings: string[] = [];
  const settings: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw)) {
    const setting = Object.hasOwn(table, key) ? table[key] : undefined;
    if (key === "$schema") continue;
    if (!setting) {
      const meant = nearest(key, Object.keys(table));
      warnings.push(`${path}: unknown key "${key}"${meant ? `; did you mean "${meant}"?` : ""}`);
    } else if (setting.userOnly && owner === "project") {
      warnings.push(`${path}: "${key}" is only taken from the user's own settings`);
    } else {
      const wrong = misfit(value, setting.shape, key);
      if (wrong !== undefined) {
        const found = JSON.stringify(value).slice(0, 80);
        throw bad(path, `${wrong}, found ${found}`, "See docs/settings.md for what it takes");
      }
      settings[key] = value;
    }
  }
  return { settings, warnings };
}

function bad(path: string, why: string, fix: string): UserError {
  return new UserError({ what: `Cannot use settings "${path}"`, why, fix });
}

/** The user's settings with the project's over them; where a limit is concerned the lower one holds. */
export function mergeSettings(user: Settings, project: Settings): Settings {
  // Scope is not merged here: the policy takes each layer on its own and never becomes wider than any of them.
  const { permissions: _own, ...rest } = project;
  const limits = lowerOf(user.limits ?? {}, project.limits ?? {});
  const bash = lowerOf(user.bash ?? {}, project.bash ?? {});
  return { ...user, ...rest, ...(limits ? { limits } : {}), ...(bash ? { bash } : {}) };
}

/** Of each bound the lower one; nothing when there is none. */
export function lowerOf<T extends Readonly<Record<string, number | undefined>>>(one: T, other: T): T | undefined {
  const bounds = { ...one };
  for (const [key, value] of Object.entries(other)) {
    Object.assign(bounds, { [key]: Math.min(bounds[key] ?? Infinity, value ?? Infinity) });
  }
  return Object.keys(bounds).length > 0 ? bounds : undefined;
}

/**
 * The text of a file of a project that the program looks for by itself; a link must not lead out of the repository.
 *
 * @param root The workspace, real.
 * @throws What `NamedFiles` throws: NotFound, LinkOutside, FileTooLarge and the like.
 */
export function readProjectFile(path: string, root: string, maxBytes: number): string {
  const files = createNamedFiles({ roots: [findGitRoot(root) ?? root], whyDenied: () => undefined });
  return new TextDecoder().decode(files.read(files.find(path, { access: "read", typed: false }), maxBytes));
}
