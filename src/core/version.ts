/** The program's version; the same as in deno.json, which a test asserts. */
export const VERSION = "0.1.0";

/**
 * The scope of all packages in the npm registry. The unscoped name `sandpiper` is another project's package, so that no text
 * of this program may name it as something to install.
 */
export const NPM_SCOPE = "@sandpiper";
/** The package with the program; the same as the name in deno.json, which a test asserts. */
export const NPM_PACKAGE = `${NPM_SCOPE}/cli`;
/** The package with the SDK. */
export const SDK_PACKAGE = `${NPM_SCOPE}/sdk`;

/**
 * Where the project publishes its releases: an https address without a slash at its end. Undefined until there is one: then
 * no message names an address or a command that installs a package.
 */
export const PROJECT_URL: string | undefined = undefined;

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
