import { messageOf } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import { landlockVersion } from "../landlock/landlock.ts";
import { launcher } from "../launcher/executable.ts";
import { encodeNamespaces } from "../launcher/frames.ts";
import { IMAGES } from "../launcher/image.ts";
import { confineReport, type MountOperation } from "../launcher/request.ts";
import { whyNoHostList } from "../notification/host_list.ts";
import { ARCHITECTURES } from "../seccomp/table.ts";
import { disk } from "../system/disk.ts";
import { readProcLink } from "../system/procfs.ts";
import { findBwrap, NAMESPACES } from "./bwrap.ts";
import { basicMounts } from "./namespaces.ts";
import { identityOfFile, knownToWork, rememberWorking } from "./namespaces_memory.ts";

/** Whether bwrap works here, or why not. */
export type BwrapProbe = { readonly path: string } | { readonly why: string };

/** Whether the launcher can make namespaces here, or why not. */
export type NamespacesProbe = { readonly works: true } | { readonly why: string };

/** What this machine can do. */
export interface SandboxProbe {
  readonly os: string;
  /** Landlock's ABI version; 0 where there is none. */
  readonly landlockAbi: number;
  /** Why Landlock is not there, when it is not. */
  readonly landlockWhy?: string;
  /** Starts the launcher once (about 5 ms) and remembers the answer. */
  readonly namespaces: () => NamespacesProbe;
  /** The same of bwrap, which is of use where namespaces of our own are refused. */
  readonly bwrap: () => BwrapProbe;
  /** Why the network cannot be limited to a list of hosts at the level kernel; undefined where it can. */
  readonly noHosts: () => string | undefined;
  readonly root: boolean;
  /** What the kernel's own level cannot do here, one sentence each. */
  readonly weaknesses: readonly string[];
}

/** Looks at this machine; one system call, but for the two functions, of which the file `memory` keeps a good answer. */
export function probeSandbox(memory?: string): SandboxProbe {
  const { os } = Deno.build;
  const landlock = os === "linux" ? askLandlock() : { abi: 0, why: `${os} has no Landlock` };
  let own: NamespacesProbe | undefined;
  let known: BwrapProbe | undefined;
  return {
    os,
    landlockAbi: landlock.abi,
    ...(landlock.why === undefined ? {} : { landlockWhy: landlock.why }),
    namespaces: () => own ??= os === "linux" ? askNamespaces(memory) : { why: `${os} has no namespaces` },
    bwrap: () => known ??= os === "linux" ? askBwrap(memory) : { why: `${os} has no bubblewrap` },
    noHosts: () => whyNoHostList(landlock.abi),
    root: isRoot(),
    weaknesses: weaknessesOfAbi(landlock.abi),
  };
}

function askLandlock(): { readonly abi: number; readonly why?: string } {
  if (!(Deno.build.arch in ARCHITECTURES)) return { abi: 0, why: `no system call table for ${Deno.build.arch}` };
  try {
    const { abi, why } = landlockVersion();
    return why === undefined ? { abi } : { abi, why: LANDLOCK_ANSWERS[why] ?? why };
  } catch (error) {
    return { abi: 0, why: `libc cannot be called: ${messageOf(error)}` };
  }
}

const LANDLOCK_ANSWERS: Readonly<Record<string, string>> = {
  ENOSYS: "the kernel is older than 5.13, was built without Landlock, or a container hides it (ENOSYS)",
  EOPNOTSUPP: "Landlock is built in but not switched on at boot: it is missing in the kernel's lsm= list (EOPNOTSUPP)",
  EPERM: "a seccomp filter, probably the container's, refuses Landlock (EPERM)",
};

/** What is weaker below the newest ABI that this program uses; pure. */
export function weaknessesOfAbi(abi: number): string[] {
  const since: readonly (readonly [number, string])[] = [
    [3, "files outside can be truncated (Landlock ABI 3 is needed)"],
    [4, "TCP is stopped by the system call filter alone (Landlock ABI 4 adds a second lock)"],
    [5, "device control calls are not limited (Landlock ABI 5 is needed)"],
    [6, "signals can be sent to other processes of the same user (Landlock ABI 6 is needed)"],
  ];
  return since.filter(([version]) => abi < version).map(([, text]) => text);
}

