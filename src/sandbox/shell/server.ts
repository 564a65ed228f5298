// A program that lives for a session and talks over its pipes, behind the same confinement, guard and watchdog as a
// command. What a command gets before it runs, and what it is ended by, a server gets too.
import { ToolError } from "../../core/error.ts";
import type { Policy } from "../../core/policy.ts";
import { type Exec, execFrame } from "../confine/launch.ts";
import type { Self } from "../confine/self.ts";
import { type StartPlan, startPlan } from "../confine/start_plan.ts";
import { serverHint } from "../denial/server_hint.ts";
import { spawnConfined } from "../launcher/executable.ts";
import { explainExit, keepTail } from "../process/exit.ts";
import { keepProcess } from "../process/tree.ts";
import { gateOf, type NetGate, type NetOptions, startOptions } from "../proxy/gate.ts";
import { within } from "../../core/support/sleep.ts";
import type { Supervisor } from "./supervisor.ts";

/** How long a server may take to leave by itself once its input is closed. */
const LEAVE_MS = 200;
/** How long its processes may take to end once they are killed. */
const END_MS = 5_000;
/** How long complaints may take to arrive after the process has ended. */
const AFTER_EXIT_MS = 100;

/** A running server. */
export interface ServerProcess {
  readonly pid: number;
  readonly output: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Rejects when nobody reads any more. */
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Why it ended, as a clause that may quote the newest of its standard error; never rejects. */
  readonly ended: Promise<string>;
  /** What the sandbox undid or denied since this was last asked, one line each; puts protected paths back. */
  notes(): string[];
  /** Ends it with everything that it started. Safe to call twice. */
  end(): Promise<void>;
}

/** What a server is started with. */
export interface ServerHost {
  readonly policy: Policy;
  readonly self: Self;
  readonly supervisor: Supervisor;
  readonly net?: NetOptions;
}

/** Starts a program as a confined process with both pipes open. Throws where nothing could confine it. */
export function startServer(command: Pick<Exec, "argv" | "env" | "cwd">, host: ServerHost): ServerProcess {
  const { policy, self, supervisor, net } = host;
  if (policy.sandbox === "permissions") {
    throw new ToolError("at the sandbox level permissions no program can be confined");
  }
  supervisor.begin();
  const gate = gateOf(policy, net);
  let child: Deno.ChildProcess;
  let plan: StartPlan;
  try {
    plan = startPlan(policy, self, startOptions(gate));
    child = gate ? gate.lend(() => spawnConfined(plan)) : spawnConfined(plan);
  } catch (error) {
    gate?.close();
    throw error;
  }
  keepProcess(child);
  return follow(child, plan, gate, command, host);
}

function follow(
  child: Deno.ChildProcess,
  plan: StartPlan,
  gate: NetGate | undefined,
  { argv, env, cwd }: Pick<Exec, "argv" | "env" | "cwd">,
  { policy, supervisor }: ServerHost,
): ServerProcess {
  const supervised = supervisor.follow(child);
  const input = child.stdin.getWriter();
  input.closed.catch(() => {});
  const tail = keepTail();
  const complaints = child.stderr.pipeTo(new WritableStream({ write: tail.add })).catch(() => {});
  const exec: Exec = { argv, cwd, env: { ...env, ...gate?.env }, stdin: "keep", mergeOutput: false };
  // Nothing of the server's own goes into the pipe before both frames: the process would read it as one.
  const told = (async () => {
    await input.write(gate ? gate.frame(plan.frame()) : plan.frame());
    if (gate) await Promise.race([gate.ready, child.status]);
    await input.write(execFrame(exec));
  })();
  told.catch(() => {});

  const denied = new Set<string>();
  const notes = (): string[] => {
    supervisor.check();
    const fresh = (gate?.notes() ?? []).filter((note) => !denied.has(note));
    for (const note of fresh) denied.add(note);
    return [...fresh, ...supervisor.notes()];
  };

  const ended = (async () => {
    const { status, reason } = await supervised.ended;
    gate?.close();
    await within(AFTER_EXIT_MS, complaints);
    await input.abort().catch(() => {});
    if (reason?.limit !== undefined) return `it was ended: ${reason.limit.replace("the command", "it")}`;
    if (status === undefined) return "it could not be ended";
    const hint = status.success ? undefined : serverHint(argv, tail.text(), policy);
    return explainExit(status, tail.text()) + (hint === undefined ? "" : `: ${hint}`);
  })();

  const end = async (): Promise<void> => {
    // It gets to know by the end of its input, as the protocol says; what does not leave is ended.
    const closing = told.then(() => input.close()).catch(() => {});
    if (await within(LEAVE_MS, Promise.all([closing, child.status])) === undefined) {
      supervised.atOnce("aborted");
      await Promise.race([supervised.done, ended]);
    }
    // What it started ends, too, and changes nothing afterwards. A process that hangs in the kernel outlives SIGKILL.
    await within(END_MS, ended);
  };
  let ending: Promise<void> | undefined;
  return {
    pid: child.pid,
    output: child.stdout,
    write: (bytes) => told.then(() => input.write(bytes)),
    ended,
    notes,
    end: () => ending ??= end(),
  };
}
