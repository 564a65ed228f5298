import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { probeSandbox } from "../../../src/sandbox/confine/probe.ts";
import { CONFINED } from "../../../src/sandbox/launcher/request.ts";
import { makeWorld, programFor, runConfined, shellLines, worldPolicy } from "../confined_world.ts";
import { HAS_NAMESPACES } from "../namespaces_here.ts";
import { USERS } from "../reachable.ts";
import { needs } from "../../helpers/needs.ts";

/** A test that needs Python, in the sandbox and outside. */
function python(name: string, fn: () => Promise<void>): void {
  Deno.test({ ...needs(["python3"], name, false, true), fn });
}

// Real processes at every kernel level of this machine, as root (where the tests run as root) and as an ordinary user.

const probe = probeSandbox();
const LEVELS = [
  ...(probe.landlockAbi >= 6 ? ["kernel" as const] : []),
  ...(HAS_NAMESPACES ? ["kernel+" as const] : []),
];

/** What must fail; the line prints ESCAPED where it does not. */
const REFUSED: readonly (readonly [claim: string, line: string])[] = [
  ["R459 reads outside", 'cat "$OUT/secret" && echo ESCAPED'],
  ["R458 reads outside through ..", "cat ../outside/secret && echo ESCAPED"],
  ["R460 reads outside through a link", 'ln -s "$OUT/secret" l; cat l && echo ESCAPED'],
  ["R461 writes below a linked folder", 'ln -s "$OUT" d; echo x > d/new && echo ESCAPED'],
  ["lists outside", 'ls "$OUT" && echo ESCAPED'],
  ["writes outside", 'echo x > "$OUT/new" && echo ESCAPED'],
  ["empties a file outside", 'truncate -s 0 "$OUT/secret" && echo ESCAPED'],
  [
    "removes outside",
    'rm -f "$OUT/secret" 2>&1; [ -e "$OUT/secret" ] || mv x y 2>/dev/null; rm "$OUT/secret" && echo ESCAPED',
  ],
  ["links a file of outside into the workspace", 'ln "$OUT/secret" h && cat h && echo ESCAPED'],
  ["moves a file of outside into the workspace", 'mv "$OUT/secret" m && echo ESCAPED'],
  ["reads through /proc/self/root", 'cat "/proc/self/root$OUT/secret" && echo ESCAPED'],
  ["reads a key in the home", 'cat "$HOME/.ssh/id_test" && echo ESCAPED'],
  ["reads /etc/shadow", "cat /etc/shadow && echo ESCAPED"],
  ["R470 connects to a port of the machine", 'echo hi > "/dev/tcp/127.0.0.1/$PORT" && echo ESCAPED'],
  ["sends a datagram to the machine", 'echo hi > "/dev/udp/127.0.0.1/$PORT" && [ "$LEVEL" = kernel ] && echo ESCAPED'],
  ["signals the process that started it", 'kill -0 "$HOST" && echo ESCAPED'],
  ["reads the environment of the process that started it", 'cat "/proc/$HOST/environ" && echo ESCAPED'],
  ["reads the memory of the process that started it", 'head -c 1 "/proc/$HOST/mem" && echo ESCAPED'],
  ["makes a user namespace", "unshare -U true && echo ESCAPED"],
  ["makes a mount", 'mount -t tmpfs none "$PWD" && echo ESCAPED'],
  ["makes a device", "mknod disk b 8 0 && echo ESCAPED"],
  ["raises its own limits", "ulimit -n 8192 && echo ESCAPED"],
  ["changes root", "chroot / true && echo ESCAPED"],
  ["reads the kernel's log", "dmesg && echo ESCAPED"],
  ["opens the terminal", "exec 9<>/dev/tty && echo ESCAPED"],
];

