/** The program's version; the same as in deno.json, which a test asserts. */
export const VERSION = "0.1.0";

/** Where the project is published. OWNER is to be replaced there; everything else that names the place takes it from here. */
export const PROJECT_URL = "https://github.com/OWNER/sandpiper";

// A packed agent is a program of its own: what it tells people to type has to be its name.
const PLAIN = "sandpiper";

let name = PLAIN;

/** Names the program that is running: once, before it says anything. */
export function nameProgram(own: string): void {
  name = own;
}

/** What a person types to start this program. */
export function programName(): string {
  return name;
}

/** The name where it is a command or speaks of itself; not as a part of paths, packages and versions. */
const AS_COMMAND = /(?<![\w./@~:-])sandpiper(?= (?!binary\b|that\b|of\b|and\b|to\b)["[<(a-z-])|^sandpiper(?=:)/gm;

/** A text of the program's own, with commands as they are typed for the program that is running. */
export function inOwnName(text: string): string {
  return name === PLAIN ? text : text.replaceAll(AS_COMMAND, () => name);
}

/** The version of the program; for a packed one of what it is made from. */
export function madeOf(version: string): string {
  return name === PLAIN ? version : `(${PLAIN} ${version})`;
}

/** The program's name with its version, as `madeOf` tells it. */
export function programTitle(version: string): string {
  return `${name} ${madeOf(version)}`;
}
