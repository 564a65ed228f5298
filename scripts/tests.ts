/**
 * Runs all tests but those of the binary, or the files and folders that are named: `deno task test -- test/tui/`.
 *
 * Every group runs even if an earlier one failed. Ends with 1 when any failed.
 */
import { join } from "@std/path";
import { PERMISSIONS, testGroups } from "./tests/groups.ts";

const root = join(import.meta.dirname ?? ".", "..");
const named = Deno.args.filter((arg) => arg !== "--");
const groups = named.length > 0 ? [named] : testGroups(foldersWithTests());
let failed = false;
for (const group of groups) {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["test", ...PERMISSIONS, ...group],
    cwd: root,
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn().status;
  failed ||= !success;
}
Deno.exit(failed ? 1 : 0);

function foldersWithTests(): string[] {
  const hasTest = (folder: string): boolean =>
    [...Deno.readDirSync(folder)].some(({ name, isDirectory }) =>
      isDirectory ? hasTest(join(folder, name)) : name.endsWith("_test.ts")
    );
  return [...Deno.readDirSync(join(root, "test"))]
    .filter(({ name, isDirectory }) => isDirectory && hasTest(join(root, "test", name)))
    .map(({ name }) => `test/${name}/`)
    .sort();
}
