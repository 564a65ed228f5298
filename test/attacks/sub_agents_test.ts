// What one sub-agent could do to another that works beside it: scripts in `agents/`, each of which succeeds only where the
// two are not kept apart. The same scripts without a sandbox succeed: that shows that they are worth something.
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { cassette, events, inWorkspace, LAZY_SOURCE, run } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import { needs } from "../helpers/needs.ts";

const SCRIPTS = join(import.meta.dirname ?? "", "agents");

/** What the first sub-agent runs: everything that the other one could reach, until that one is done. */
const VICTIM = `
set -e
echo private-to-a > "$TMPDIR/secret"
mkfifo a/pipe
python3 - "$NONCE" <<'PY' &
import ctypes, os, socket, sys, threading, time
nonce = sys.argv[1]
port = ""
def serve(s):
    while True:
        c, _ = s.accept(); c.sendall(b"from-a"); c.close()
def listen(make):
    try:
        s = make(); s.listen(9); threading.Thread(target=serve, args=(s,), daemon=True).start(); return s
    except OSError: return None
def at(path):
    s = socket.socket(socket.AF_UNIX); s.bind(path); return s
def tcp():
    s = socket.socket(); s.bind(("127.0.0.1", 0)); return s
listen(lambda: at("a/sock")); listen(lambda: at("\\0sub-agent-a-" + nonce))
t = listen(tcp)
if t: port = str(t.getsockname()[1])
try: open("/dev/shm/sub-agent-a-" + nonce, "w").write("x")
except OSError: pass
ctypes.CDLL(None).shmget(int(nonce, 16) & 0x7ffffff, 4096, 0o1666)
open("a/facts.env", "w").write(f"PORT={port}\\nTHEIR_TMP={os.environ['TMPDIR']}\\nTHEIR_CACHE={os.environ['XDG_CACHE_HOME']}\\nSYSV_KEY={int(nonce, 16) & 0x7ffffff}\\n")
fd = os.open("a/pipe", os.O_RDWR)
while not os.path.exists("b/done"): time.sleep(0.05)
try: os.unlink("/dev/shm/sub-agent-a-" + nonce)
except OSError: pass
PY
wait
`;

const ATTACK = `
while [ ! -e facts.env ]; do sleep 0.05; done
for script in .attacks/*.sh; do bash "$script" >/dev/null 2>&1; code=$?; echo "RESULT $(basename "$script" .sh) $code"; done
touch b/done
`;

/** How the program is started at a level: where no process may make namespaces (in a chroot), the best is `kernel`. */
const CHROOT = [
  ...["unshare", "--mount", "--", "sh", "-c"],
  'mount --rbind / /mnt && exec unshare --root=/mnt --wd="$PWD" -- "$@"',
  "sh",
];
const COLUMNS: Readonly<Record<string, { readonly start: readonly string[]; readonly args: readonly string[] }>> = {
  "kernel+": { start: [], args: ["--sandbox", "kernel"] },
  kernel: { start: CHROOT, args: ["--sandbox", "kernel"] },
  off: { start: [], args: ["--sandbox", "off", "--allow-run"] },
};

