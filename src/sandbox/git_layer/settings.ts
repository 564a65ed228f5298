// Of a repository's settings a command may add where other repositories are, and which branch follows which: git remote add, git
// push -u. Everything else may start a program or name a place, and what does so grows with git.
import { readConfigText } from "../git/config_text.ts";
import { isRefName } from "./refs.ts";

/** What a command changed of a repository's settings. */
export interface SettingsChange {
  /** New ones that may be added, names in full. */
  readonly added: readonly (readonly [name: string, value: string])[];
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

/** The differences between two texts of settings; pure. */
export function settingsChange(own: string, changed: string): SettingsChange {
  const [was, is] = [readConfigText(own), readConfigText(changed)];
  if (!is.isWhole || !was.isWhole) {
    return own === changed ? { added: [], refused: [] } : { added: [], refused: ["a line"] };
  }
  const left = was.settings.map(keyOf);
  const fresh = is.settings.filter((setting) => {
    const at = left.indexOf(keyOf(setting));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  const known = new Set(was.settings.map(([name]) => name));
  const isNewRemote = (name: string): boolean => !was.settings.some(([other]) => other.startsWith(`remote.${name}.`));
  const remoteOf = (name: string): string | undefined => /^remote\.(.+)\.url$/.exec(name)?.[1];
  const remotes = new Set(
    [...was.settings, ...fresh].flatMap(([name]) => remoteOf(name) ?? []),
  );
  // One without its address would stand in the way of the user's own.
  for (const [name, value] of fresh) {
    const remote = remoteOf(name);
    if (remote !== undefined && isNewRemote(remote) && !ADDRESS.test(value ?? "")) remotes.delete(remote);
  }
  const isGood = ([name, value]: readonly [string, string | undefined]): boolean => {
    const [, section, sub = "", key] = /^(remote|branch)\.(.+)\.([a-z]+)$/.exec(name) ?? [];
    if (value === undefined || !SUBSECTION.test(sub) || sub.includes("..")) return false;
    switch (`${section}.${key}`) {
      case "remote.url":
        return isNewRemote(sub) && remotes.has(sub);
      case "remote.fetch":
        return isNewRemote(sub) && remotes.has(sub) && isFetch(value, sub);
      case "branch.remote":
        return !known.has(name) && (value === "." || remotes.has(value));
      case "branch.merge":
        return !known.has(name) && value.startsWith("refs/heads/") && isRefName(value);
      default:
        return false;
    }
  };
  return {
    added: fresh.filter(isGood).map(([name, value]) => [name, value as string]),
    refused: [
      ...fresh.filter((setting) => !isGood(setting)).map(([name]) => name),
      ...left.map((key) => key.split("\0")[0] ?? "").map((name) =>
        fresh.some(([other]) => other === name) ? name : `${name} (removed)`
      ),
    ],
  };
}

function isFetch(value: string, remote: string): boolean {
  const [, from = "", to = ""] = /^\+?([^:]+):([^:]+)$/.exec(value) ?? [];
  const isPattern = (name: string): boolean => isRefName(name.replace(/\*$/, "x"));
  return from.startsWith("refs/heads/") && isPattern(from) && to.startsWith(`refs/remotes/${remote}/`) && isPattern(to);
}

function keyOf([name, value]: readonly [string, string | undefined]): string {
  return `${name}\0${value === undefined ? "" : `=${value}`}`;
}
