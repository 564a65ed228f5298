/** The packages that tests use where an ordinary user can read them: a cache of Deno's, made once for a whole run. */
import { join } from "@std/path";

/** Names such a cache to the tests of a run. */
export const PACKAGES = "SANDPIPER_TEST_PACKAGES";

/**
 * Makes one: tens of thousands of files, so by hard links wherever they are readable.
 *
 * @param from A cache of Deno's that has the packages.
 * @returns A folder that whoever asked removes.
 */
export function openPackages(from: string): string {
  // Links need the cache's own disk, or at least one that is no memory.
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ dir: "/var/tmp", prefix: "sp-packages-" }));
  const script = `cp -rl "$0" "$1" 2>&- || { rm -rf "$1"; cp -r "$0" "$1"; }
    find "$1" -type d -exec chmod a+rwx {} +
    # A link has its file's mode, which stays as it is.
    find "$1" -type f ! -perm -o+r -exec sh -c 'for f; do cp "$f" "$f~" && chmod a+r "$f~" && mv "$f~" "$f"; done' sh {} +`;
  const args = ["-e", "-c", script, join(from, "npm"), join(folder, "npm")];
  const { success, stderr } = new Deno.Command("sh", { args }).outputSync();
  if (!success) {
    Deno.removeSync(folder, { recursive: true });
    throw new Error(new TextDecoder().decode(stderr));
  }
  Deno.chmodSync(folder, 0o777);
  return folder;
}
