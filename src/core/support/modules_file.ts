/**
 * The file that the compiled binary's own modules are in (src/boot/modules.ts): the binary itself, behind the runtime and in
 * front of what that reads into memory at every start; where binaries are no ELF files, one that it carries.
 *
 * @param folder The folder of the binary's first module.
 */
export function modulesFile(folder: string): string {
  return Deno.build.os === "linux" ? Deno.execPath() : `${folder}/${MODULES}`;
}

/** Base name of the modules as a file of their own. */
export const MODULES = "modules.bin";
