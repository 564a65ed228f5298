import type { Denial } from "./event.ts";
import { shellWord } from "./support/text.ts";

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
