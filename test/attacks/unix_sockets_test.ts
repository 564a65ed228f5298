import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Policy } from "../../src/core/policy.ts";
import {
  confinedCommand,
  confineRequest,
  execFrame,
  joinFrames,
  namespacesFor,
} from "../../src/sandbox/confine/launch.ts";
import { probeSandbox } from "../../src/sandbox/confine/probe.ts";
import { encodePolicy } from "../../src/sandbox/launcher/frames.ts";
import { whyNoAnsweredConnects } from "../../src/sandbox/notification/host_list.ts";
import { openProcessPool } from "../../src/sandbox/pool/pool.ts";
import { openShell } from "../../src/sandbox/shell/shell.ts";
import { environment, PROGRAM } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import {
  makeWorld,
  programFor,
  runFrames,
  type World,
  worldPolicy,
  type WorldRequest,
} from "../sandbox/confined_world.ts";
import { HAS_BUBBLEWRAP, HAS_NAMESPACES } from "../sandbox/namespaces_here.ts";
import { asOrdinaryUser } from "../sandbox/ordinary_user.ts";
import { exists } from "../sandbox/shell_fixture.ts";

/** Bytes of a socket's path (sun_path of unix(7), less its NUL). */
const LONGEST_PATH = 107;
const PYTHON = "/usr/bin/python3";
const missing = !exists(PYTHON)
  ? `there is no ${PYTHON}`
  : Deno.build.os === "linux"
  ? whyNoAnsweredConnects()
  : "not Linux";
if (missing !== undefined) console.log(`attacks on sockets with a path are skipped: ${missing}`);

type Results = Readonly<Record<string, string | Readonly<Record<string, number>>>>;

interface Attacked {
  readonly results: Results;
  /** What the daemon saw, a line each. */
  readonly hits: string;
}

/** Runs the attacks by `run`, which gives the output of a command in the workspace, beside a directory in which a daemon listens. */
async function attackBy(run: (world: World, command: readonly string[]) => Promise<string>): Promise<Attacked> {
  using world = makeWorld();
  const longest = `${world.outside}/seq.sock`;
  assert(longest.length <= LONGEST_PATH, `no socket can have the path ${longest}: name a shorter TMPDIR`);
  const name = `sandpiper-test-${crypto.randomUUID()}`;
  const daemon = new Deno.Command(PYTHON, {
    args: [script("unix_daemon.py"), world.outside, name],
    stdin: "null",
    stdout: "null",
  }).spawn();
  try {
    await until(() => ["up", "d.sock", "seq.sock", "dg.sock"].every((one) => exists(`${world.outside}/${one}`)));
    Deno.copyFileSync(script("unix_sockets.py"), `${world.root}/attack.py`);
    const output = await run(world, [PYTHON, "attack.py", world.outside, name]);
    const line = output.split("\n").find((text) => text.startsWith("{"));
    assert(line !== undefined, output);
    const hits = `${world.outside}/hits`;
    return { results: JSON.parse(line), hits: exists(hits) ? Deno.readTextFileSync(hits) : "" };
  } finally {
    daemon.kill("SIGKILL");
    await daemon.status;
  }
}

function script(name: string): string {
  return new URL(name, import.meta.url).pathname;
}

/** A policy under which the daemon's directory may be read, and not written. */
function policyIn(
  world: World,
  level: "kernel" | "kernel+",
  { net }: NonNullable<WorldRequest["flags"]> = {},
): Policy {
  const flags = { read: [".", world.outside], ...(net === undefined ? {} : { net }) };
  return worldPolicy(world, level, { flags }, {}, () => undefined);
}

/** Runs the attacks in a command of the program's shell. */
async function attack(
  level: "kernel" | "kernel+",
  flags: NonNullable<WorldRequest["flags"]> = {},
  more: { readonly bubblewrap?: boolean } = {},
): Promise<Attacked> {
  return await attackBy(async (world, command) => {
    const policy = { ...policyIn(world, level, flags), ...more };
    const pool = openProcessPool(policy, programFor(world));
    const shell = openShell(policy, pool);
    try {
      const { output, ending } = await shell(command.join(" "), {
        timeoutMs: 40_000,
        signal: new AbortController().signal,
        onOutput: () => {},
      });
      return `${output}\n${JSON.stringify(ending)}`;
    } finally {
      await shell.close();
    }
  });
}

/** A seccomp filter of one instruction: every call is allowed. */
const ALLOWS_ALL = new Uint8Array([0x06, 0, 0, 0, 0, 0, 0xff, 0x7f]);

/** Runs the attacks in a process that has everything of a policy but its seccomp filter. */
async function attackUnfiltered(level: "kernel" | "kernel+"): Promise<Attacked> {
  return await attackBy(async (world, argv) => {
    const policy = policyIn(world, level);
    const self = programFor(world);
    const request = confineRequest(policy, self);
    assert(request.kernel !== null);
    const frame = encodePolicy({ ...request, kernel: { ...request.kernel, seccomp: ALLOWS_ALL } });
    const exec = execFrame({ argv, env: policy.env, cwd: policy.root, stdin: "null", mergeOutput: true });
    const frames = [joinFrames(namespacesFor(policy, self), frame), exec];
    const { out, err } = await runFrames(confinedCommand(policy, self), frames);
    return out + err;
  });
}

