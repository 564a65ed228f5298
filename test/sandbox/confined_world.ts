import { createHash } from "node:crypto";
import type { Policy, SandboxLevel } from "../../src/core/policy.ts";
import { confinedCommand, type Exec, execFrame, firstFrames } from "../../src/sandbox/confine/launch.ts";
import { type Self, thisProgram } from "../../src/sandbox/confine/self.ts";
import { type Executable, launcher, openExecutable, spawnConfined } from "../../src/sandbox/launcher/executable.ts";
import { type PolicyRequest, resolvePolicy } from "../../src/sandbox/policy/policy.ts";
import { whyNoHosts } from "../../src/sandbox/policy/program_scopes.ts";
import { disk } from "../../src/sandbox/system/disk.ts";
import { HERE } from "./namespaces_here.ts";
import { reachableDeno } from "./reachable.ts";

/** Folders of one test, removed with it. */
export interface World extends Disposable {
  readonly base: string;
  readonly root: string;
  readonly home: string;
  /** Beside the workspace: nothing here may be read or written. */
  readonly outside: string;
  readonly tmp: string;
  readonly cache: string;
}

export function makeWorld(): World {
  // Short: worlds lie in each other where a file is run again as another user, and a socket's path has at most 107 bytes.
  const base = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-" }));
  const folder = (name: string): string => {
    Deno.mkdirSync(`${base}/${name}`, { mode: 0o777 });
    Deno.chmodSync(`${base}/${name}`, 0o777);
    return `${base}/${name}`;
  };
  Deno.chmodSync(base, 0o755);
  const world = {
    base,
    root: folder("work"),
    home: folder("home"),
    outside: folder("outside"),
    tmp: folder("tmp"),
    cache: folder("cache"),
  };
  Deno.writeTextFileSync(`${world.outside}/secret`, "outside-secret");
  return { ...world, [Symbol.dispose]: () => removeSurely(base) };
}

/** A process that was ended a moment ago may still be at its last change. */
function removeSurely(folder: string): void {
  for (let left = 20; left > 0; left--) {
    try {
      return Deno.removeSync(folder, { recursive: true });
    } catch (error) {
      if (left === 1) throw error;
    }
  }
}

/** What is asked for, and what the program is made of. */
export type WorldRequest = Partial<PolicyRequest> & { readonly program?: readonly string[] };

export function worldPolicy(
  world: World,
  level: SandboxLevel,
  { program = [], ...request }: WorldRequest = {},
  env: Record<string, string> = {},
  noHosts: () => string | undefined = () => whyNoHosts(level),
): Policy {
  const policy = resolvePolicy({ root: world.root, ...request }, {
    ...disk,
    home: world.home,
    tmp: world.tmp,
    cache: world.cache,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", ...env },
    skills: [],
    program,
    level,
    noHosts,
  });
  return { ...policy, ...HERE };
}

export interface Ending {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** As whom a confined process starts: `user` steps down from root. */
export type As = "self" | "user";

let modules: string | undefined;

/** A program of this source tree whose module cache an ordinary user can use; filled once, since bwrap shows it read-only. */
export function programFor(world: World): Self {
  const own = thisProgram();
  const program = reachableDeno();
  const self = { ...own, program, readPaths: own.readPaths.map((path) => path === own.program ? program : path) };
  if (modules === undefined) {
    modules = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sandpiper-modules-" }));
    const folder = modules;
    globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
    const env = { ...self.env, DENO_DIR: modules };
    new Deno.Command(self.program, { args: [...self.args, "--internal-bridge"], env, stdin: "null" }).outputSync();
    new Deno.Command("chmod", { args: ["-R", "a+rwX", modules] }).outputSync();
  }
  const cache = modules;
  const readPaths = self.readPaths.map((path) => path === self.env["DENO_DIR"] ? cache : path);
  return { ...self, readPaths, env: { ...self.env, HOME: world.home, DENO_DIR: cache } };
}

/** Names a launcher that was built on this machine, to be tested in place of the one that is shipped. */
export const LOCAL_LAUNCHER = "SANDPIPER_TEST_LAUNCHER";

let local: Executable | undefined;

/** Calls `start` with what puts a local launcher in the place of the shipped one, where one is named. */
function lendLauncher<T>(start: (own: (word: string) => string) => T): T {
  const file = Deno.env.get(LOCAL_LAUNCHER);
  if (file === undefined) return start((word) => word);
  const bytes = Deno.readFileSync(file);
  const digest = createHash("sha256").update(bytes).digest("hex");
  const { path, lend } = local ??= openExecutable({ bytes: bytes.toBase64(), digest, tools: "" });
  return lend(() => start((word) => word === launcher().path() ? path() : word));
}

export async function runConfined(
  policy: Policy,
  self: Self,
  exec: Partial<Exec> & Pick<Exec, "argv">,
  options: { readonly as?: As; readonly after?: string; readonly env?: Record<string, string> } = {},
): Promise<Ending> {
  const whole: Exec = { env: policy.env, cwd: policy.root, stdin: "null", mergeOutput: false, ...exec };
  return await runFrames(confinedCommand(policy, self), [firstFrames(policy, self), execFrame(whole)], options);
}

export async function runFrames(
  command: { readonly program: string; readonly args: readonly string[]; readonly env: Record<string, string> },
  frames: readonly Uint8Array<ArrayBuffer>[],
  options: { readonly as?: As; readonly after?: string; readonly env?: Record<string, string> } = {},
): Promise<Ending> {
  const step = options.as === "user" && Deno.uid() === 0;
  const prefix = step ? ["/usr/bin/setpriv", "--reuid=1000", "--regid=1000", "--clear-groups"] : [];
  const [program = "", ...args] = [...prefix, command.program, ...command.args];
  const env = { ...command.env, ...options.env };
  const child = lendLauncher((own) => spawnConfined({ program: own(program), args: args.map(own), env }));
  const writer = child.stdin.getWriter();
  try {
    for (const frame of frames) await writer.write(frame);
    if (options.after !== undefined) await writer.write(new TextEncoder().encode(options.after));
    await writer.close();
  } catch {
    // The process ended before it had read everything; its code and output tell why.
  }
  const { code, stdout, stderr } = await child.output();
  return { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
}

/** Runs lines of shell, each in a subshell of one confined process; gives what each printed, both streams in order. */
export async function shellLines(
  policy: Policy,
  self: Self,
  lines: readonly string[],
  as: As = "self",
): Promise<readonly string[]> {
  const mark = "--- end of line ---";
  const script = lines.map((line) => `( ${line}\n)\necho '${mark}'`).join("\n");
  const argv = ["/bin/bash", "-c", script];
  const { code, out, err } = await runConfined(policy, self, { argv, mergeOutput: true }, { as });
  const parts = out.split(`${mark}\n`);
  // Without this a sandbox that starts nothing would pass for one that refuses everything.
  if (code !== 0 || parts.length !== lines.length + 1) throw new Error(`the shell ended early: ${code} ${out} ${err}`);
  return parts.slice(0, -1);
}
