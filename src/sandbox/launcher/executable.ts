// Where the launcher is started from. It lies inside of this program, and a program is started from a file: one in memory
// alone (memfd), sealed, that has no name and that nobody can change; where the kernel refuses to start those, a private
// file, whose name is gone again before it is started for the first time.
import { createHash } from "node:crypto";
import { messageOf, UserError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import { close, cString, errno, errnoName, O_CLOEXEC, O_NOFOLLOW, open, read, systemCall } from "../system/ffi.ts";
import { statusOfOpen } from "../system/statx.ts";
import { IMAGES, type LauncherImage } from "./image.ts";
import { ownerPrefix } from "../system/temporary_folder.ts";

const MFD_CLOEXEC = 1;
const MFD_ALLOW_SEALING = 2;
const MFD_EXEC = 0x10;
const EINVAL = 22;
const F_SETFD = 2;
const FD_CLOEXEC = 1;
const F_ADD_SEALS = 1033;
/** F_SEAL_SEAL, SHRINK, GROW and WRITE: nobody can change it any more, this process included. */
const ALL_SEALS = 0xf;
/** Exit code of a launcher that reads no frame. */
const NOTHING_RUN = 71;

/** The launcher as something that can be started. */
export interface Executable {
  readonly kind: "memory" | "file";
  /** To be asked for at each start. */
  readonly path: () => string;
  /** Calls `start` while children inherit what the path stands for. */
  readonly lend: <T>(start: () => T) => T;
}

let opened: Executable | undefined;

/** The launcher of this program; throws UserError with exit code 3 where it can be started from nowhere. */
export function launcher(): Executable {
  return opened ??= openExecutable(IMAGES[Deno.build.arch]);
}

/**
 * Starts a confined process: what `confinedCommand` gives, with a cleared environment and in a session of its own. The
 * launcher makes that session itself, right after its start: where Deno is to make it, the whole host is forked, which costs
 * more than all else of a start.
 */
export function spawnConfined(
  { program, args, env }: { readonly program: string; readonly args: readonly string[]; readonly env: Env },
  options: Pick<Deno.CommandOptions, "cwd"> = {},
): Deno.ChildProcess {
  const pipes = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
  const start = (detached: boolean): Deno.ChildProcess =>
    new Deno.Command(program, { args: [...args], env, clearEnv: true, ...pipes, detached, ...options }).spawn();
  if (Deno.build.os !== "linux") return start(true);
  const { lend, path } = launcher();
  return lend(() => start(program !== path()));
}

type Env = Record<string, string>;

/** Opens an image in the first way that works. */
export function openExecutable(image: LauncherImage): Executable {
  const bytes = Uint8Array.fromBase64(image.bytes);
  if (digestOf(bytes) !== image.digest) throw new Error("the launcher is not what was built: this program is damaged");
  const ways: readonly (() => Executable)[] = canCall()
    ? [() => inMemory(bytes), ...PLACES.map((place) => () => inOpenFile(bytes, image.digest, place()))]
    : PLACES.map((place) => () => inNamedFile(bytes, image.digest, place()));
  const reasons: string[] = [];
  for (const way of ways) {
    try {
      return way();
    } catch (error) {
      reasons.push(messageOf(error));
    }
  }
  throw new UserError({
    what: "Cannot start what confines the tools' processes",
    why: reasons.join("; "),
    fix:
      "Let programs be started from memory (sysctl vm.memfd_noexec=1 or 0), or from a temporary folder: point TMPDIR " +
      "at one whose file system is not mounted noexec",
    exitCode: 3,
  });
}

/** Without foreign functions (`deno run` without --allow-ffi) there are no descriptors to speak of. */
function canCall(): boolean {
  return Deno.permissions.querySync({ name: "ffi" }).state === "granted";
}

function inMemory(bytes: Uint8Array<ArrayBuffer>): Executable {
  const name = cString("sandpiper-launcher");
  let fd = systemCall("memfd_create", name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
  // Kernels before 6.3 do not know the flag, and start any such file.
  if (fd < 0 && errno() === EINVAL) fd = systemCall("memfd_create", name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) throw new Error(`a file in memory cannot be started (memfd_create: ${errnoName(errno())})`);
  try {
    if (systemCall("write", fd, bytes, bytes.length) !== bytes.length) throw new Error("a file in memory is cut");
    if (systemCall("fcntl", fd, F_ADD_SEALS, ALL_SEALS) < 0) throw new Error("a file in memory cannot be sealed");
  } catch (error) {
    close(fd);
    throw error;
  }
  return ofDescriptor("memory", fd);
}

/** A program that is started by the descriptor that this process holds, whatever becomes of its name. */
function ofDescriptor(kind: Executable["kind"], fd: number): Executable {
  return {
    kind,
    path: () => `/proc/self/fd/${fd}`,
    lend(start) {
      // What stands between this process and the launcher (bubblewrap, a bridge) must hand it on.
      systemCall("fcntl", fd, F_SETFD, 0);
      try {
        return start();
      } finally {
        systemCall("fcntl", fd, F_SETFD, FD_CLOEXEC);
      }
    },
  };
}

/** Folders in which a private one may be made; those of a machine whose temporary folder starts no programs. */
const PLACES: readonly (() => string | undefined)[] = [
  () => undefined,
  () => variable("XDG_RUNTIME_DIR"),
  () => variable("XDG_CACHE_HOME") ?? variable("HOME"),
];

function variable(name: string): string | undefined {
  const value = attempt(() => Deno.env.get(name)); // It may not be read.
  return value?.startsWith("/") ? value : undefined;
}

function inOpenFile(bytes: Uint8Array<ArrayBuffer>, digest: string, place: string | undefined): Executable {
  const { folder, path } = makeFile(bytes, place);
  let fd = -1;
  try {
    fd = open(path, O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) throw new Error(`${path}: ${errnoName(errno())}`);
    if (statusOfOpen(fd)?.kind !== "file" || digestOf(readAll(fd, bytes.length + 1)) !== digest) {
      throw new Error(`${path} is not what was written`);
    }
    const executable = ofDescriptor("file", fd);
    tryStart(executable.path(), path);
    return executable;
  } catch (error) {
    if (fd >= 0) close(fd);
    throw error;
  } finally {
    removeFile(folder, path);
  }
}

function readAll(fd: number, most: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(most);
  let filled = 0;
  for (let count = 1; count > 0 && filled < most; filled += Math.max(count, 0)) {
    count = read(fd, bytes.subarray(filled));
  }
  return bytes.slice(0, filled);
}

/** It keeps its name, so that it is looked at again before each start: tools may write where it lies. */
function inNamedFile(bytes: Uint8Array<ArrayBuffer>, digest: string, place: string | undefined): Executable {
  const { folder, path } = makeFile(bytes, place);
  const remove = (): void => removeFile(folder, path);
  const check = (): string => {
    using file = Deno.openSync(path);
    const [found, named] = [file.statSync(), Deno.lstatSync(path)];
    const content = new Uint8Array(bytes.length + 1);
    const count = file.readSync(content) ?? 0;
    // The very file of that name, not what a link there leads to.
    const isOwn = named.isFile && found.ino === named.ino && found.dev === named.dev;
    if (!isOwn || digestOf(content.subarray(0, count)) !== digest) throw new Error(`${path} is not what was written`);
    return path;
  };
  try {
    tryStart(check(), path);
  } catch (error) {
    remove();
    throw error;
  }
  globalThis.addEventListener("unload", remove);
  return { kind: "file", path: check, lend: (start) => start() };
}

/** A new file in a new folder that is the user's alone; that the file is new means that no link is followed. */
function makeFile(bytes: Uint8Array<ArrayBuffer>, dir: string | undefined): { folder: string; path: string } {
  let folder: string;
  try {
    folder = Deno.makeTempDirSync({ prefix: `${ownerPrefix()}launcher-`, ...(dir === undefined ? {} : { dir }) });
  } catch (error) {
    throw new Error(`no file can be made in ${dir ?? "the temporary folder"} (${messageOf(error)})`, { cause: error });
  }
  const path = `${folder}/launcher`;
  try {
    Deno.writeFileSync(path, bytes, { createNew: true, mode: 0o500 });
    return { folder, path };
  } catch (error) {
    removeFile(folder, path);
    throw error;
  }
}

/** By their names first: to look into the folder takes a descriptor, and there may be none left. */
function removeFile(folder: string, path: string): void {
  for (const name of [path, folder]) {
    try {
      Deno.removeSync(name);
    } catch (error) {
      // The file was never made, or there is more in the folder.
      if (!(error instanceof Deno.errors.NotFound)) return Deno.removeSync(folder, { recursive: true });
    }
  }
}

/** Without a frame it ends at once; where programs may not be started from there, it does not start. */
function tryStart(program: string, path: string): void {
  try {
    const options = { clearEnv: true, stdin: "null", stdout: "null", stderr: "null" } as const;
    const { code } = new Deno.Command(program, options).outputSync();
    if (code !== NOTHING_RUN) throw new Error(`it ended with code ${code}`);
  } catch (error) {
    throw new Error(`${path} cannot be started (${messageOf(error)})`, { cause: error });
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
