import { assert, assertEquals } from "@std/assert";
import { probeSandbox } from "../../src/sandbox/confine/probe.ts";
import { whyNoAnsweredConnects } from "../../src/sandbox/notification/host_list.ts";
import { openProcessPool } from "../../src/sandbox/pool/pool.ts";
import { openShell } from "../../src/sandbox/shell/shell.ts";
import { until } from "../helpers/until.ts";
import { makeWorld, programFor, worldPolicy, type WorldRequest } from "../sandbox/confined_world.ts";
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

/** Runs the attacks in a command that may read, and not write, a directory in which a daemon listens. */
async function attack(
  level: "kernel" | "kernel+",
  { net }: NonNullable<WorldRequest["flags"]> = {},
  more: { readonly bubblewrap?: boolean } = {},
): Promise<{ readonly results: Results; readonly hits: string }> {
  using world = makeWorld();
  const longest = `${world.outside}/seq.sock`;
  assert(longest.length <= LONGEST_PATH, `no socket can have the path ${longest}: name a shorter TMPDIR`);
  const name = `sandpiper-test-${crypto.randomUUID()}`;
  const file = (script: string): string => new URL(script, import.meta.url).pathname;
  const daemon = new Deno.Command(PYTHON, {
    args: [file("unix_daemon.py"), world.outside, name],
    stdin: "null",
    stdout: "null",
  }).spawn();
  try {
    await until(() => ["up", "d.sock", "seq.sock", "dg.sock"].every((one) => exists(`${world.outside}/${one}`)));
    const flags = { read: [".", world.outside], ...(net === undefined ? {} : { net }) };
    const policy = { ...worldPolicy(world, level, { flags }, {}, () => undefined), ...more };
    Deno.copyFileSync(file("unix_sockets.py"), `${world.root}/attack.py`);
    const pool = openProcessPool(policy, programFor(world));
    const shell = openShell(policy, pool);
    try {
      const command = `${PYTHON} attack.py ${world.outside} ${name}`;
      const { output, ending } = await shell(command, {
        timeoutMs: 40_000,
        signal: new AbortController().signal,
        onOutput: () => {},
      });
      const line = output.split("\n").find((text) => text.startsWith("{"));
      assert(line !== undefined, JSON.stringify({ output, ending }));
      const hits = `${world.outside}/hits`;
      return { results: JSON.parse(line), hits: exists(hits) ? Deno.readTextFileSync(hits) : "" };
    } finally {
      await shell.close();
    }
  } finally {
    daemon.kill("SIGKILL");
    await daemon.status;
  }
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

asOrdinaryUser("no command of an ordinary user reaches a socket outside its write scope", import.meta.url);
