// Of a repository's settings a command may add where other repositories are, and which branch follows which: git remote add, git
// push -u, git submodule init. Everything else may start a program or name a place, and what does so grows with git.
import { readConfigText } from "../git/config_text.ts";
import { isRefName } from "./refs.ts";

/** What a command changed of a repository's settings. */
export interface SettingsChange {
  /** New ones that may be added, names in full; of a repository that commands made they replace others of the name. */
  readonly added: readonly (readonly [name: string, value: string])[];
  /** Those that may be removed: of a repository that commands made, what they may add. */
  readonly removed: readonly string[];
  /** The names of all others that are new or gone. */
  readonly refused: readonly string[];
}

/** git's own limits of a remote's name are wider. */
const SUBSECTION = /^[A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)*$/;

/** https and ssh, written plainly; ssh also as `user@host:path`. A name that begins with a dash would be an option of ssh. */
const ADDRESS = new RegExp(
  "^(?:https://[A-Za-z0-9][\\w.-]*(?::\\d{1,5})?/[\\w./~+%@-]*" +
    "|ssh://(?:[A-Za-z0-9][\\w.-]*@)?[A-Za-z0-9][\\w.-]*(?::\\d{1,5})?/[\\w./~+%@-]*" +
    "|[A-Za-z0-9][\\w.-]*@[A-Za-z0-9][\\w.-]*:(?![:-])[\\w./~+%@-]+)$",
);

/** Where another repository of this machine is, written plainly. */
const LOCAL = /^(?:file:\/\/(?=\/))?((?:\/|\.{1,2}\/)[\p{L}\p{N}_./~+%@ -]*)$/u;

/** What a repository that commands made may say besides: nothing of it starts a program or names a place. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  "user.name": /^[^\p{Cc}-][^\p{Cc}]{0,200}$/u,
  "user.email": /^[^\p{Cc}-][^\p{Cc}]{0,200}$/u,
  "submodule.active": /^\.$/,
  "pull.rebase": /^(?:true|false)$/,
  "pull.ff": /^(?:true|false|only)$/,
  "push.default": /^\w+$/,
  "push.autosetupremote": /^(?:true|false)$/,
  "core.autocrlf": /^(?:true|false|input)$/,
  "core.eol": /^(?:lf|crlf|native)$/,
  "commit.gpgsign": /^false$/,
};

/**
 * The differences between two texts of settings. `isPlace`: of a repository that commands made, whether a path is a folder where
 * another repository of the user's may be; pure but for that. `isOwnBranch`: whether a branch was there before the command, so that
 * the user's `git push` and `git pull` are about it. `isNew`: the command created the repository, as a submodule's first files do;
 * its branches may follow the remotes that come with it.
 */
