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

/**
 * The permissions of an extension's worker: the hosts and variables that were granted; programs, FFI and imports never. Files
 * never either: Deno checks names only, and a link can lead anywhere. The worker asks the host, see hooks/files.
 */
export function workerPermissions(granted: ExtensionPermissions): Deno.PermissionOptionsObject {
  return {
    ...{ read: false, write: false },
    net: some(granted.net),
    env: some(granted.env),
    ...{ run: false, ffi: false, sys: false, import: false },
  };
}

function some(list: readonly string[] | undefined): string[] | false {
  return list !== undefined && list.length > 0 ? [...list] : false;
}
