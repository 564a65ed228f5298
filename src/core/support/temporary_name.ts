// A file is written under a name of its own first and then takes its place. Such names say which process owns them, so that a later
// start can remove what a killed one left.
import { basename } from "@std/path";

/** A name that no file has. `owner`: the prefix that names the program and the process; see `ownerPrefix`. */
export function temporaryName(owner: string): string {
  return `.${owner}${crypto.randomUUID()}.tmp`;
}

/** The prefix of the owner in the path of a session's temporary folder. */
export function ownerPrefixIn(folder: string): string {
  return /^sandpiper-(?:\d+-){3}/.exec(basename(folder))?.[0] ?? "sandpiper-";
}

/** The prefix of the owner in a name of `temporaryName`; undefined for any other name. */
export function ownerOfTemporary(name: string): string | undefined {
  return /^\.(sandpiper-(?:\d+-){3})[0-9a-f]{8}-[0-9a-f-]{27}\.tmp$/.exec(name)?.[1];
}