/** Runs the attacks in a command of the whole program, in which pidfd_getfd() fails as `mode` says (without_getfd.py). */
async function attackWithoutCopies(mode: "EPERM" | "ENOSYS" | "foreign" | undefined): Promise<Attacked> {
  return await attackBy(async (world, command) => {
    const program = [...PROGRAM.command, "tool", "bash", `--allow-read=+${world.outside}`, "--", command.join(" ")];
    const [executable = "", ...args] = mode === undefined
      ? program
      : [PYTHON, script("without_getfd.py"), mode, ...program];
    const { stdout, stderr } = await new Deno.Command(executable, {
      args,
      cwd: world.root,
      clearEnv: true,
      env: environment({ HOME: world.home }),
      stdin: "null",
    }).output();
    return [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
  });
}

/** What a command's own sockets come to if nothing is in their way. */
const OWN = {
  "own abs": "hi",
  "own rel": "hi",
  "own dot": "hi",
  "own sub": "hi",
  "own tmp": "hi",
  "own /tmp": "hi",
  "own shm": "hi",
  "own symlink": "hi",
  "own abstract": "hi",
  "full queue, waiting": "flags 0",
  "full queue, not waiting": "Resource temporarily unavailable",
  missing: "No such file or directory",
  file: "Connection refused",
  inet: "hi",
  inet6: "hi",
  refused: "Connection refused",
  udp: "u",
  unspec: "0",
  "send timeout": "Operation now in progress",
  "too long": "Invalid argument",
  negative: "Invalid argument",
  "bad fd": "Bad file descriptor",
  "not socket": "Socket operation on non-socket",
  listener: "Device or resource busy",
} as const;

function assertOwn(results: Results, without: readonly string[] = []): void {
  for (const [name, want] of Object.entries(OWN)) {
    if (!without.includes(name)) assertEquals(results[name], want, name);
  }
}

const CASES = [
  ["kernel+", {}, "no network"],
  ["kernel+", { net: true }, "the whole network"],
] as const;

// With a list of hosts: test/sandbox/proxy/gate_test.ts, in a process that may listen on a socket with a path.
for (const [level, flags, name] of CASES) {
  Deno.test({
    name: `at ${level} with ${name} no command reaches a socket outside the write scope, and its own sockets work`,
    ignore: missing !== undefined || !HAS_NAMESPACES,
    // The thread that waits for calls ends a moment after the last process.
    sanitizeOps: false,
    fn: async () => {
      const { results, hits } = await attack(level, flags);
      assertEquals(hits, "");
      // Abstract names are the machine's where the network is.
      assertOwn(results, "net" in flags && flags.net === true ? ["own abstract"] : []);
    },
  });
}

Deno.test({
  name: "at kernel+ with bubblewrap in front no command reaches a socket outside the write scope",
  ignore: missing !== undefined || !HAS_BUBBLEWRAP,
  sanitizeOps: false,
  fn: async () => {
    const { results, hits } = await attack("kernel+", {}, { bubblewrap: true });
    assertEquals(hits, "");
    assertOwn(results);
  },
});

Deno.test({
  name: "at kernel no command reaches a socket with a path",
  ignore: missing !== undefined || probeSandbox().landlockAbi < 6,
  sanitizeOps: false,
  fn: async () => {
    for (const flags of [{}, { net: true }, { net: ["good.test"] }]) {
      assertEquals((await attack("kernel", flags)).hits, "");
    }
  },
});

/** The ways that lead to the daemon's sockets if nothing is in their way. */
const STREAM_WAYS = [
  ...["plain", "seq", "relative", "dotdot", "symlink", "symlink rel", "symlink dir", "proc self root", "proc self cwd"],
  ...["opath", "opath dir", "dev fd", "no nul", "len 110", "high bits", "len high bits", "double slash"],
];
const DATAGRAM_WAYS = ["sendto", "sendmsg", "pair dgram", "pair raw"];

for (const level of ["kernel", "kernel+"] as const) {
  Deno.test({
    name: `control: at ${level} without the seccomp filter the same attacks reach the sockets`,
    ignore: missing !== undefined || (level === "kernel" ? probeSandbox().landlockAbi < 6 : !HAS_NAMESPACES),
    fn: async () => {
      const { results, hits } = await attackUnfiltered(level);
      for (const way of STREAM_WAYS) assertEquals(results[way], "DAEMON", way);
      // A byte was sent.
      for (const way of DATAGRAM_WAYS) assertEquals(results[way], "1", way);
      assertEquals(results["listener"], "None");
      for (const socket of ["d.sock", "seq.sock", "dg.sock"]) assertStringIncludes(hits, `/${socket}'`);
    },
  });
}

for (const mode of ["EPERM", "ENOSYS", "foreign"] as const) {
  Deno.test({
    name: `at kernel+ no command connects to any socket with a path if the host cannot copy its descriptors (${mode})`,
    ignore: missing !== undefined || !HAS_NAMESPACES,
    fn: async () => {
      const { results, hits } = await attackWithoutCopies(mode);
      assertEquals(hits, "");
      for (const way of [...STREAM_WAYS, ...DATAGRAM_WAYS]) assertEquals(results[way], "Permission denied", way);
      for (const way of Object.keys(OWN).filter((way) => way.startsWith("own "))) {
        assertEquals(results[way], "Permission denied", way);
      }
    },
  });
}

Deno.test({
  name: "control: commands of the whole program connect to their own sockets if the host can copy their descriptors",
  ignore: missing !== undefined || !HAS_NAMESPACES,
  fn: async () => {
    const { results, hits } = await attackWithoutCopies(undefined);
    assertEquals(hits, "");
    assertOwn(results);
  },
});

asOrdinaryUser("no command of an ordinary user reaches a socket outside its write scope", import.meta.url);
