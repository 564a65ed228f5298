import { dirname } from "@std/path";
import type { Denial } from "./event.ts";
import { textOf } from "./message.ts";
import { isInside, type Policy } from "./policy.ts";
import { shellWord } from "./support/text.ts";
import type { ToolResult } from "./tool_result.ts";

/**
 * The option that allows a grant besides all that is allowed already, as a person can type it into a shell.
 *
 * For writing the grant is a folder, and the slash at its end has it made where it is missing.
 */
export function grantOption(kind: Denial["kind"], grant: string): string {
  if (grant === "*") return `--allow-${kind}`;
  const folder = kind === "write" && !grant.endsWith("/") ? `${grant}/` : grant;
  // A comma stands between entries; Deno writes one that belongs to a path twice.
  return `--allow-${kind}=${shellWord(`+${folder.replaceAll(",", ",,")}`)}`;
}

/**
 * The option that lets tools write one file that exists, and nothing beside it.
 *
 * @param path Absolute.
 */
export function fileWriteOption(path: string): string {
  return `--allow-write=${shellWord(`+${path.replaceAll(",", ",,")}`)}`;
}

/** Whether a grant of a directory would open the home directory, or the directories around the workspace, as a whole. */
export function opensHome(directory: string, { home, root }: Pick<Policy, "home" | "root">): boolean {
  return isInside(home, directory) || (directory !== root && isInside(root, directory));
}

/**
 * The option for the model that lets tools write a path. It names the directory, because a new file changes its directory;
 * but never the home directory for the sake of one file. The text is the same whether the file exists or not.
 *
 * @param target Absolute; a slash at its end names the directory itself.
 * @param show How the path is shown.
 */
export function writeAdvice(
  target: string,
  policy: Pick<Policy, "home" | "root">,
  show: (path: string) => string = (path) => path,
): string {
  const directory = target.endsWith("/") ? target : dirname(target);
  const isFile = directory !== target && opensHome(directory, policy);
  return isFile ? `${fileWriteOption(show(target))} if the file exists` : grantOption("write", show(directory));
}

/** A denial as a person is asked about it. Neither text holds anything that could steer a terminal or hide. */
export interface ShownDenial {
  /** What did not work, for example `read /srv/data/a.csv`. */
  readonly denied: string;
  /** What a yes would allow, for example `read, change, make and delete everything in /srv/data`. */
  readonly allows: string;
}

/** A denial in words. */
export function describeDenial({ kind, target, grant }: Denial): ShownDenial {
  const [what, all] = [visibleName(target), grant === "*"];
  switch (kind) {
    case "read":
      return {
        denied: `read ${what}`,
        allows: all ? "read everything but secrets" : `read ${visibleName(grant)} and all that is in it`,
      };
    case "write":
      return {
        denied: `write ${what}`,
        allows: all ? "read and write everywhere" : `read, change, make and delete everything in ${visibleName(grant)}`,
      };
    case "run":
      return { denied: `run ${what}`, allows: `run ${visibleName(grant)}, in the same confinement` };
    case "net":
      return {
        denied: target === "*" ? "use the network" : `connect to ${what}`,
        allows: all ? "use all of the network" : `connect to ${visibleName(grant)}`,
      };
  }
}

/** A name on one line, with escapes for what would not be seen as it is. */
export function visibleName(name: string): string {
  return name.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/**
 * What a result says besides the denials that its details have, too. For a screen that has a line for each of those, so that it
 * says them once; which lines these are is counted where they are written, and never guessed from what they say.
 */
export function untoldText({ content, details }: Pick<ToolResult, "content" | "details">): string {
  const text = textOf(content).replace(/\n+$/, "");
  const told = details?.["toldLines"];
  if (typeof told !== "number" || !(told >= 1)) return text;
  return text.split("\n").slice(0, -told).join("\n").replace(/\n+$/, "");
}

/** A result without that count: for one of somebody who is not asked which of its lines a screen leaves out. */
export function withoutTold<R extends Pick<ToolResult, "details">>(result: R): R {
  if (result.details?.["toldLines"] === undefined) return result;
  const { toldLines: _, ...details } = result.details;
  return { ...result, details };
}
