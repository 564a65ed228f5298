import type { Limits, Policy } from "../../src/core/policy.ts";
import type { ShellOutcome } from "../../src/core/tool.ts";
import { probeSandbox } from "../../src/sandbox/confine/probe.ts";
import { thisProgram } from "../../src/sandbox/confine/self.ts";
import { openProcessPool, type ProcessPool } from "../../src/sandbox/pool/pool.ts";
import { type OpenShell, openShell } from "../../src/sandbox/shell/shell.ts";
import { numbersIn, readProc } from "../../src/sandbox/system/procfs.ts";
import { HAS_NAMESPACES, HERE } from "./namespaces_here.ts";

export const LIMITS: Limits = {
  bashTimeoutMs: 20_000,
  bashMaxTimeoutMs: 60_000,
  outputBytes: 51_200,
  outputLines: 2_000,
  fileBytes: 1 << 30,
  openFiles: 1_024,
  processes: 512,
  memoryBytes: 2 ** 31,
};

const probe = probeSandbox();

/** The levels that this machine can show. */
export const LEVELS: readonly Policy["sandbox"][] = [
  "off",
  ...probe.landlockAbi >= 3 ? ["kernel" as const] : [],
  ...HAS_NAMESPACES ? ["kernel+" as const] : [],
];

/** The levels at which something confines. */
export const CONFINED = LEVELS.filter((level) => level !== "off");

export interface Room {
  readonly policy: Policy;
  readonly spares: ProcessPool | undefined;
  readonly shell: OpenShell;
  run(command: string, options?: Partial<Parameters<OpenShell>[1]>): Promise<ShellOutcome>;
}

/** A workspace with a shell in it; everything is ended and removed afterwards. */
export async function withShell(
  level: Policy["sandbox"],
  work: (room: Room) => Promise<void>,
  limits: Partial<Limits> = {},
  marks: Readonly<Record<string, string>> = {},
): Promise<void> {
  const base = Deno.realPathSync(Deno.makeTempDirSync());
  const folder = (name: string): string => {
    Deno.mkdirSync(`${base}/${name}`);
    return `${base}/${name}`;
  };
  const [root, tmp, cache, home] = [folder("root"), folder("tmp"), folder("cache"), folder("home")];
  const all = { all: true, list: [] };
  const policy: Policy = {
    root,
    home,
    tmp,
    cache,
    read: all,
    write: { all: false, list: [root, tmp, cache] },
    run: all,
    net: { all: false, list: [] },
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, LANG: "C.UTF-8", MARK: "from the policy" },
    denyRead: [],
    denyWrite: [],
    protected: [],
    limits: { ...LIMITS, ...limits },
    sandbox: level,
    ...HERE,
  };
  const spares = level === "off" ? undefined : openProcessPool(policy, thisProgram());
  const shell = openShell(policy, spares, marks);
  try {
    await work({
      policy,
      spares,
      shell,
      run: (command, options) =>
        shell(command, { timeoutMs: 60_000, signal: new AbortController().signal, onOutput: () => {}, ...options }),
    });
  } finally {
    await shell.close();
    Deno.removeSync(base, { recursive: true });
  }
}

/** Process ids whose command line holds all texts; one of them must be the test's alone, for the machine has others. */
export function processesWith(...texts: readonly string[]): number[] {
  return numbersIn("/proc").filter((pid) => {
    const line = pid === Deno.pid ? undefined : readProc(`/proc/${pid}/cmdline`);
    return line !== undefined && texts.every((text) => line.includes(text));
  });
}

export function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
