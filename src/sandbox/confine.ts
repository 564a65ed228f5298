import { dropCapabilities } from "./capabilities.ts";
import { arrangeStreams, become, imageOf, lookUp, resetSignals } from "./exec_program.ts";
import { cString, errno, errnoName, succeed, systemCall } from "./ffi.ts";
import { readFrame } from "./frame.ts";
import { restrictSelf } from "./landlock.ts";
import { limitSelf, limitTasks, volunteerForOutOfMemory } from "./limits.ts";
import { tasksOfMachine } from "./machine_load.ts";
import { readProcLink } from "./read_link.ts";
import { CONFINED, type ConfineOrder, parseConfineOrder, parseExecOrder } from "./order.ts";
import { installFilter } from "./seccomp_install.ts";

const CONFINED_BYTES = new TextEncoder().encode(CONFINED + "\n");

/** Exit code of a process that could not be confined or could not become its program. */
export const CONFINE_FAILED = 71;

/**
 * The body of `main.ts --internal-exec`: confines this process by the first frame on standard input, waits for the second
 * and becomes the program that it names.
 *
 * Whatever fails ends the process with code 71 and one JSON line on standard error; nothing ever runs unconfined. The
 * order matters: what needs rights comes before what takes them away, and the filter comes last but for what the second
 * frame needs.
 */
export function confineAndExec(): never | Promise<never> {
  // There the kernel has confined this process already.
  if (Deno.build.os === "darwin") return import("./seatbelt_exec.ts").then(({ execInSeatbelt }) => execInSeatbelt());
  let step = "start";
  let report = 2;
  try {
    step = "parent";
    dieWithParent();
    keepOrphans();
    step = "policy";
    const order = parseConfineOrder(readFrame((buffer) => Deno.stdin.readSync(buffer)));
    step = "folder";
    Deno.chdir(order.cwd);
    step = "limits";
    limitSelf(order.limits);
    volunteerForOutOfMemory();
    if (order.kernel) {
      limitTasks(order.limits.tasks, othersCounted(order.kernel));
      step = "namespaces";
      proveApart(order.kernel.apart);
      step = "capabilities";
      dropCapabilities();
      step = "landlock";
      restrictSelf(order.kernel.landlock);
      step = "seccomp";
      installFilter(Uint8Array.fromBase64(order.kernel.seccomp));
    }
    // Whatever needs no command is done before one comes: from then on somebody waits.
    step = "signals";
    resetSignals();
    rehearse();
    step = "command";
    const exec = parseExecOrder(readFrame((buffer) => Deno.stdin.readSync(buffer)));
    step = "folder";
    succeed(systemCall("chdir", cString(exec.cwd)), `chdir ${exec.cwd}`);
    step = "streams";
    report = arrangeStreams({ nullInput: exec.stdin === "null", mergeOutput: exec.mergeOutput });
    step = "exec";
    const file = lookUp(exec.argv[0] ?? "", exec.env["PATH"] ?? "/usr/bin:/bin");
    // Only where standard error is nobody's: a wrapper that ends well without having run anything is found out by it.
    if (exec.mergeOutput) systemCall("write", report, CONFINED_BYTES, CONFINED_BYTES.length);
    become(file, imageOf(exec.argv, exec.env));
  } catch (error) {
    giveUp(report, step, error instanceof Error ? error.message : String(error));
  }
}

/** Takes an order apart that comes to nothing: the code is compiled by then, which takes longer than running it. */
function rehearse(): void {
  const { argv, env } = parseExecOrder({
    ...{ argv: ["/", "-c", ":"], env: { PATH: "/" }, cwd: "/" },
    ...{ stdin: "null", mergeOutput: true },
  });
  imageOf(argv, env);
}

/** The kernel ends this process when the thread that started it ends, whatever ended that. */
function dieWithParent(): void {
  const PR_SET_PDEATHSIG = 1;
  const SIGKILL = 9;
  if (systemCall("prctl", PR_SET_PDEATHSIG, SIGKILL) !== 0) {
    throw new Error(`prctl(PR_SET_PDEATHSIG): ${errnoName(errno())}`);
  }
  // A parent that ended before this line has closed the pipe: the first frame is short then.
}

/** Throws unless this process has left each of the namespaces: whoever was to take it out may have failed, or not tried. */
function proveApart(namespaces: readonly (readonly [name: string, id: string])[]): void {
  for (const [name, id] of namespaces) {
    const own = readProcLink(`/proc/self/ns/${name}`);
    if (own === undefined || own === id) throw new Error(`this process is still in the ${name} namespace of the host`);
  }
}

/** How many processes the kernel counts with those of this sandbox: in a user namespace of its own, none. */
function othersCounted({ apart }: NonNullable<ConfineOrder["kernel"]>): number {
  if (apart.some(([name]) => name === "user")) return 0;
  const all = tasksOfMachine();
  if (all === undefined) throw new Error("/proc/loadavg does not tell how many processes there are");
  return all;
}

/** Orphans below this process become its children: of two calls at once nobody could tell whose they are. Survives execve. */
function keepOrphans(): void {
  const PR_SET_CHILD_SUBREAPER = 36;
  if (systemCall("prctl", PR_SET_CHILD_SUBREAPER, 1) !== 0) {
    throw new Error(`prctl(PR_SET_CHILD_SUBREAPER): ${errnoName(errno())}`);
  }
}

function giveUp(fd: number, step: string, why: string): never {
  const line = new TextEncoder().encode(JSON.stringify({ confine: "failed", step, why }) + "\n");
  try {
    systemCall("write", fd, line, line.length);
    systemCall("exit_group", CONFINE_FAILED);
  } catch {
    // Foreign functions are refused: nothing was confined and nothing will run.
    Deno.stderr.writeSync(line);
  }
  Deno.exit(CONFINE_FAILED);
}
