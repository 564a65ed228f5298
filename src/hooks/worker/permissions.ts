import { join, normalize } from "@std/path";
import { type ExtensionPermissions, GRANT_KINDS } from "../../core/hook.ts";

/** What of a manifest the user granted: only what is in both lists. */
export function grantedOf(
  wants: ExtensionPermissions,
  granted: ExtensionPermissions | undefined,
): ExtensionPermissions {
  return Object.fromEntries(GRANT_KINDS.flatMap((kind) => {
    const list = (wants[kind] ?? []).filter((item) => granted?.[kind]?.includes(item));
    return list.length > 0 ? [[kind, list]] : [];
  }));
}

/** What a manifest asks for and was not granted, as words: `net api.example.com`. */
export function missingOf(wants: ExtensionPermissions, granted: ExtensionPermissions): readonly string[] {
  return GRANT_KINDS.flatMap((kind) =>
    (wants[kind] ?? []).filter((item) => !granted[kind]?.includes(item)).map((item) => `${kind} ${item}`)
  );
}

/** The permissions of an extension's worker: what was granted and nothing else; programs, FFI and imports never. */
export function workerPermissions(
  granted: ExtensionPermissions,
  folders: { readonly cwd: string; readonly home: string },
): Deno.PermissionOptionsObject {
  const paths = (list: readonly string[] | undefined): string[] | false =>
    some(list?.map((path) => place(path, folders)));
  return {
    read: paths(granted.read),
    write: paths(granted.write),
    net: some(granted.net),
    env: some(granted.env),
    ...{ run: false, ffi: false, sys: false, import: false },
  };
}

function some(list: readonly string[] | undefined): string[] | false {
  return list !== undefined && list.length > 0 ? [...list] : false;
}

function place(path: string, { cwd, home }: { readonly cwd: string; readonly home: string }): string {
  if (path === "~" || path.startsWith("~/")) return normalize(join(home, path.slice(1)));
  return normalize(path.startsWith("/") ? path : join(cwd, path));
}
