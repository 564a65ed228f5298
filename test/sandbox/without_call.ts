// A kernel without Landlock, or a container that refuses it, on any machine: a filter fails one system call with an errno. Without
// packages: an ordinary user cannot read the cache that has them.
import { allow, assemble, fail, ifEqual, loadArgument, loadCall } from "../../src/sandbox/seccomp/bpf.ts";
import { CALLS } from "../../src/sandbox/system/ffi.ts";

const PR_SET_SECCOMP = 22;

/** A seccomp filter for it; of prctl only the part fails that installs filters, or nothing would start at all. */
export function filterWithout(call: number, errno: number): Uint8Array<ArrayBuffer> {
  const prctl = CALLS.prctl[Deno.build.arch];
  const condition = call === prctl
    ? [ifEqual(prctl, undefined, "other"), loadArgument(0), ifEqual(PR_SET_SECCOMP, undefined, "other")]
    : [ifEqual(call, undefined, "other")];
  return assemble([loadCall(), ...condition, fail(errno), { label: "other" }, allow()]);
}

/** Sets no_new_privs and the filter, and becomes the program: perl is there where git is, and starts in a tenth of Deno's time. */
const PERL = `use strict; my ($prctl, $filter) = (0 + shift, pack("H*", shift));
my $program = pack("S x6 P", length($filter) / 8, $filter);
syscall($prctl, 38, 1, 0, 0, 0) == 0 or die "no_new_privs: $!";
syscall($prctl, ${PR_SET_SECCOMP}, 2, $program) == 0 or die "seccomp: $!";
exec { $ARGV[0] } @ARGV or die "exec: $!";`;

let hasPerl: boolean | undefined;

/** Words before a command, whose first word is a whole path, that make it run on such a kernel. */
export function wordsWithout(call: number, errno: number): readonly string[] {
  hasPerl ??= isThere("/usr/bin/perl");
  if (hasPerl) {
    const filter = filterWithout(call, errno).toHex();
    return ["/usr/bin/perl", "-e", PERL, String(CALLS.prctl[Deno.build.arch]), filter];
  }
  const [config, script] = ["../../deno.json", "./without_calls.ts"].map((path) =>
    decodeURIComponent(new URL(path, import.meta.url).pathname)
  );
  const deno = ["run", "-A", "--no-prompt", "--no-check", "--cached-only", "--config", String(config), String(script)];
  return [Deno.execPath(), ...deno, String(call), String(errno)];
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
