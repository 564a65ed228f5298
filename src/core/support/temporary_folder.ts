/** A folder among the temporary ones that does not outlive this process, unless it is killed. */
export interface TemporaryFolder {
  /** Absolute, links resolved. */
  readonly path: string;
  /** Safe to call twice; never throws. */
  readonly remove: () => void;
}

/** Commands that are being ended may still write while their folder is removed. */
const ATTEMPTS = 3;

/**
 * Makes a private folder (0700). It is removed at `Deno.exit`, too: a second signal ends the process without waiting for
 * whoever would have removed it.
 */
export function temporaryFolder(options: Deno.MakeTempOptions): TemporaryFolder {
  const path = Deno.realPathSync(Deno.makeTempDirSync(options));
  let isRemoved = false;
  const remove = (): void => {
    if (isRemoved) return;
    isRemoved = true;
    globalThis.removeEventListener("unload", remove);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        return Deno.removeSync(path, { recursive: true });
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return;
        // A folder that a command made unreadable stays: the next boot's cleaning of temporary files takes it.
      }
    }
  };
  globalThis.addEventListener("unload", remove);
  return { path, remove };
}
