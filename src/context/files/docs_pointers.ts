import { join } from "@std/path";
import { isThere } from "../../core/support/on_disk.ts";

const POINTERS = [
  { label: "Main docs", file: "README.md" },
  { label: "Additional docs", file: "docs" },
  { label: "Examples", file: "docs/examples" },
] as const;

/** The places of the program's own documentation below `folder`; one that is not there is left out (R6, R7). */
export function gatherDocs(folder: string): readonly { readonly label: string; readonly path: string }[] {
  return POINTERS.map(({ label, file }) => ({ label, path: join(folder, file) })).filter(({ path }) => isThere(path));
}
