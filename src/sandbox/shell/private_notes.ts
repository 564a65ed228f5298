import { dirname, join } from "@std/path";
import { grantOption } from "../../core/grant_option.ts";
import { isInside, openedBy, type Policy } from "../../core/policy.ts";
import { PRIVATE_GIT_CONFIG } from "../git/private_config.ts";
import { thisProgram } from "../confine/self.ts";
import { privateFolders } from "../policy/private_folders.ts";
import { disk, isSurelyOlder } from "../system/disk.ts";
import { statusOf } from "../system/statx.ts";

/** Output that was too long for the model, which is kept here as well. */
const OWN_NAME = /^\/tmp\/bash-[\w-]+\.log$/;
const MOST_NAMES = 5;

/**
 * Looks at what a command finds in its own /tmp, as paths there; undefined where that is the machine's. A command's words do not
 * say whether it writes there: a script may, and from a workspace below /tmp `../x` leads there.
 */
export function openPrivateTmp(
  policy: Policy,
  program: readonly string[] = thisProgram().readPaths,
): (() => ReadonlySet<string>) | undefined {
  if (!privateFolders(policy).includes("/tmp")) return undefined;
  // The runner, which shares the folder, is shown the program.
  const shown = [...policy.read.list, ...policy.write.list, policy.root, policy.home, ...program].filter((path) =>
    isInside(path, "/tmp")
  );
  /** Folders of its own around what is shown of the machine's: mounts need a place, and leave it behind. */
  const around = new Set(["/tmp"]);
  for (const path of shown) {
    for (let folder = dirname(path); isInside(folder, "/tmp"); folder = dirname(folder)) around.add(folder);
  }
  const own = [...around].filter((folder) => !shown.some((path) => isInside(folder, path)));
  const look = (): ReadonlySet<string> => {
    const names = own.flatMap((folder) => listOwn(privatePath(policy, folder)).map((name) => `${folder}/${name}`));
    return new Set(names.filter((path) => !around.has(path) && !shown.includes(path)));
  };
  let last: { readonly stamp: string; readonly names: ReadonlySet<string> } | undefined;
  return () => {
    const now = Date.now();
    const states = own.map((folder) => statusOf(privatePath(policy, folder)));
    const stamp = states.map((state) => state?.stamp ?? "").join();
    const isSure = states.every((state) => state === undefined || isSurelyOlder(state.changedMs, now));
    if (isSure && last?.stamp === stamp) return last.names;
    const names = look();
    last = isSure ? { stamp, names } : undefined;
    return names;
  };
}

/** The names in a folder that commands may have put a link in place of: what it leads to is not theirs to list. */
function listOwn(folder: string): readonly string[] {
  const names = disk.realPath(folder) === folder ? disk.listFolder(folder) ?? [] : [];
  return disk.realPath(folder) === folder ? names : [];
}

/** A command that lists /tmp itself: what it shows looks like all that there is. */
const LISTS_TMP = /(?:^|[;&|(\n])\s*(?:ls|find|du|tree)\s(?:[^;&|\n]*\s)?\/tmp\/?(?=[\s;&|)]|$)/;

/** Where that lies what a command has put into /tmp since: nothing of it is in the machine's. */
export function privateTmpNotes(
  policy: Policy,
  before: ReadonlySet<string> | undefined,
  now: ReadonlySet<string> | undefined,
  command: string,
): string[] {
  if (before === undefined || now === undefined) return [];
  const fresh = [...now].filter((path) => !before.has(path) && !OWN_NAME.test(path));
  if (fresh.length === 0) {
    if (!LISTS_TMP.test(command)) return [];
    const own = "Sandbox: /tmp is private to this session's commands, and the machine's /tmp is out of their sight.";
    return [`${own} ${openedBy(grantOption("read", "/tmp"), policy)}.`];
  }
  const names = fresh.slice(0, MOST_NAMES).map((path) => `${path} is ${privatePath(policy, path)}`).join(", ");
  const more = fresh.length > MOST_NAMES ? ` and ${fresh.length - MOST_NAMES} more` : "";
  return [
    `Sandbox: /tmp is private to this session's commands: ${names}${more}. ` +
    "It ends with the session, and nothing was written to the machine's /tmp.",
  ];
}

/** What a command says of /dev/shm that is not granted is its own, and gone with it: nobody can look afterwards. */
export function privateMemoryNotes(policy: Policy, command: string): string[] {
  if (!privateFolders(policy).includes("/dev/shm")) return [];
  const granted = [...policy.read.list, ...policy.write.list, policy.root];
  const named = command.match(/\/dev\/shm(?:\/[^\s'"`;|&<>()]*)?(?![\w.-])/g) ?? [];
  if (named.every((path) => granted.some((folder) => isInside(path.replace(/\/+$/, ""), folder)))) return [];
  return [
    "Sandbox: /dev/shm is private to each command: it begins empty, what this one put there ended with it, and nothing " +
    "was written to the machine's /dev/shm.",
  ];
}

/** Which file git's global settings are now; undefined where commands have none of their own. */
export function globalGitConfig({ tmp, root }: Policy): string | undefined {
  if (tmp === root) return undefined;
  try {
    const { ino, size, mtime } = Deno.lstatSync(join(tmp, PRIVATE_GIT_CONFIG));
    return `${ino} ${size} ${mtime?.getTime()}`;
  } catch {
    return undefined;
  }
}

/** `git config --global` succeeds, on a file that the user's own git never sees. */
export function globalGitNotes(policy: Policy, before: string | undefined): string[] {
  if (before === undefined || globalGitConfig(policy) === before) return [];
  return [
    "Sandbox: git config --global changed a copy that ends with the sandbox; the user's own ~/.gitconfig is as it was.",
  ];
}

/** Where a path of the private /tmp lies on the machine. */
function privatePath({ tmp }: Policy, path: string): string {
  return tmp + path.slice("/tmp".length);
}
