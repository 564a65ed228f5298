/** Puts a file on the disk while others go on: a disk needs milliseconds, and nobody has to wait for them at a turn's end. */
export interface BackgroundSync {
  /** Begins; what is added while it runs is put on the disk right after, if this is called again. */
  start(): void;
  /** Throws what an earlier one failed with. */
  check(): void;
  /** Whether something is not on the disk yet: the caller syncs it himself, and what has not begun is not begun. */
  takeOver(): boolean;
  /** Lets go of the file; one that runs comes to its end. Safe to call twice. */
  close(): void;
}

/** For the file at `path`, which `file` is: a handle that syncs in the background cannot be written to, so it gets its own. */
export function backgroundSync(path: string, file: Deno.FsFile): BackgroundSync {
  let own: Deno.FsFile | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isAskedAgain = false;
  let isClosed = false;
  let failed: { readonly error: unknown } | undefined;

  function open(): Deno.FsFile {
    const opened = Deno.openSync(path, { read: true });
    const [there, here] = [opened.statSync(), file.statSync()];
    if (there.ino === here.ino && there.dev === here.dev) return opened;
    opened.close();
    throw new Deno.errors.NotFound("the file was removed");
  }

  async function run(): Promise<void> {
    timer = undefined;
    try {
      do {
        isAskedAgain = false;
        own ??= open();
        await own.syncData();
      } while (isAskedAgain && !isClosed);
    } catch (error) {
      if (!isClosed) failed = { error };
    } finally {
      isRunning = false;
    }
  }

  return {
    start() {
      if (isRunning) {
        isAskedAgain = true;
        return;
      }
      isRunning = true;
      // Whoever asked goes on first: even handing the work over takes a while.
      timer = setTimeout(run, 0);
    },
    check() {
      if (failed) throw failed.error;
    },
    takeOver() {
      const wasRunning = isRunning;
      if (timer !== undefined) {
        clearTimeout(timer);
        timer = undefined;
        isRunning = false;
      }
      return wasRunning;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(timer);
      own?.close();
    },
  };
}
