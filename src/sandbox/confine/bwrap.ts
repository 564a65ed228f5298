import type { Policy } from "../../core/policy.ts";
import type { RuleView } from "../landlock/rules.ts";
import { kindAround, type Mount, type MountKind, mountsOf, type MountView } from "./mounts.ts";

/** Namespaces that every command at kernel+ gets; with a foreign parent gone everything inside ends. */
export const NAMESPACES: readonly string[] = [
  ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
  ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
];

/** Folders where bwrap may be; PATH is not asked, since a project can put itself there. */
const BWRAP_FOLDERS = ["/usr/bin", "/usr/local/bin", "/bin", "/run/current-system/sw/bin"];

/** The path of bwrap, or undefined. */
export function findBwrap(realPath: RuleView["realPath"]): string | undefined {
  return BWRAP_FOLDERS.map((folder) => `${folder}/bwrap`).find((path) => realPath(path) !== undefined);
}

/** Where the folder with the socket of the network's proxy is seen inside: in a folder that exists nowhere else. */
export const GATE_FOLDER = "/dev/sandpiper-net";

/** bwrap's arguments for a policy, up to and with `--`; `gate` is the folder of a NetGate. Pure. */
export function bwrapArguments(
  policy: Policy,
  programPaths: readonly string[],
  view: MountView,
  gate?: string,
): string[] {
  const mounts = mountsOf(policy, programPaths, view);
  const [root = [], ...rest] = mounts.map((mount, at) =>
    mountArguments(mount, policy.tmp, view, kindAround(mounts.slice(0, at), mount))
  );
  return [
    ...[...root, "--dev", "/dev", "--proc", "/proc"],
    ...NAMESPACES,
    ...(policy.net.all ? [] : ["--unshare-net"]),
    ...rest.flat(),
    ...(gate === undefined ? [] : ["--ro-bind", gate, GATE_FOLDER]),
    // Out of sight where nothing of it may be read; one that is gone is not made again.
    ...(view.realPath(policy.root) === undefined ? [] : ["--dir", policy.root]),
    ...(root.length === 0 ? ["--remount-ro", "/"] : []),
    ...["--chdir", policy.root, "--"],
  ];
}

function mountArguments([kind, path]: Mount, tmp: string, view: MountView, around?: MountKind): string[] {
  switch (kind) {
    case "empty":
      // bwrap's own root is empty.
      if (around === undefined) return [];
      return [around === "empty" ? "--dir" : "--tmpfs", path];
    case "link":
      return ["--symlink", view.readLink?.(path) ?? "", path];
    case "masked":
      return ["--tmpfs", path];
    case "missing":
      return ["--tmpfs", path, "--remount-ro", path];
    case "temporary":
      return ["--bind", tmp, path];
    case "read":
      return ["--ro-bind", path, path];
    case "fixed":
      // One that vanished since it was seen (the tripwire takes new files away while the next process starts) is no
      // reason to fail: what is not there cannot be changed, and what appears there is the tripwire's.
      return ["--ro-bind-try", path, path];
    case "write":
      return ["--bind", path, path];
    case "nothing":
      return ["--ro-bind", "/dev/null", path];
  }
}
