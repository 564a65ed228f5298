// What the launcher makes of a policy at kernel+ before it confines itself: namespaces, and in them a file system.
import { isInside, type Policy } from "../../core/policy.ts";
import type { MountOperation, NamespaceRequest } from "../launcher/request.ts";
import { GATE_FOLDER } from "./bwrap.ts";
import { kindAround, type Mount, type MountKind, mountsOf, type MountView } from "./mounts.ts";

/** Directories that every process has for itself. */
const OWN_FOLDERS: readonly MountOperation[] = [
  { kind: "devices", target: "/dev" },
  { kind: "processes", target: "/proc" },
];

/** The machine's whole disk, with devices and processes of its own. */
export function basicMounts(readOnly: boolean): MountOperation[] {
  return [{ kind: "bind", source: "/", target: "/", readOnly }, ...OWN_FOLDERS];
}

/** tmpfs(5) reads a size of 0 as "no limit". */
const LEAST_MEMORY = 2 ** 20;

/** The namespaces of a policy: the same that `bwrapArguments` asks for; `gate` is the folder of a NetGate. Pure. */
export function namespaceRequest(
  policy: Policy,
  programPaths: readonly string[],
  view: MountView,
  gate?: string,
): NamespaceRequest {
  const isThere = view.realPath(policy.root) !== undefined;
  const mounts = mountsOf(policy, programPaths, view);
  const [root, ...rest] = mounts.map((mount, at) =>
    operation(mount, policy.tmp, view, kindAround(mounts.slice(0, at), mount))
  );
  if (root === undefined) throw new Error("there are no mounts; nothing was started");
  return {
    sharesNet: policy.net.all,
    memoryBytes: Math.max(policy.limits.memoryBytes, LEAST_MEMORY),
    mounts: [
      root,
      ...OWN_FOLDERS,
      ...rest,
      ...(gate === undefined ? [] : [{ kind: "bind", source: gate, target: GATE_FOLDER, readOnly: true } as const]),
      // Out of sight where nothing of it may be read; one that is gone is not made again.
      ...(isThere ? [{ kind: "folder", target: policy.root } as const] : []),
    ],
  };
}

/**
 * A request with a process's own mounts (overlays with binds in them) at some folders; other mounts of the request at
 * the same places are left to the binds. Pure.
 */
export function withMounts(request: NamespaceRequest, own: readonly MountOperation[]): NamespaceRequest {
  const overlays = own.flatMap(({ kind, target }) => kind === "overlay" ? [target] : []);
  const binds = own.flatMap(({ kind, target }) => kind === "bind" ? [target] : []);
  const isOwn = (path: string): boolean => overlays.some((folder) => isInside(path, folder));
  const isBelow = (path: string): boolean => binds.some((folder) => path !== folder && isInside(path, folder));
  const outer = request.mounts.filter(({ target }) => !isOwn(target));
  const inner = request.mounts.filter(({ target }) => isBelow(target));
  return { ...request, mounts: [...outer, ...own, ...inner] };
}

function operation([kind, path]: Mount, tmp: string, view: MountView, around?: MountKind): MountOperation {
  // One that vanished since it was seen (the tripwire takes new files away while the next process starts) is no reason to
  // fail, nor is it made again on the machine's own disk: what is not there cannot be read or changed, and what appears there
  // is the tripwire's. Where the machine's own is out of sight its place has to be made.
  const isInSight = around === "read" || around === "write" || around === "fixed";
  const ifThere = isInSight ? { optional: true } : {};
  switch (kind) {
    case "empty":
      // In a new root a directory of it is enough. Nothing is made at the root itself when all is mounted.
      return around === "empty"
        ? { kind: "folder", target: path }
        : { kind: "empty", target: path, readOnly: around === undefined };
    case "link":
      return { kind: "link", text: view.readLink?.(path) ?? "", target: path };
    case "masked":
      return { kind: "empty", target: path, readOnly: false, ...ifThere };
    case "missing":
      return { kind: "empty", target: path, readOnly: true };
    case "temporary":
      return { kind: "bind", source: tmp, target: path, readOnly: false };
    case "read":
      return { kind: "bind", source: path, target: path, readOnly: true };
    case "fixed":
      return { kind: "bind", source: path, target: path, readOnly: true, ...ifThere };
    case "write":
      return { kind: "bind", source: path, target: path, readOnly: false };
    case "nothing":
      return { kind: "bind", source: "/dev/null", target: path, readOnly: true, ...ifThere };
  }
}