/** Exit code of each script, run by a sub-agent while another one works in a scope of its own. */
async function attack(level: string): Promise<ReadonlyMap<string, number>> {
  const nonce = crypto.randomUUID().replaceAll("-", "").slice(0, 12);
  const sub = (prompt: string, write: string) => ({
    name: "task",
    args: { description: "part", prompt, write: [write] },
  });
  const bash = (command: string) => ({ name: "bash", args: { command, timeout: 120 } });
  const scripts = [...Deno.readDirSync(SCRIPTS)].map(({ name }) => name);
  const files = Object.fromEntries(
    scripts.map((name) => [`.attacks/${name}`, Deno.readTextFileSync(join(SCRIPTS, name))]),
  );
  const results = new Map<string, number>();
  const { start, args } = COLUMNS[level]!; // of the table above
  await inWorkspace(
    { ...files, "a/file": "a\n", "a/victim": "v\n", "a/moved": "m\n", "b/file": "b\n" },
    async ({ ws, home }) => {
      const model = cassette(home, [
        { calls: [bash('git init -q .; echo "PARENT_TMP=$TMPDIR" > parent.env')] },
        { calls: [sub("Sub-agent A works", "a"), sub("Sub-agent B attacks", "b")] },
        { conversation: "Sub-agent A", calls: [bash(`NONCE=${nonce}\n${VICTIM}`)] },
        { conversation: "Sub-agent A", text: "done" },
        { conversation: "Sub-agent B", calls: [bash(ATTACK)] },
        { conversation: "Sub-agent B", text: "done" },
        { text: "end" },
      ]);
      const program = { name: level, command: [...start, ...LAZY_SOURCE.command] };
      const words = [...args, "--tools", "bash,read,task", "--mode", "json", "-m", `replay:${model}`, "go"];
      const running = run(program, words, { cwd: ws, env: { HOME: home } });
      let isOver = false;
      void running.finally(() => isOver = true);
      await until(() => isOver || exists(`${ws}/a/facts.env`));
      if (!isOver) {
        const facts = [
          ...["a/facts.env", "parent.env"].map((name) => Deno.readTextFileSync(`${ws}/${name}`).trim()),
          `NONCE=${nonce}`,
          `VICTIM=${await victimOf(nonce)}`,
          `SESSIONS=${home}/.sandpiper/agent/sessions`,
        ];
        Deno.writeTextFileSync(`${ws}/facts.tmp`, facts.join("\n") + "\n");
        Deno.renameSync(`${ws}/facts.tmp`, `${ws}/facts.env`);
      }
      const { stdout, stderr } = await running;
      const lines = events(stdout);
      for (const { type, event } of lines) {
        if (type !== "subagent_event" || event.type !== "tool_execution_end") continue;
        for (const [, name = "", code] of event.result.content[0].text.matchAll(/^RESULT (\S+) (\d+)$/gm)) {
          results.set(name, Number(code));
        }
      }
      assertEquals(results.size, scripts.length, stderr + stdout.slice(-3000));
      assertEquals(lines.at(-1).sandbox.level, level);
      if (level === "off") return;
      const left = [...Deno.readDirSync(`${ws}/a`)].map(({ name }) => name).sort();
      assertEquals(left, ["facts.env", "file", "moved", "pipe", "victim"]);
      assertEquals(Deno.readTextFileSync(`${ws}/a/file`), "a\n");
    },
  );
  return results;
}

/** The number that the machine gives to the process that holds all of the first sub-agent's things. */
async function victimOf(nonce: string): Promise<number> {
  let found = 0;
  await until(async () => {
    const { stdout } = await new Deno.Command("grep", { args: ["-lsaF", nonce, ...processes("cmdline")] }).output();
    for (const path of new TextDecoder().decode(stdout).split("\n")) {
      const [, number] = /^\/proc\/(\d+)\/cmdline$/.exec(path) ?? [];
      const comm = number &&
        (await new Deno.Command("cat", { args: [`/proc/${number}/comm`], stderr: "null" }).output()).stdout;
      if (comm && new TextDecoder().decode(comm).startsWith("python3")) found = Number(number);
    }
    return found !== 0;
  });
  return found;
}

/** A file of each process. */
function processes(file: string): string[] {
  const { stdout } = new Deno.Command("ls", { args: ["/proc"] }).outputSync();
  return new TextDecoder().decode(stdout).split("\n").filter((name) => /^\d+$/.test(name)).map((name) =>
    `/proc/${name}/${file}`
  );
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).size > 0;
  } catch {
    return false;
  }
}

/** Without mounts no rule covers attributes of what the user owns: docs/known-gaps.md, At level kernel. */
const OPEN: Readonly<Record<string, readonly string[]>> = { kernel: ["agents-mode", "agents-time"] };

for (const level of CONFINED) {
  // Only root may change its root folder.
  const ignore = level === "kernel" && Deno.uid() !== 0;
  Deno.test({
    ...needs(
      ["python3"],
      `sub-agents at ${level}: none reaches into the scope of another one, or to its processes`,
      ignore,
      true,
    ),
    fn: async () => {
      const results = await attack(level);
      assertEquals([...results].filter(([, code]) => code === 0).map(([name]) => name), OPEN[level] ?? []);
    },
  });
}

Deno.test({
  ...needs(
    ["python3"],
    "sub-agents without a sandbox: each of these attacks works, so that none of them proves nothing",
  ),
  fn: async () => {
    const results = await attack("off");
    const held = [...results].filter(([, code]) => code !== 0 && code !== 77).map(([name]) => name);
    // Whether one may attach to a process that is no child of its own is the machine's (Yama), not the sandbox's.
    assertEquals(held.filter((name) => name !== "agents-ptrace"), []);
    assert(results.size > 20);
  },
});
