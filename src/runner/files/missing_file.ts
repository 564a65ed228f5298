import { basename, dirname } from "@std/path";
import { shownPath } from "../../../tools/text/shown_path.ts";
import { ToolError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import { covers, type Policy } from "../../core/policy.ts";

/** What a model is told about a path that is not there: the missing folder, or names in the folder that come close. */
export function missingFile(path: string, policy: Policy, cause: unknown): ToolError {
  const what = `File not found: ${shownPath(path, policy.root)}`;
  const folder = dirname(path);
  if (!covers(policy.read, folder)) return new ToolError(what, { cause });
  const names = attempt(() => Array.from(Deno.readDirSync(folder), ({ name }) => name));
  if (!names) return new ToolError(`${what}. There is no folder ${shownPath(folder, policy.root)}`, { cause });
  const near = nearNames(basename(path), names).map((name) => shownPath(name));
  return new ToolError(near.length === 0 ? what : `${what}. In the same folder: ${near.join(", ")}`, { cause });
}

/** Names looked at before the search for similar ones is given up. */
const MAX_NAMES = 2000;

/** Up to three names of a folder that somebody who wrote `name` may have meant, the closest first. */
export function nearNames(name: string, names: readonly string[]): string[] {
  const wanted = plain(basename(name));
  const scored = names.slice(0, MAX_NAMES)
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, plain(candidate)) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(wanted.length / 4)));
  return scored.sort((a, b) => a.distance - b.distance).slice(0, 3).map(({ candidate }) => candidate);
}

/** A name without what people do not see: case, composition, kinds of quotes and spaces. */
function plain(name: string): string {
  return name.normalize("NFKC").replace(/[\u2018\u2019]/g, "'").replace(/\s/g, " ").toLowerCase();
}

/** Edits (insert, delete, replace) from one text to another; lengths far apart are not measured. */
function distanceOf(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 3 || from.length > 100) return from === to ? 0 : Infinity;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const change = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? Infinity;
}