export function settingsChange(
  own: string,
  changed: string,
  isPlace?: (path: string) => boolean,
  isOwnBranch: (branch: string) => boolean = () => true,
  isNew = false,
): SettingsChange {
  const isAddress = (value: string): boolean => {
    const path = isPlace && LOCAL.exec(value)?.[1];
    return ADDRESS.test(value) || (path !== undefined && isPlace?.(path) === true);
  };
  const [was, is] = [readConfigText(own), readConfigText(changed)];
  if (!is.isWhole || !was.isWhole) {
    return own === changed ? { added: [], removed: [], refused: [] } : { added: [], removed: [], refused: ["a line"] };
  }
  const left = was.settings.map(keyOf);
  const fresh = is.settings.filter((setting) => {
    const at = left.indexOf(keyOf(setting));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  const known = new Set(was.settings.map(([name]) => name));
  const isNewRemote = (name: string): boolean => !was.settings.some(([other]) => other.startsWith(`remote.${name}.`));
  const ownRemotes = new Set(was.settings.flatMap(([name]) => /^remote\.(.+)\.[^.]+$/.exec(name)?.[1] ?? []));
  // Where branches go already. A remote that an earlier command added is none of these.
  const followed = new Set(
    was.settings.flatMap(([name, value]) => /^branch\..+\.remote$/.test(name) ? value ?? [] : []),
  );
  // `git push ORIGIN` is a slip of the hand, and `orig1n` one of the eye.
  const isConfusable = (name: string): boolean =>
    [...ownRemotes].some((other) => {
      const [some, own] = [skeleton(name), skeleton(other)];
      return some === own || some.startsWith(`${own}/`) || own.startsWith(`${some}/`);
    });
  const remoteOf = (name: string): string | undefined => /^remote\.(.+)\.url$/.exec(name)?.[1];
  const remotes = new Set(
    [...was.settings, ...fresh].flatMap(([name]) => remoteOf(name) ?? []),
  );
  // One without its address would stand in the way of the user's own.
  for (const [name, value] of fresh) {
    const remote = remoteOf(name);
    if (remote === undefined || !isNewRemote(remote)) continue;
    if (!isAddress(value ?? "") || (!isPlace && isConfusable(remote))) remotes.delete(remote);
  }
  /** Whether a branch follows one of its own name, if it follows any. */
  const isSameName = (branch: string): boolean =>
    fresh.every(([name, value]) => name !== `branch.${branch}.merge` || value === `refs/heads/${branch}`);
  /** Whether a branch follows one of a remote of the user's. */
  const follows = (branch: string): boolean =>
    is.settings.some(([name, value = ""]) => name === `branch.${branch}.remote` && followed.has(value));
  const isGood = ([name, value]: readonly [string, string | undefined]): boolean => {
    const [, section, sub = "", key] = /^(remote|branch|submodule)\.(.+)\.([a-z]+)$/.exec(name) ?? [];
    if (isPlace && value !== undefined && Object.hasOwn(PLAIN, name)) return PLAIN[name]?.test(value) === true;
    if (value === undefined || !SUBSECTION.test(sub) || sub.includes("..")) return false;
    switch (`${section}.${key}`) {
      case "remote.url":
        return (isNewRemote(sub) && remotes.has(sub)) || (isPlace !== undefined && isAddress(value));
      case "remote.fetch":
        return isNewRemote(sub) && remotes.has(sub) &&
          (isFetch(value, sub) || (isPlace !== undefined && isTagFetch(value)));
      case "submodule.url":
        return !known.has(name) && isAddress(value);
      case "submodule.active":
        return !known.has(name) && value === "true";
      case "branch.remote":
        if (isPlace) return value === "." || remotes.has(value);
        if (known.has(name)) return false;
        if (isOwnBranch(sub)) return followed.has(value) && isSameName(sub);
        return value === "." || (isNew ? remotes : followed).has(value);
      case "branch.merge":
        return (isPlace !== undefined ||
          (!known.has(name) && (!isOwnBranch(sub) || (value === `refs/heads/${sub}` && follows(sub))))) &&
          value.startsWith("refs/heads/") && isRefName(value);
      default:
        return false;
    }
  };
  const gone = left.map((key) => key.split("\0")[0] ?? "");
  const stays = new Set(is.settings.map(([name]) => name));
  const removed = new Set(isPlace ? gone.filter((name) => !stays.has(name) && isOrdinary(name)) : []);
  const good = new Set(fresh.filter(isGood).map(([name]) => name));
  return {
    added: fresh.filter(isGood).map(([name, value]) => [name, value as string]),
    removed: [...removed],
    refused: [
      ...fresh.filter((setting) => !isGood(setting)).map(([name]) => name),
      // The host writes it, where git leaves it out.
      ...gone.filter((name) => !good.has(name) && !removed.has(name) && (!isPlace || name !== "core.logallrefupdates"))
        .map((name) => fresh.some(([other]) => other === name) ? name : `${name} (removed)`),
    ],
  };
}

/** A name as a hasty reader takes it. */
function skeleton(name: string): string {
  return name.toLowerCase().replaceAll("0", "o").replaceAll(/[1i|]/g, "l").replaceAll("5", "s").replaceAll("rn", "m")
    .replaceAll("vv", "w").replaceAll(/[_.-]/g, "");
}

function isFetch(value: string, remote: string): boolean {
  const [, from = "", to = ""] = /^\+?([^:]+):([^:]+)$/.exec(value) ?? [];
  const isPattern = (name: string): boolean => isRefName(name.replace(/\*$/, "x"));
  return from.startsWith("refs/heads/") && isPattern(from) && to.startsWith(`refs/remotes/${remote}/`) && isPattern(to);
}

/** Whether a setting is of a kind that commands may make in a repository of theirs. */
function isOrdinary(name: string): boolean {
  return Object.hasOwn(PLAIN, name) || /^(?:remote\..+\.(?:url|fetch)|branch\..+\.(?:remote|merge))$/.test(name);
}

/** As a clone of a tag has it. */
function isTagFetch(value: string): boolean {
  const [, from = "", to] = /^\+?([^:]+):([^:]+)$/.exec(value) ?? [];
  return from === to && from.startsWith("refs/tags/") && isRefName(from);
}

function keyOf([name, value]: readonly [string, string | undefined]): string {
  return `${name}\0${value === undefined ? "" : `=${value}`}`;
}
