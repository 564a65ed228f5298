import { basename, dirname } from "@std/path";
import { ToolError } from "../../core/error.ts";
import { covers, type Policy } from "../../core/policy.ts";
import { shownPath } from "../../../tools/text/shown_path.ts";
import { nearNames } from "./near_names.ts";

/** What a model is told about a path that is not there: the missing folder, or names in the folder that come close. */
export function missingFile(path: string, policy: Policy, cause: unknown): ToolError {
  const what = `File not found: ${shownPath(path, policy.root)}`;
  const folder = dirname(path);
  if (!covers(policy.read, folder)) return new ToolError(what, { cause });
  let names: string[];
  try {
    names = Array.from(Deno.readDirSync(folder), ({ name }) => name);
  } catch {
    return new ToolError(`${what}. There is no folder ${shownPath(folder, policy.root)}`, { cause });
  }
  const near = nearNames(basename(path), names).map((name) => shownPath(name));
  return new ToolError(near.length === 0 ? what : `${what}. In the same folder: ${near.join(", ")}`, { cause });
}
