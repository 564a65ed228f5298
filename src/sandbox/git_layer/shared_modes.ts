// The modes of a repository that several users share: git-config(1), core.sharedRepository. What the program itself writes there
// has to be as open to them as what git writes.
import { dirname } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import { readConfigText } from "../git/config_text.ts";
import { statusOf } from "../system/statx.ts";

/** Opens what was written to those who share a repository. */
export interface SharedModes {
  file(path: string): void;
  /** Makes a directory, with those around it. */
  makeDirectory(path: string): void;
}

/** The modes that the text of a repository's settings asks for. */
export function sharedModes(config: string): SharedModes {
  const value = readConfigText(config).settings.findLast(([name]) => name === "core.sharedrepository");
  const bits = value === undefined ? undefined : bitsOf(value[1]);
  const open = (path: string, isDirectory: boolean): void => {
    const status = bits === undefined ? undefined : statusOf(path);
    // What belongs to somebody else has its mode from there.
    if (bits === undefined || status === undefined || status.uid !== Deno.uid()) return;
    let more = bits.mode;
    if ((status.mode & 0o200) === 0) more &= ~0o222;
    if (isDirectory || (status.mode & 0o100) !== 0) more |= (more & 0o444) >> 2;
    const mode = ((bits.isWhole ? status.mode & ~0o777 : status.mode) | more | (isDirectory ? 0o2000 : 0)) & 0o7777;
    if (mode !== status.mode) attempt(() => Deno.chmodSync(path, mode)); // It is gone already.
  };
  const makeDirectory = (path: string): void => {
    if (statusOf(path) !== undefined) return;
    makeDirectory(dirname(path));
    Deno.mkdirSync(path, { recursive: true });
    open(path, true);
  };
  return { file: (path) => open(path, false), makeDirectory };
}

/** `isWhole`: instead of the bits that a file has for others, and not besides. Undefined: as the mask says. */
function bitsOf(value: string | undefined): { readonly mode: number; readonly isWhole: boolean } | undefined {
  const word = (value ?? "true").toLowerCase();
  if (/^(?:true|yes|on|1|group)$/.test(word)) return { mode: 0o660, isWhole: false };
  if (/^(?:2|all|world|everybody)$/.test(word)) return { mode: 0o664, isWhole: false };
  // One that takes away the owner's own rights git rejects.
  if (/^0[0-7]{3,4}$/.test(word) && (parseInt(word, 8) & 0o600) === 0o600) {
    return { mode: parseInt(word, 8) & 0o666, isWhole: true };
  }
  return undefined;
}
