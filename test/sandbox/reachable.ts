import { dirname, fromFileUrl, join } from "@std/path";
import type { As } from "./confined_world.ts";

const root = dirname(dirname(dirname(fromFileUrl(import.meta.url))));

/** Whether an ordinary user may open a path: every folder on the way lets others through. */
function isReachable(path: string): boolean {
  for (let folder = path; folder !== "/"; folder = dirname(folder)) {
    if (((Deno.statSync(folder).mode ?? 0) & 0o5) !== 0o5) return false;
  }
  return true;
}

/** As whom processes can be started here: root also becomes an ordinary user, where that one could read the program. */
export const USERS: readonly As[] = users();

function users(): readonly As[] {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return ["self"];
  if (isReachable(root)) return ["self", "user"];
  console.log(`not tested as an ordinary user: ${root} lies in a folder that only its owner may enter`);
  return ["self"];
}

let copy: string | undefined;

/** A Deno that an ordinary user may start: the running one, or a copy where that lies in somebody's home. */
export function reachableDeno(): string {
  const deno = Deno.realPathSync(Deno.execPath());
  if (isReachable(deno)) return deno;
  if (copy === undefined) {
    const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sandpiper-deno-" }));
    globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
    Deno.chmodSync(folder, 0o755);
    copy = join(folder, "deno");
    Deno.copyFileSync(deno, copy);
    Deno.chmodSync(copy, 0o755);
  }
  return copy;
}
