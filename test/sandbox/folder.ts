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

/** A folder on another disk than the temporary one; undefined where there is none. */
export function otherDisk(): string | undefined {
  try {
    const [shared, own] = ["/dev/shm", Deno.env.get("TMPDIR") ?? "/tmp"].map((path) => Deno.statSync(path).dev);
    return shared === own ? undefined : "/dev/shm";
  } catch {
    return undefined;
  }
}
