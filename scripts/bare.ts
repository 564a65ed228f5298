/**
 * Runs what README.md tells a reader to run on a machine that lacks every optional program: `deno task demo`, and the tests
 * that need one of them. Such a test must be skipped, with a reason, and must not fail.
 *
 * PATH holds links to all other programs. As root the optional ones vanish from /usr/bin, too, for the processes that this
 * starts: in a mount namespace that nobody else sees.
 *
 * Options: names of test files replace those that need a program. Exits with 1 if a command failed.
 */
import { join, relative, resolve } from "@std/path";

/** Programs that a test, an example or a script may use, and that a machine with Node may lack. */
const OPTIONAL = [
  ...["bwrap", "tmux", "zsh", "fish", "groff", "shellcheck", "ruby", "nix", "nix-instantiate"],
  ...["slurmctld", "slurmd", "sbatch", "srun", "scontrol", "squeue", "sinfo"],
  ...["python", "python3", "jq", "curl", "wget", "strace", "gcc", "cc", "clang", "make", "ps", "pgrep", "pkill"],
  ...["dpkg-deb", "sqlite3", "zstd", "xz", "ssh", "sudo", "vim", "less", "man", "rg", "fd"],
];
/** What a test file imports that needs optional programs. */
const NEEDS = /\/(?:helpers\/needs|sandbox\/machine|pty)\.ts"/;

/** Hides programs in /usr/bin: a whiteout of an overlay is a device 0, 0. `$@`: command; `$HIDDEN`: names. */
const HIDE = `
upper=$(mktemp -d) && mount -t tmpfs none "$upper" && mkdir "$upper/new" "$upper/work" || exit 99
for name in $HIDDEN; do [ ! -e "/usr/bin/$name" ] || mknod "$upper/new/$name" c 0 0 || exit 99; done
mount -t overlay overlay -o "lowerdir=/usr/bin,upperdir=$upper/new,workdir=$upper/work" /usr/bin || exit 99
exec "$@"`;

const root = resolve(import.meta.dirname ?? ".", "..");
const links = Deno.makeTempDirSync({ prefix: "sp-bare-" });
let failed = 0;
try {
  linkPrograms();
  const env = { PATH: links, HIDDEN: OPTIONAL.join(" "), NO_COLOR: "1" };
  const unshare = (command: readonly string[]) => ["unshare", "--mount", "sh", "-c", HIDE, "sh", ...command];
  const canHide = Deno.build.os === "linux" && Deno.uid() === 0 && run(unshare(["true"]), env, "null");
  if (!canHide) console.log("Programs in /usr/bin cannot be hidden here: only PATH lacks them");
  const files = Deno.args.length > 0 ? Deno.args : needingFiles("test");
  for (const task of [["demo"], ["test", ...files]]) {
    const command = [Deno.execPath(), "task", ...task];
    if (!run(canHide ? unshare(command) : command, env, "inherit")) failed++;
  }
} finally {
  Deno.removeSync(links, { recursive: true });
}
Deno.exit(failed > 0 ? 1 : 0);

/** Fills the directory with links to every program in PATH that is not optional; the first one of a name counts. */
function linkPrograms(): void {
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    for (const name of namesIn(folder)) {
      if (OPTIONAL.includes(name)) continue;
      try {
        Deno.symlinkSync(join(folder, name), join(links, name));
      } catch (error) {
        if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      }
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Test files below a directory that say that they need programs, but those of the binary. */
function needingFiles(folder: string): readonly string[] {
  return [...Deno.readDirSync(join(root, folder))].flatMap(({ name, isDirectory }) => {
    const path = join(folder, name);
    if (isDirectory) return path === "test/binary" ? [] : needingFiles(path);
    const isNeeding = name.endsWith("_test.ts") && NEEDS.test(Deno.readTextFileSync(join(root, path)));
    return isNeeding ? [relative(root, join(root, path))] : [];
  }).sort();
}

function run(command: readonly string[], env: Readonly<Record<string, string>>, output: "inherit" | "null"): boolean {
  const [program = "", ...args] = command;
  return new Deno.Command(program, { args, cwd: root, env, stdin: "null", stdout: output, stderr: output })
    .outputSync().success;
}
