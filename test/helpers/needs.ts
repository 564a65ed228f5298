import { join } from "@std/path";

/** PATH of commands in tests of the sandbox. */
const SANDBOX_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Whether a program is in a directory of `path`, as a file that may be executed. */
export function hasProgram(name: string, path: string = Deno.env.get("PATH") ?? ""): boolean {
  return path.split(":").some((folder) => {
    try {
      const { isFile, mode } = Deno.statSync(join(folder, name));
      return isFile && ((mode ?? 0o111) & 0o111) !== 0;
    } catch {
      return false;
    }
  });
}

/** Name and `ignore` of a test, for `Deno.test`. */
export interface Needs {
  readonly name: string;
  readonly ignore: boolean;
}

/**
 * A test that needs programs which a machine may lack. Without one of them it is skipped, and its name says why.
 *
 * @param programs names of files in PATH; for commands in the sandbox they must be in the system's directories, too
 * @param ignore skips the test for another reason
 */
export function needs(programs: readonly string[], name: string, ignore = false, inSandbox = false): Needs {
  const missing = programs.filter((one) => !hasProgram(one) || (inSandbox && !hasProgram(one, SANDBOX_PATH)));
  return skippedIf(missing.length > 0 && `${missing.join(", ")} not installed`, name, ignore);
}

/** A test that is skipped for a reason, if there is one; its name gives the reason. */
export function skippedIf(reason: string | false, name: string, ignore = false): Needs {
  return reason === false ? { name, ignore } : { name: `${name} [skipped: ${reason}]`, ignore: true };
}