/** What must work. */
const WORKS: readonly (readonly [claim: string, line: string, output: RegExp])[] = [
  [
    "leads a session and a process group of its own",
    'read -r pid _ _ _ group session _ < /proc/$$/stat; [ "$pid $pid" = "$group $session" ] && echo LEADS',
    /LEADS/,
  ],
  [
    "R451 R453 reads and writes the workspace",
    "echo one > a; cat a; mkdir -p b/c; mv a b/c/a; cat b/c/a",
    /^one\none\n$/,
  ],
  ["uses the private temporary folder", 'f=$(mktemp) && echo t > "$f" && cat "$f"; rm "$f"', /^t\n$/],
  ["has pipes, substitution and here-documents", "cat <(echo a | tr a b) <<< c; cat <<< d", /^b\nd\n$/],
  ["uses the harmless devices", "head -c 3 /dev/zero | wc -c; echo x > /dev/null", /^3\n$/],
  ["has an empty environment but for a list (R466, R467)", "env | grep -c API_KEY; echo $HOME", /^0\n\/.*home\n$/],
  ["starts in the workspace", "pwd", /\/work\n$/],
  ["has core dumps off and files bounded", "ulimit -c; ulimit -f; ulimit -n", /^0\n4194304\n4096\n$/],
  [
    "holds no capability",
    "grep -E '^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\\t' ' '",
    /^(?:Cap(?:Inh|Prm|Eff|Amb): 0{16}\n){4}NoNewPrivs: 1\nSeccomp: 2\n$/,
  ],
  [
    "ignores no signal and blocks none",
    "grep -E '^Sig(Ign|Blk)' /proc/self/status | tr -s '\\t' ' '",
    /^SigBlk: 0{16}\nSigIgn: 0{16}\n$/,
  ],
  ["has no descriptor but the three (and the one of ls)", "ls /proc/self/fd | tr '\\n' ' '", /^0 1 2 3 $/],
  ["ends by SIGPIPE where a pipe closes", "yes | head -n 1; echo ${PIPESTATUS[0]}", /^y\n141\n$/],
];

for (const level of LEVELS) {
  for (const as of USERS) {
    Deno.test(`the launcher at ${level} as ${as} refuses what is not granted`, async (t) => {
      using world = makeWorld();
      using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      Deno.mkdirSync(`${world.home}/.ssh`);
      Deno.writeTextFileSync(`${world.home}/.ssh/id_test`, "key");
      const port = listener.addr.transport === "tcp" ? listener.addr.port : 0;
      const policy = worldPolicy(world, level, { flags: { env: ["OUT", "PORT", "HOST", "LEVEL"] } }, {
        OUT: world.outside,
        PORT: String(port),
        HOST: String(Deno.pid),
        LEVEL: level,
      });
      const self = programFor(world);
      const said = await shellLines(policy, self, REFUSED.map(([, line]) => line), as);
      for (const [at, [claim]] of REFUSED.entries()) {
        await t.step(claim, () => assertNotMatch(said[at] ?? "missing: ESCAPED", /ESCAPED|outside-secret/));
      }
      assertEquals(Deno.readTextFileSync(`${world.outside}/secret`), "outside-secret");
      assertEquals([...Deno.readDirSync(world.outside)].map((entry) => entry.name), ["secret"]);
    });

    Deno.test(`the launcher at ${level} as ${as} lets ordinary work through`, async (t) => {
      using world = makeWorld();
      const policy = worldPolicy(world, level, {}, { OPENAI_API_KEY: "sk-1", HOME: "/elsewhere" });
      const self = programFor(world);
      const said = await shellLines(policy, self, WORKS.map(([, line]) => line), as);
      for (const [at, [claim, , output]] of WORKS.entries()) {
        await t.step(claim, () => assertMatch(said[at] ?? "", output));
      }
    });
  }

  Deno.test(`the launcher at ${level} hands the rest of its input to the program`, async () => {
    using world = makeWorld();
    const policy = worldPolicy(world, level);
    const ending = await runConfined(policy, programFor(world), { argv: ["cat"], stdin: "keep" }, {
      after: "the rest\n",
    });
    assertEquals(ending, { code: 0, out: "the rest\n", err: "" });
  });

  Deno.test(`the launcher at ${level} keeps both outputs in order on request, and apart otherwise`, async () => {
    using world = makeWorld();
    const policy = worldPolicy(world, level);
    const argv = ["/bin/sh", "-c", "echo 1; echo 2 >&2; echo 3"];
    const self = programFor(world);
    assertEquals(await runConfined(policy, self, { argv, mergeOutput: true }), {
      ...{ code: 0, out: "1\n2\n3\n" },
      // Nobody's but the host's, who learns that the command was next.
      err: `${CONFINED}\n`,
    });
    assertEquals(await runConfined(policy, self, { argv }), { code: 0, out: "1\n3\n", err: "2\n" });
  });

  python(
    `the launcher at ${level} with the network granted reaches the machine's ports and no socket with a path`,
    async () => {
      using world = makeWorld();
      using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const port = listener.addr.transport === "tcp" ? listener.addr.port : 0;
      const path = `${world.outside}/socket`;
      const serve =
        `import socket,sys; s=socket.socket(socket.AF_UNIX); s.bind("${path}"); s.listen(); print("up", flush=True); sys.stdin.read()`;
      const server = new Deno.Command("python3", { args: ["-c", serve], stdin: "piped", stdout: "piped" }).spawn();
      try {
        const reader = server.stdout.getReader();
        await reader.read();
        reader.releaseLock();
        const policy = worldPolicy(world, level, { flags: { net: true } });
        const answered = listener.accept().then((connection) => connection.close());
        const said = await shellLines(policy, programFor(world), [
          `echo hi > /dev/tcp/127.0.0.1/${port} && echo reached`,
          `python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("${path}"); print("ESCAPED")' 2>&1 | tail -n 1`,
        ]);
        assertEquals(said[0], "reached\n");
        assertMatch(said[1] ?? "", /Permission denied/);
        await answered;
      } finally {
        await server.stdin.close();
        await server.stdout.cancel();
        await server.status;
      }
    },
  );

  Deno.test(`the launcher at ${level} keeps the policy and the environment out of its command line`, async () => {
    using world = makeWorld();
    const policy = worldPolicy(world, level, { flags: { env: ["MARKED"] } }, { MARKED: "value-of-marked" });
    const [said = ""] = await shellLines(policy, programFor(world), [
      "cat /proc/*/cmdline | tr '\\0' ' '; echo $MARKED",
    ]);
    assertEquals(said.split("value-of-marked").length, 2);
  });
}

