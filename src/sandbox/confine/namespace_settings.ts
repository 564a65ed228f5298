import { readProc } from "../system/procfs.ts";

/** Settings of the system that refuse user namespaces, and what lifts that. */
export const NAMESPACE_SETTINGS: readonly (readonly [path: string, refuses: string, fix: string])[] = [
  ["/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000 lets them be made"],
  [
    "/proc/sys/kernel/unprivileged_userns_clone",
    "0",
    "sysctl kernel.unprivileged_userns_clone=1 lets ordinary users make them",
  ],
  [
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "1",
    "AppArmor lets only programs with a profile of their own make them: give this one a profile with userns, or sysctl " +
    "kernel.apparmor_restrict_unprivileged_userns=0",
  ],
];

/** What a person can do about namespaces of the program's own that are refused. */
export function namespacesFix(hasBubblewrap: boolean): string {
  const causes = NAMESPACE_SETTINGS.filter(([path, refuses]) => readProc(path)?.trim() === refuses).map(([, , fix]) =>
    fix
  );
  const cause = causes.length > 0
    ? causes.join("; ")
    : "In a container, let it make user namespaces and mounts; elsewhere a kernel of 5.12 or later is needed";
  if (hasBubblewrap) return `Nothing has to be done: the level is kernel+. ${cause}`;
  return `${cause}. Or install the package bubblewrap, which some systems allow more; without either the level is kernel`;
}
