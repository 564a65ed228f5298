import { join } from "@std/path";
import { isInside, type Policy, type Scope } from "../../core/policy.ts";
import { privateFolders } from "../policy/private_folders.ts";
import { systemPaths } from "../policy/readable.ts";
import { unique } from "../policy/scopes.ts";
import { OPEN_IN_SSH } from "../policy/secrets.ts";
import { DEVICES, KERNEL_VIEWS, NEVER_WITH_ALL, SHARED_TEMPORARY } from "../policy/system_paths.ts";
import { foldersAround, type FolderView } from "../system/folder_view.ts";
import { DEVICE, type LandlockRule, LOOK, READ, WRITE } from "./landlock.ts";

/** How rules look at a disk; see PolicyFacts. */
export type RuleView = Pick<FolderView, "realPath" | "listFolder">;

/** Private to the namespaces of kernel+: its own terminals and what else a machine has. */
const NAMESPACE_RULES: readonly LandlockRule[] = [
  ["/dev/ptmx", DEVICE],
  ["/dev/pts", DEVICE | LOOK],
  ["/run", LOOK],
];

/**
 * A policy as Landlock rules.
 *
 * Landlock only allows, and always whole trees: where something inside a granted folder is denied, its neighbours are
 * granted in place of the folder. New names then cannot be made beside it; at kernel+ writable folders stay whole,
 * because there a mount lies over what is denied.
 *
 * A path that is denied for reading is left out of what may be written, too: under another name (a rename, a hard link, a
 * moved parent directory) the next command could read it, because the policy denies a name.
 */
export function landlockRules(policy: Policy, programPaths: readonly string[], view: RuleView): LandlockRule[] {
  const mounts = policy.sandbox === "kernel+";
  const tools = policy.run.all || policy.write.all || policy.write.list.length > 0;
  const readable = lessDenied(policy.denyRead, view);
  const unchangeable = unique([...policy.denyWrite, ...policy.denyRead]);
  const expand = (scope: Scope, denied: readonly string[], never: readonly string[]): string[] => {
    if (scope.all) return allBut("/", unique([...denied, ...never]), view);
    const less = denied === policy.denyRead ? readable : lessDenied(denied, view);
    return scope.list.flatMap((path) => mounts && covered(policy.write, path) ? [path] : less(path));
  };
  const read = expand(policy.read, policy.denyRead, NEVER_WITH_ALL);
  const write = expand(policy.write, unchangeable, [...NEVER_WITH_ALL, ...SHARED_TEMPORARY]);
  // Everything leaves out folders that all users share; a workspace in one is meant all the same.
  const root = mounts ? [policy.root] : allBut(policy.root, unchangeable, view);
  const needed = [...systemPaths(view.realPath), ...programPaths].flatMap(readable);
  return fewest([
    ...rules(KERNEL_VIEWS, LOOK),
    ...rules(DEVICES, DEVICE),
    ...rules(unique([...needed, ...read]), READ),
    ...rules(policy.write.all ? unique([...write, ...root]) : write, WRITE),
    ...(tools ? rules([policy.tmp, policy.cache], READ | WRITE) : []),
    ...rules(openSecrets(policy, view), LOOK),
    ...(mounts ? NAMESPACE_RULES : []),
    ...rules(privateFolders(policy), READ | WRITE),
  ]);
}

/** The same rules in fewer: one for each path, and none for what a folder around it allows already. Each costs a start time. */
function fewest(all: readonly LandlockRule[]): LandlockRule[] {
  const rights = new Map<string, number>();
  for (const [path, more] of all) rights.set(path, (rights.get(path) ?? 0) | more);
  return [...rights].filter(([path, own]) =>
    !foldersAround(path).some((folder) => (own & ~(rights.get(folder) ?? 0)) === 0)
  );
}

function rules(paths: readonly string[], rights: number): LandlockRule[] {
  return paths.map((path) => [path, rights]);
}

function covered(scope: Scope, path: string): boolean {
  return scope.list.some((folder) => isInside(path, folder));
}

/**
 * A folder less what is denied in it: the folder itself, nothing, or its largest pieces that hold nothing denied.
 *
 * Links among the pieces grant nothing (no rule follows a link), so that none can lead into what is denied.
 */
export function allBut(folder: string, denied: readonly string[], view: Pick<RuleView, "listFolder">): string[] {
  return lessDenied(denied, view)(folder);
}

/** `allBut` for many folders: what is denied is sorted by the folders around it once. */
function lessDenied(denied: readonly string[], view: Pick<RuleView, "listFolder">): (folder: string) => string[] {
  const exact = new Set(denied);
  const around = new Set(denied.flatMap(foldersAround));
  const pieces = (folder: string): string[] => {
    if (exact.has(folder)) return [];
    if (!around.has(folder)) return [folder];
    return (view.listFolder(folder) ?? []).flatMap((name) => pieces(join(folder, name)));
  };
  return (folder) => foldersAround(folder).some((outer) => exact.has(outer)) ? [] : pieces(folder);
}

/** Files in secret folders that git and ssh need and that tell nothing, unless they were denied by name. */
export function openSecrets(policy: Policy, view: Pick<RuleView, "listFolder">): string[] {
  if (!policy.read.all && policy.read.list.length === 0) return [];
  const folder = join(policy.home, OPEN_IN_SSH.folder);
  return (view.listFolder(folder) ?? [])
    .filter(OPEN_IN_SSH.isOpen)
    .map((name) => join(folder, name))
    .filter((path) => policy.denyRead.every((denied) => denied === folder || !isInside(path, denied)));
}