Deno.test({
  ...needs(["python3"], "the launcher at kernel refuses every kind of socket (R470)", !LEVELS.includes("kernel"), true),
  fn: async () => {
    using world = makeWorld();
    const kinds = "AF_UNIX AF_INET AF_INET6 AF_NETLINK AF_PACKET AF_VSOCK AF_ALG";
    const python = [
      "import socket",
      `for name in "${kinds}".split():`,
      "  for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):",
      "    try: socket.socket(getattr(socket, name), kind); print('ESCAPED', name, kind)",
      "    except OSError as e: print(e.errno) if e.errno != 13 else None",
      "a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))",
      "try: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); print('ESCAPED pair')",
      "except OSError as e: print(e.errno)",
    ].join("\n");
    const policy = worldPolicy(world, "kernel");
    const { out } = await runConfined(policy, programFor(world), {
      argv: ["python3", "-c", python],
      mergeOutput: true,
    });
    assertEquals(out, "b'x'\n13\n");
  },
});

for (const level of LEVELS) {
  python(
    `confineAndExec() at ${level} has no secret memory, and of netlink the family that lists addresses at the most`,
    async () => {
      using world = makeWorld();
      const python = [
        "import ctypes, socket",
        "print(ctypes.CDLL(None).syscall(447, 0))",
        "for family in range(23):",
        "  try: socket.socket(16, socket.SOCK_RAW, family); print('open', family)",
        "  except OSError: pass",
      ].join("\n");
      const policy = worldPolicy(world, level, { flags: { net: true } });
      const { out } = await runConfined(policy, programFor(world), { argv: ["python3", "-c", python] });
      assertEquals(out, "-1\nopen 0\n");
    },
  );
}

Deno.test({
  ...needs(
    ["python3"],
    "the launcher at kernel+ has a network, processes and temporary folders of its own",
    !LEVELS.includes("kernel+"),
    true,
  ),
  fn: async () => {
    using world = makeWorld();
    Deno.mkdirSync(`${world.root}/.git`);
    for (const name of ["objects", "hooks"]) Deno.mkdirSync(`${world.root}/.git/${name}`);
    Deno.writeTextFileSync(`${world.root}/.git/config`, "[core]\n");
    const policy = worldPolicy(world, "kernel+");
    const python = "import socket; s=socket.create_server(('127.0.0.1',0)); " +
      "socket.create_connection(s.getsockname()); print('served')";
    const said = await shellLines(policy, programFor(world), [
      `python3 -c "${python}"`,
      "echo x > /tmp/mine; cat /tmp/mine",
      "ls -d /proc/[0-9]* | wc -l | sed 's/^[1-9]$/few/'",
      "mv .git g 2>/dev/null || echo pinned",
      "{ echo evil >> .git/config; } 2>/dev/null || echo kept",
      "{ echo evil > .git/hooks/pre-commit; } 2>/dev/null || echo kept",
      "echo data > .git/objects/new && echo data > .git/index.lock && mv .git/index.lock .git/index && echo git works",
      "stat -c %n ../outside 2>/dev/null || echo unseen",
    ]);
    assertEquals(said.join(""), "served\nx\nfew\npinned\nkept\nkept\ngit works\nunseen\n");
    assertEquals(Deno.readTextFileSync(`${world.root}/.git/config`), "[core]\n");
    assertEquals(Deno.readTextFileSync(`${world.tmp}/mine`), "x\n");
  },
});
