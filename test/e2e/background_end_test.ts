// What background commands change around the end of a run with -p is in its report: they have ended before the last scan.
import { assertEquals, assertMatch } from "@std/assert";
import { cassette, inWorkspace, PROGRAM, run } from "../helpers/program.ts";
import { CONFINED, exists } from "../sandbox/shell_fixture.ts";

const PYTHON = "/usr/bin/python3";
/** Plants a file when it is told to end, before that at odd moments, or out of a process that left its parent's tree. */
const COMMANDS: Readonly<Record<string, string>> = {
  "when it is told to end": `trap 'echo evil > planted; exit' TERM; touch up; while :; do sleep 0.05; done`,
  "although it is told to end": `trap '' TERM; touch up; while :; do echo evil > planted; rm -f planted; done`,
  "again and again": `touch up; while :; do echo evil > planted; sleep 0.01; rm -f planted; sleep 0.01; done`,
  "from a process in another session":
    `touch up; setsid bash -c 'trap "" TERM HUP; sleep 0.3; echo evil > planted; sleep 100' & wait`,
  "from an orphan":
    `(setsid nohup bash -c 'trap "echo evil > planted" TERM; while :; do sleep 0.1; done' > /dev/null 2>&1 &) ; touch up; sleep 100`,
  "in a file that was there": `trap 'echo evil >> kept; exit' TERM; touch up; while :; do sleep 0.05; done`,
  "by removing a file": `trap 'rm kept; exit' TERM; touch up; while :; do sleep 0.05; done`,
  "deep in the tree": `touch up; trap 'echo evil > d/20/x/planted; exit' TERM; while :; do sleep 0.05; done`,
  ...(exists(PYTHON)
    ? {
      "when it sees that a scan begins": `cat > dodge.py <<'PY'
import ctypes, os, select, struct
libc = ctypes.CDLL(None, use_errno=True); fd = libc.inotify_init1(0)
root = libc.inotify_add_watch(fd, b'.', 0x20); own = libc.inotify_add_watch(fd, b's', 0x10)
open('up', 'w').close(); is_up = False
while 1:
  b = os.read(fd, 65536); at = 0
  while at < len(b):
    wd, mask, _, n = struct.unpack_from('iIII', b, at); at += 16 + n
    if not mask & 0x40000000: continue
    if wd == root and is_up: os.path.exists('s/planted') and os.unlink('s/planted'); is_up = False
    elif wd == own and not is_up: open('s/planted', 'w').write('evil'); is_up = True
PY
exec ${PYTHON} dodge.py`,
    }
    : {}),
};

if (CONFINED.length > 0) {
  for (const [how, command] of Object.entries(COMMANDS)) {
    Deno.test(`a background command that plants a file ${how} does not get it past the last scan`, async () => {
      await inWorkspace({}, async ({ ws, home }) => {
        Deno.writeTextFileSync(`${ws}/kept`, "mine\n");
        for (const name of ["s", "d/10/x", "d/20/x", "d/30/x"]) Deno.mkdirSync(`${ws}/${name}`, { recursive: true });
        const bash = (text: string, more: object = {}) => ({ name: "bash", args: { command: text, ...more } });
        const file = cassette(home, [
          { calls: [bash(command, { background: true })] },
          { calls: [bash("until [ -e up ]; do sleep 0.02; done; sleep 0.2")] },
          { text: "done" },
        ]);
        const before = snapshot(ws);
        const options = ["--fail-on", "change", "--report", `${home}/r.json`, "-m", `replay:${file}`];
        const { code, stderr } = await run(PROGRAM, ["-p", ...options, "go"], { cwd: ws, env: { HOME: home } });
        const after = snapshot(ws);
        const report = JSON.parse(Deno.readTextFileSync(`${home}/r.json`));
        const told = (report.changes ?? { files: [] }).files.map(({ path }: { readonly path: string }) => path).sort();
        const changed = [...new Set([...before.keys(), ...after.keys()])].filter((path) =>
          before.get(path) !== after.get(path)
        ).sort();
        assertEquals(told, changed, stderr);
        assertEquals(code, 5, stderr);
        assertMatch(stderr, /b1 ran in the background and was ended with the session/);
        const undone = await run(PROGRAM, ["undo"], { cwd: ws, env: { HOME: home } });
        assertEquals([undone.code, Object.fromEntries(snapshot(ws))], [0, Object.fromEntries(before)], undone.stderr);
      });
    });
  }
}

/** Shows good files for the time of a check, and evil ones before and after it. */
const DODGE = `echo evil > kept; touch up; until [ -e begun ]; do sleep 0.01; done; echo mine > kept; touch shown
  until [ -e checked ]; do sleep 0.01; done; echo evil > kept; touch over; sleep 100`;
/** Waits for the dodge, where that runs. */
const CHECK = `touch begun; [ -e over ] || until [ -e shown ]; do sleep 0.01; done; grep -q mine kept; code=$?
  touch checked; until [ -e over ]; do sleep 0.01; done; exit $code`;

for (const mode of CONFINED.length > 0 ? ["text", "json"] : []) {
  Deno.test(`a check does not pass for files that a background command shows it alone, in mode ${mode}`, async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      Deno.writeTextFileSync(`${ws}/kept`, "mine\n");
      const bash = (text: string, more: object = {}) => ({ name: "bash", args: { command: text, ...more } });
      const file = cassette(home, [
        { calls: [bash(DODGE, { background: true })] },
        { calls: [bash("until [ -e up ]; do sleep 0.02; done")] },
        { text: "done" },
        { text: "done" },
      ]);
      const options = [
        "--require",
        CHECK,
        "--require-tries",
        "1",
        "--report",
        `${home}/r.json`,
        "-m",
        `replay:${file}`,
      ];
      const { code, stderr } = await run(PROGRAM, ["-p", "--mode", mode, ...options, "go"], {
        cwd: ws,
        env: { HOME: home },
      });
      assertEquals([code, Deno.readTextFileSync(`${ws}/kept`)], [5, "evil\n"], stderr);
      const { checks } = JSON.parse(Deno.readTextFileSync(`${home}/r.json`));
      assertEquals(checks.map(({ passed }: { readonly passed: boolean }) => passed), [false]);
    });
  });
}

if (CONFINED.length > 0) {
  Deno.test("checks that hold without the background commands hold", async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      const file = cassette(home, [
        { calls: [{ name: "bash", args: { command: "sleep 100", background: true } }] },
        { text: "done" },
      ]);
      const options = ["--require", "true", "--require", "test -d .", "--report", `${home}/r.json`];
      const { code, stderr } = await run(PROGRAM, ["-p", ...options, "-m", `replay:${file}`, "go"], {
        cwd: ws,
        env: { HOME: home },
      });
      assertEquals(code, 0, stderr);
      assertMatch(stderr, /b1 ran in the background and was ended with the session/);
    });
  });
}

/** The text of each file below a directory. */
function snapshot(folder: string, prefix = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name, isDirectory } of Deno.readDirSync(`${folder}/${prefix}`)) {
    const path = `${prefix}${name}`;
    if (isDirectory) { for (const [inner, text] of snapshot(folder, `${path}/`)) found.set(inner, text); }
    else found.set(path, Deno.readTextFileSync(`${folder}/${path}`));
  }
  return found;
}
