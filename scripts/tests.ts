/**
 * Runs all tests but those of the binary, or the files and folders that are named: `deno task test -- test/tui/`.
 *
 * Every group runs even if an earlier one failed. Ends with 1 when any failed.
 */
import { join } from "@std/path";
import { PERMISSIONS, testGroups } from "./tests/groups.ts";

const root = join(import.meta.dirname ?? ".", "..");
const named = Deno.args.filter((arg) => arg !== "--");
const groups = named.length > 0 ? [named] : testGroups(foldersWithTests());
/** Of one test process: the whole run must be possible on a machine with 4 GB. */
const MOST_BYTES = 1536 * 2 ** 20;

let failed = false;
for (const group of groups) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", ...PERMISSIONS, ...group],
    cwd: root,
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  const memory = watchPeak(child.pid);
  const { success } = await child.status;
  const isSmall = memory.peakBytes() <= MOST_BYTES;
  if (!isSmall) {
    console.error(`${group.join(" ")} took ${Math.round(memory.peakBytes() / 2 ** 20)} MB, and 1,536 MB are allowed`);
  }
  memory.stop();
  failed ||= !success || !isSmall;
}
Deno.exit(failed ? 1 : 0);

/** The most memory that a process has held, as far as the system tells: its own mark is read, so nothing falls between. */
function watchPeak(pid: number): { readonly peakBytes: () => number; readonly stop: () => void } {
  let peak = 0;
  const timer = setInterval(() => {
    try {
      const [, kilobytes = "0"] = /^VmHWM:\s+(\d+)/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`)) ?? [];
      peak = Math.max(peak, Number(kilobytes) * 1024);
    } catch {
      // It has ended, or this is no Linux.
    }
  }, 500);
  return { peakBytes: () => peak, stop: () => clearInterval(timer) };
}

function foldersWithTests(): string[] {
  const hasTest = (folder: string): boolean =>
    [...Deno.readDirSync(folder)].some(({ name, isDirectory }) =>
      isDirectory ? hasTest(join(folder, name)) : name.endsWith("_test.ts")
    );
  return [...Deno.readDirSync(join(root, "test"))]
    .filter(({ name, isDirectory }) => isDirectory && hasTest(join(root, "test", name)))
    .map(({ name }) => `test/${name}/`)
    .sort();
}
