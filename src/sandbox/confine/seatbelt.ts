// The profile for macOS's sandbox-exec(1). Written from Apple's published profiles and other programs' experience; it has not
// been run by the tests of this repository, which compare its text alone: they have no macOS to run it on.
import { dirname } from "@std/path";
import { isInside, type Policy } from "../../core/policy.ts";
import { openSecrets, type RuleView } from "../landlock/rules.ts";
import type { Self } from "./self.ts";

/** The path is fixed, since PATH is the user's and the project's to change. */
const SANDBOX_EXEC = "/usr/bin/sandbox-exec";

/** What every program of macOS reads: system, libraries, developer tools, time zones. */
const SYSTEM: readonly string[] = [
  ..."/System /Library/Apple /Library/Developer /Library/Frameworks /Library/Fonts /Library/Java /Library/Perl".split(
    " ",
  ),
  ..."/Library/Preferences/Logging /Applications/Xcode.app /opt/homebrew /usr /bin /sbin".split(" "),
  ..."/private/var/db/timezone /private/var/db/dyld /private/var/db/xcode_select_link /private/var/select".split(" "),
  ..."/private/etc/ssl /private/etc/hosts /private/etc/passwd /private/etc/group /private/etc/services".split(" "),
  ..."/private/etc/protocols /private/etc/localtime /private/etc/shells /private/etc/paths /private/etc/paths.d".split(
    " ",
  ),
  ..."/private/etc/profile /private/etc/bashrc /private/etc/zshrc /private/etc/zprofile".split(" "),
];

const DEVICES: readonly string[] = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/dtracehelper"];

/** Never written as part of something larger. */
const SHARED: readonly string[] = ["/private/tmp", "/private/var/tmp"];

/** Services without which libc does not know users, time or its own caches; none of them opens a file or a network. */
const SERVICES: readonly string[] = [
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
  "com.apple.system.notification_center",
  "com.apple.system.logger",
  "com.apple.bsd.dirhelper",
];

/** More services, which look up names and certificates: only with a network. */
const NETWORK_SERVICES: readonly string[] = [
  "com.apple.dnssd.service",
  "com.apple.SystemConfiguration.configd",
  "com.apple.SystemConfiguration.DNSConfiguration",
  "com.apple.networkd",
  "com.apple.trustd.agent",
  "com.apple.SecurityServer",
  "com.apple.ocspd",
];

/** Command line of a program that is confined before it starts; `inner` are its own arguments. */
export function seatbeltCommand(
  policy: Policy,
  self: Self,
  inner: readonly string[],
  view: Pick<RuleView, "listFolder">,
): { program: string; args: string[]; env: Record<string, string> } {
  const profile = seatbeltProfile(policy, self.readPaths, view);
  return { program: SANDBOX_EXEC, args: ["-p", profile, self.program, ...inner], env: { ...self.env } };
}

/**
 * A policy as a profile: everything is denied that is not named; of several rules that match the last one holds, so that
 * denials stand after what they take from. Pure but for `view`, which finds the open files in folders of secrets.
 */
export function seatbeltProfile(
  policy: Policy,
  programPaths: readonly string[],
  view: Pick<RuleView, "listFolder">,
): string {
  const { root, tmp, cache } = policy;
  const tools = policy.run.all || policy.write.all || policy.write.list.length > 0;
  const places = tools ? [tmp, cache] : [];
  const reads = policy.read.all ? ["/"] : [...SYSTEM, ...policy.read.list, ...programPaths, ...places];
  const writes = policy.write.all ? ["/"] : [...policy.write.list, ...places];
  const denied = [...policy.denyWrite, ...policy.protected];
  return [
    "(version 1)",
    "(deny default)",
    "; processes",
    "(allow process-exec process-fork)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow ipc-posix-sem)",
    "(allow pseudo-tty)",
    rule("allow mach-lookup", SERVICES.map((name) => `(global-name ${quoted(name)})`)),
    "; files",
    rule("allow file-read-metadata", ancestors([...reads, ...writes, root]).map(literal)),
    rule("allow file-read*", unique(reads).map(subpath)),
    rule("allow file-write*", unique(writes).map(subpath)),
    // Also where everything is granted: the user types into a terminal, and other users trust the shared folders.
    '(deny file-read* file-write* (subpath "/dev"))',
    rule("deny file-write*", SHARED.map(subpath)),
    rule("allow file-write*", places.map(subpath)),
    rule("allow file-read* file-write-data file-ioctl", DEVICES.map(literal)),
    '(allow file-read* file-write* file-ioctl (literal "/dev/ptmx"))',
    // Terminals that the command itself opened.
    '(allow file-read* file-write* file-ioctl\n  (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))',
    "; never",
    rule("deny file-write*", unique(denied).map(subpath)),
    // A folder that is renamed takes what is protected in it along: a rename unlinks.
    rule("deny file-write-unlink", foldersAround(denied, writes).map(literal)),
    rule("deny file-read* file-write*", unique(policy.denyRead).map(subpath)),
    rule("allow file-read*", openSecrets(policy, view).map(literal)),
    "; network",
    ...(policy.net.all
      ? [
        "(allow network*)",
        "(allow system-socket)",
        rule("allow mach-lookup", NETWORK_SERVICES.map((name) => `(global-name ${quoted(name)})`)),
      ]
      // Two ends of one process tree, as some programs need them; nothing that has an address.
      : ["(allow system-socket (socket-domain AF_UNIX))"]),
  ].filter((line) => line !== "").join("\n") + "\n";
}

/** Empty without arguments: a rule without a filter would hold for everything. */
function rule(action: string, filters: readonly string[]): string {
  return filters.length === 0 ? "" : `(${action}\n${filters.map((filter) => `  ${filter}`).join("\n")})`;
}

function subpath(path: string): string {
  return `(subpath ${quoted(path)})`;
}

function literal(path: string): string {
  return `(literal ${quoted(path)})`;
}

/** A string of the profile's language. What it cannot say makes this throw: then nothing is started. */
export function quoted(text: string): string {
  // deno-lint-ignore no-control-regex -- control characters are what cannot be written
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text)) throw new Error("a path holds a control character");
  const escaped = text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll(
    "\t",
    "\\t",
  );
  return `"${escaped}"`;
}

/** Folders on the way to some paths: programs look at them to find out where they are. */
function ancestors(paths: readonly string[]): string[] {
  const found = new Set<string>(["/"]);
  for (const path of paths) {
    for (let folder = dirname(path); folder !== "/" && folder !== "."; folder = dirname(folder)) found.add(folder);
  }
  return [...found].sort();
}

function foldersAround(paths: readonly string[], writable: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); folder !== "/"; folder = dirname(folder)) {
      if (writable.some((root) => isInside(folder, root))) found.add(folder);
    }
  }
  return [...found].sort();
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort();
}