function askNamespaces(memory: string | undefined): NamespacesProbe {
  const way = IMAGES[Deno.build.arch].digest;
  if (memory !== undefined && knownToWork(memory, way)) return { works: true };
  const why = whyNoNamespaces();
  if (why !== undefined) return { why };
  if (memory !== undefined) rememberWorking(memory, way);
  return { works: true };
}

function askBwrap(memory: string | undefined): BwrapProbe {
  const path = findBwrap(disk.realPath);
  if (path === undefined) return { why: "bubblewrap is not installed (the package is called bubblewrap)" };
  if (memory !== undefined && knownToWork(memory, identityOfFile(path))) return { path };
  const why = whyNoBwrap(path);
  if (why !== undefined) return { why };
  if (memory !== undefined) rememberWorking(memory, identityOfFile(path));
  return { path };
}

/** Prints where the process stands; one that still is where this one is was not taken anywhere. */
const WHERE = ["/bin/sh", "-c", "readlink /proc/self/ns/user /proc/self/ns/net"];
const ENVIRONMENT = { PATH: "/usr/bin:/bin" };

/** With all that a policy's mounts need. */
function whyNoNamespaces(): string | undefined {
  return whyNotMounted([{ kind: "empty", target: "/tmp", readOnly: true }]);
}

function whyNotMounted(more: readonly MountOperation[]): string | undefined {
  let frame: string | undefined;
  try {
    frame = Deno.makeTempFileSync({ prefix: "sandpiper-namespaces-" });
    const mounts = [...basicMounts(true), ...more];
    const bridge = { argv: WHERE, env: ENVIRONMENT, cwd: "/" };
    Deno.writeFileSync(frame, encodeNamespaces({ sharesNet: false, memoryBytes: 2 ** 20, mounts, bridge }));
    const { path, lend } = launcher();
    // The launcher reads its standard input, and nothing but a shell gives it a file for that at once.
    const args = ["-c", 'exec "$0" < "$1"', path(), frame];
    return lend(() => whyNotApart("/bin/sh", args));
  } catch (error) {
    return messageOf(error);
  } finally {
    if (frame !== undefined) Deno.removeSync(frame);
  }
}

/**
 * Why no layer can be mounted over a folder here; undefined where it can. Starts the launcher once (about 5 ms). The folder is
 * looked at in place of `/tmp`, so that nothing depends on where it lies.
 */
export function whyNoOverlay(layer: { source: string; upper: string; work: string }): string | undefined {
  return whyNotMounted([{ kind: "overlay", ...layer, target: "/tmp", readOnly: false }]);
}

function whyNoBwrap(path: string): string | undefined {
  const args = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--unshare-net"];
  try {
    const why = whyNotApart(path, [...args, ...NAMESPACES, "--", ...WHERE]);
    return why && `bubblewrap cannot make namespaces here: ${why}`;
  } catch (error) {
    return `bubblewrap did not start: ${messageOf(error)}`;
  }
}

/** Runs what is to run `WHERE` in namespaces of its own; undefined where it did. */
function whyNotApart(program: string, args: readonly string[]): string | undefined {
  const { code, stdout, stderr } = new Deno.Command(program, {
    args: [...args],
    clearEnv: true,
    env: ENVIRONMENT,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).outputSync();
  const there = new TextDecoder().decode(stdout).trim().split("\n");
  const here = ["user", "net"].map((name) => readProcLink(`/proc/self/ns/${name}`));
  if (code === 0 && there.length === 2 && here.every((id, at) => id !== undefined && id !== there[at])) {
    return undefined;
  }
  const said = new TextDecoder().decode(stderr).trim().split("\n")[0] ?? "";
  if (said !== "") return (confineReport(said) ?? said).slice(0, 200);
  return code === 0 ? "it says that it did and did not" : `exit code ${code}`;
}

function isRoot(): boolean {
  // A process that may not ask has other limits.
  return attempt(() => Deno.build.os !== "windows" && Deno.uid() === 0) ?? false;
}
