import { libc } from "../../src/sandbox/system/ffi.ts";

// Loaded ahead: a test that is the first to need it would seem to leave it open.
if (Deno.build.os === "linux") libc();

/** Runs a test in a new folder by its real name, which is removed afterwards. */
export async function inFolder(work: (folder: string) => void | Promise<void>, where?: string): Promise<void> {
  const folder = Deno.realPathSync(
    Deno.makeTempDirSync({ prefix: "sandpiper-unit-", ...(where ? { dir: where } : {}) }),
  );
  try {
    await work(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** A folder on another disk than the temporary one; undefined where there is none that a test may write to. */
export function otherDisk(): string | undefined {
  try {
    const folder = Deno.makeTempDirSync({ dir: "/dev/shm" });
    try {
      Deno.writeTextFileSync(`${folder}/file`, "");
      return Deno.statSync(folder).dev === Deno.statSync(Deno.env.get("TMPDIR") ?? "/tmp").dev ? undefined : "/dev/shm";
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  } catch {
    return undefined;
  }
}
