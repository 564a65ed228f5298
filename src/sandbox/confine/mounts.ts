import { dirname, join } from "@std/path";
import { isInside, type Policy } from "../../core/policy.ts";
import { openSecrets, type RuleView } from "../landlock/rules.ts";
import { isShared, privateFolders } from "../policy/private_folders.ts";
import type { FolderView } from "../system/folder_view.ts";

/**
 * What is at a path inside of the namespaces. `read`, `write`: the machine's own file or directory; `fixed`: the same,
 * unchangeable; `link`: the same symbolic link; `empty`: a new directory; `nothing`: an empty file; `temporary`: the
 * session's temporary directory; `missing`: an empty directory that stays empty.
 */
export type MountKind = "empty" | "temporary" | "missing" | "link" | "read" | "write" | "fixed" | "nothing" | "masked";

/** One mount, to be made in the order given. */
export type Mount = readonly [kind: MountKind, path: string];

/** Later kinds win where two mounts want the same place: a grant beats a cover, a denial beats a grant. */
const STRENGTH: readonly MountKind[] = [
  "empty",
  "temporary",
  "missing",
  "link",
  "read",
  "write",
  "fixed",
  "nothing",
  "masked",
];

/**
 * Top folders that stay in sight: the system's own, and those that get mounts of their own. Everything else is out of
 * sight but for what is granted: no rule of Landlock covers looking at attributes or connecting to a socket with a path.
 */
const IN_SIGHT = /^(?:usr|s?bin|lib(?:32|64|x32)?|opt|nix|snap|etc|sys|proc|dev|tmp)$/;

/** Directories that every root has anew. */
const OWN = ["/dev", "/proc"];

/** How mounts look at a disk; see FolderView. */
export type MountView = RuleView & Pick<FolderView, "isFile" | "readLink">;

/**
 * The mounts of a policy, from the root (always the first) to the inner ones; pure.
 *
 * Every mount below a process's root is in its /proc/self/mountinfo, those that lie under another mount too, and the kernel
 * lets no user namespace leave out or take away a single one that it inherits (mount_namespaces(7)). So the root is an empty
 * one, and only directories that hold nothing covered are mounted as a whole.
 */
export function mountsOf(policy: Policy, programPaths: readonly string[], view: MountView): Mount[] {
  const table = new Map<string, MountKind>();
  const put = (kind: MountKind, path: string): void => {
    const there = table.get(path);
    if (there === undefined || STRENGTH.indexOf(kind) > STRENGTH.indexOf(there)) table.set(path, kind);
  };
  const isReal = (path: string): boolean => view.realPath(path) === path;
  const isFile = (path: string): boolean => view.isFile?.(path) ?? false;
  const others = (view.listFolder("/") ?? []).filter((name) => !IN_SIGHT.test(name)).map((name) => `/${name}`);
  const granted = [...policy.read.list, ...policy.write.list];
  const covers = (policy.read.all ? ["/run"] : [...others, policy.home])
    // What lies in a folder that is granted is granted with it; what is denied there Landlock leaves out.
    .filter((path) => !granted.some((folder) => isInside(path, folder)))
    .filter((path) => path !== "/" && isReal(path) && !isFile(path));
  // With everything to read it stays in sight as it is, read-only; no socket with a path can be opened then.
  if (!policy.read.all || policy.write.all) covers.push("/tmp");
  // All that is in /dev comes anew: what is named of the machine's shared memory needs a mount of its own, too.
  const hidden = (path: string): boolean => isShared(path) || covers.some((cover) => isInside(path, cover));

  const own = privateFolders(policy);
  const show = (path: string): void => {
    // A name that is not UTF-8 cannot be passed on.
    if (covers.includes(path) || OWN.includes(path) || path.includes("\ufffd")) return;
    if (path !== "/" && !isReal(path)) return void (view.readLink?.(path) !== undefined && put("link", path));
    if (!covers.some((cover) => isInside(cover, path))) return put("read", path);
    put("empty", path);
    for (const name of view.listFolder(path) ?? []) show(join(path, name));
  };
  // Commands may make names at the root of a machine that they may write as a whole, and all of it is theirs to see.
  if (policy.write.all) put("write", "/");
  else show("/");
  for (const path of covers) put(own.includes(path) ? "temporary" : "empty", path);
  // With everything granted the workspace is on no list, and may still lie where something covers it.
  const workspace = policy.read.all ? [policy.root] : [];
  const shown = [...policy.read.list, ...workspace, ...programPaths].filter((path) => hidden(path) && isReal(path));
  const writable = [...policy.write.list, policy.tmp, policy.cache].filter(isReal);
  const isBelow = (path: string): boolean => writable.some((folder) => isInside(path, folder));
  // Everything is not the machine's own /tmp, for which Landlock has no rule of its own here.
  const isWithAll = (path: string): boolean =>
    policy.write.all && (isInside(path, policy.root) || !isInside(path, "/tmp"));
  for (const path of shown) {
    if (programPaths.includes(path)) put("read", path);
    // In a writable folder it is in sight already, and a mount of its own would make it read-only.
    else if (!isBelow(path)) put(isWithAll(path) ? "write" : "read", path);
  }
  for (const path of writable) put("write", path);
  // A grant names the machine's place. Where that is missing, what a command wrote there would be in its own folder. A
  // workspace that is gone is not made again: no command starts.
  const isMade = (path: string): boolean => isReal(policy.root) || !isInside(path, policy.root);
  for (const path of granted) {
    const isOwn = own.some((folder) => isInside(path, folder)) && isMade(path);
    if (isOwn && !granted.some((folder) => isInside(path, folder) && isReal(folder))) put("missing", path);
  }

  const inWritable = (path: string): boolean => policy.write.all || writable.some((folder) => isInside(path, folder));
  // Landlock opens the whole of a private folder: what is shown of the machine's there has no other guard.
  const shownInShared = shown.filter(isShared);
  const inShownShared = (path: string): boolean => shownInShared.some((folder) => isInside(path, folder));
  const deny = (path: string, kind: MountKind): void => {
    // Elsewhere Landlock leaves out what is denied, and a mount for each would cost time.
    if (!(inWritable(path) || inShownShared(path)) || !isReal(path)) return;
    put(kind, path);
    // What is mounted cannot be renamed, but a folder around it can, and would uncover the place for the next command.
    for (let folder = dirname(path); folder !== "/" && inWritable(folder); folder = dirname(folder)) {
      if (!writable.includes(folder)) put("write", folder);
    }
  };
  for (const path of [...policy.protected, ...policy.denyWrite]) deny(path, "fixed");
  for (const path of policy.denyRead) deny(path, view.listFolder(path) === undefined ? "nothing" : "masked");
  const masked = [...table].filter(([, kind]) => kind === "masked").map(([path]) => path);
  const isMasked = (path: string): boolean => masked.some((folder) => folder !== path && isInside(path, folder));
  const result = [...table].filter(([path]) => !isMasked(path));
  for (const path of openSecrets(policy, view)) if (isReal(path)) result.push([path, "read"]);
  return result
    .map(([path, kind]): Mount => [kind, path])
    .sort(([, a], [, b]) => a === "/" || (b !== "/" && a + "/" < b + "/") ? -1 : 1);
}

/** What a mount lies in, which the mounts before it (`outer`) have made; undefined for the root. */
export function kindAround(outer: readonly Mount[], [, path]: Mount): MountKind | undefined {
  return outer.findLast(([, folder]) => folder !== path && isInside(path, folder))?.[0];
}
