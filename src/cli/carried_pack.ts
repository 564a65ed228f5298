import { nameProgram } from "../core/version.ts";
import { carryPack, readVariable } from "../config/host_environment.ts";
import { packLayer } from "../config/options/packed.ts";
import { carriedPack } from "../pack/carried.ts";
import { cacheRoot, spareFolder } from "../engine/sessions/session_folders.ts";
import { ownFolder } from "../engine/resources/bundled.ts";
import { ownerPrefix, removeAbandoned } from "../sandbox/system/temporary_folder.ts";

/**
 * Takes up what was packed into the program that is running: from here on no configuration is made without it. Throws
 * UserError for a binary that is damaged.
 */
export function takeCarriedPack(): void {
  const pack = carriedPack(Deno.execPath(), () => {
    const names = ["HOME", "XDG_CACHE_HOME", "TMPDIR"];
    const env = Object.fromEntries(names.flatMap((name) => {
      const value = readVariable(name);
      return value === undefined ? [] : [[name, value]];
    }));
    return [() => cacheRoot(env), () => spareOf(env)];
  }, { owner: ownerPrefix(), tidy: removeAbandoned });
  if (!pack) return;
  nameProgram(pack.name);
  carryPack(packLayer(pack));
}

/** Whoever else can write there could change what was unpacked after it was looked at. */
function spareOf(env: Readonly<Record<string, string>>): string | undefined {
  const spare = spareFolder(env);
  return spare === undefined ? undefined : ownFolder(spare);
}
