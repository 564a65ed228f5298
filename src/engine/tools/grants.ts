// What a person allowed for one workspace: kept in the user's own settings, which tools can neither read nor write.
import { dirname, join } from "@std/path";
import { messageOf, UserError } from "../../core/error.ts";
import type { Denial } from "../../core/event.ts";
import type { ExtensionPermissions } from "../../core/hook.ts";
import { grantedScopes } from "../../sandbox/denial/widen.ts";
import type { WrittenServer } from "../../mcp/config.ts";
import { ifThere } from "../../core/support/attempt.ts";
import { replaceFile } from "../../core/support/replace_file.ts";

type Fields = Record<string, unknown>;

/**
 * Adds a grant to `projects.ROOT.permissions` of the settings in `userFolder`, which is made when it is missing.
 *
 * Everything else in the file stays, indentation included. Throws UserError and changes nothing where the file cannot be
 * read, understood or written.
 */
export function recordGrant(userFolder: string, root: string, denial: Pick<Denial, "kind" | "grant">): void {
  change(userFolder, (settings) => {
    const permissions = childOf(childOf(childOf(settings, "projects"), root), "permissions");
    const added = Object.entries(grantedScopes(denial)).map(([kind, scope]) =>
      add(permissions, kind, kind === "write" && typeof scope !== "boolean" ? scope.map(asFolder) : scope)
    );
    return added.includes(true);
  }, `"projects": {"${root}": {"permissions": …}}`);
}

/**
 * Writes to `extensions.grants.HASH` what an extension with exactly these files may have, in place of what stands there.
 *
 * Otherwise as `recordGrant`.
 */
export function recordExtensionGrant(userFolder: string, hash: string, granted: ExtensionPermissions): void {
  change(userFolder, (settings) => {
    childOf(childOf(settings, "extensions"), "grants")[hash] = granted;
    return true;
  }, `"extensions": {"grants": ${JSON.stringify({ [hash]: granted })}}`);
}

/** Adds a server to `mcpServers`, or takes it out without a value. Otherwise as `recordGrant`. */
export function recordServer(userFolder: string, name: string, server: WrittenServer | undefined): void {
  change(
    userFolder,
    (settings) => {
      const servers = childOf(settings, "mcpServers");
      if (server === undefined) delete servers[name];
      else servers[name] = server;
      return true;
    },
    JSON.stringify({ mcpServers: { [name]: server ?? null } }),
    true,
  );
}

/** Writes one of the user's settings, or takes it out without a value. Otherwise as `recordGrant`. */
export function recordSetting(userFolder: string, key: string, value: string | undefined): void {
  change(userFolder, (settings) => {
    if (settings[key] === value) return false;
    if (value === undefined) delete settings[key];
    else settings[key] = value;
    return true;
  }, JSON.stringify({ [key]: value }));
}

/** Changes the settings, if `edit` says that it did; `fix` is what a person would write there. */
function change(userFolder: string, edit: (settings: Fields) => boolean, fix: string, isCommand = false): void {
  const path = join(userFolder, "settings.json");
  try {
    Deno.mkdirSync(userFolder, { recursive: true, mode: 0o700 });
    // A settings file is often a link to where all of a person's settings are kept.
    const real = realOf(path);
    const text = readText(real);
    const settings = text === undefined ? {} : fieldsOf(JSON.parse(text.replace(/^\ufeff/, "")), "it");
    if (!edit(settings)) return;
    replaceFile(real, JSON.stringify(settings, null, indentOf(text)) + (text === undefined ? "\n" : endOf(text)));
  } catch (error) {
    throw new UserError({
      what: isCommand ? `Cannot change "${path}"` : `Cannot keep the answer in "${path}"`,
      why: messageOf(error),
      fix: `${isCommand ? "" : "It holds for this session. "}Correct the file, or write ${fix} yourself`,
    }, { cause: error });
  }
}

/** What may be written is a folder; the slash at its end has it made again where it is missing at a later start. */
function asFolder(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

/** Adds to a scope; whether that changed anything. */
function add(permissions: Fields, kind: string, scope: boolean | readonly string[]): boolean {
  const before = permissions[kind] ?? false;
  if (typeof before !== "boolean" && !isTexts(before)) throw new Error(`"${kind}" is no scope`);
  const list = typeof before === "boolean" ? [] : before;
  const missing = typeof scope === "boolean" ? [] : scope.filter((entry) => !list.includes(entry));
  if (before === true || (scope !== true && missing.length === 0)) return false;
  permissions[kind] = scope === true ? true : [...list, ...missing];
  return true;
}

/** The object under a key, made where there is none; throws for anything else there. */
function childOf(of: Fields, key: string): Fields {
  const child = Object.hasOwn(of, key) ? fieldsOf(of[key], `"${key}"`) : {};
  of[key] = child;
  return child;
}

function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields; // what JSON.parse makes
  throw new Error(`${name} holds no JSON object`);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function realOf(path: string): string {
  return ifThere(() => Deno.realPathSync(path)) ?? join(Deno.realPathSync(dirname(path)), "settings.json");
}

function readText(path: string): string | undefined {
  return ifThere(() => {
    if (!Deno.statSync(path).isFile) throw new Error("it is not a file");
    return Deno.readTextFileSync(path);
  });
}

function indentOf(text: string | undefined): string {
  return text === undefined ? "  " : /^\s*\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? (text.includes("\n") ? "  " : "");
}

function endOf(text: string): string {
  return /\s*$/.exec(text)?.[0] ?? "";
}
