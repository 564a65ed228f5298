// Floods of processes, and of memory that nobody maps, while other programs keep every processor busy, which is when looking
// at them takes longest. On a machine that others keep busy, too, a flood must end, but may have begun more.
//
// Each flood is bounded in itself, so that nobody suffers where a defence is missing: it forks no more than MOST times,
// and not after LAST_MS; it takes no more than HOARD_MIB, for half a second.
import process from "node:process";
import { assertEquals, assertLess, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { taskLimit } from "../../../src/sandbox/policy/limits.ts";
import { asOrdinaryUser } from "../ordinary_user.ts";
import { CONFINED, processesWith, withShell } from "../shell_fixture.ts";
import { needs } from "../../helpers/needs.ts";

const PROCESSORS = navigator.hardwareConcurrency;
/** More processors fork more until anybody can have seen it. */
const MOST = 1_500 * Math.min(4, Math.max(1, PROCESSORS / 2));
const LAST_MS = 2_000;
/** How many a tree may have in these tests. */
const PROCESSES = 100;
/** More than the kernel lets a tree have, and fewer than the watchdog does. */
const THREADS = 1_000;
const TASKS = taskLimit({ processes: PROCESSES }, PROCESSORS);

/** What a tree may have in these tests, and what one of them takes in eight files in memory, mebibytes. */
const MEMORY_MIB = 256;
const HOARD_MIB = 512;

/** Leaves one byte for each fork in a file, before it. `each` is run by parent (`child` > 0) and child after it. */
function flood(each: string): string {
  return `import os, time
last = time.monotonic() + ${LAST_MS / 1000}
forks = os.open("forks", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
is_told = False
while time.monotonic() < last and os.fstat(forks).st_size < ${MOST}:
    if not is_told: os.write(forks, b"x")
    is_told = True
    try:
        child = os.fork()
    except OSError:
        time.sleep(0.01)
        continue
    is_told = False
    ${each}
while time.monotonic() < last: time.sleep(0.5)
`;
}

const FLOODS = [
  { name: "in one session", each: "pass" },
  { name: "each in a session of its own", each: "if child == 0: os.setsid()" },
  { name: "whose parents end", each: "if child == 0: os.setsid()\n    elif os.getpid() % 2: os._exit(0)" },
];

/** A loop on each processor, in a session of its own. */
function busyProcessors(): AsyncDisposable {
  const loops = Array.from({ length: PROCESSORS }, (_, processor) =>
    new Deno.Command("taskset", {
      args: ["-c", String(processor), "bash", "-c", "for (( ; SECONDS < 15; )); do :; done"],
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn());
  return {
    [Symbol.asyncDispose]: async () => {
      for (const loop of loops) {
        try {
          loop.kill("SIGKILL");
        } catch {
          // It has ended by itself: the flood was not ended in time.
        }
        await loop.status;
      }
    },
  };
}

/** What is left of a processor beside one loop on each, and a little: with less, others than this test keep them busy. */
const LEAST_SHARE = 0.3;

/** How much of a processor this process has when it wants all of one: of 100 ms. */
function shareOfProcessor(): number {
  const began = performance.now();
  const before = process.cpuUsage();
  while (performance.now() - began < 100);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (performance.now() - began);
}

const flooded = (name: string) => needs(["taskset", "python3"], name, Deno.build.os !== "linux", true);

for (const level of CONFINED) {
  for (const { name, each } of FLOODS) {
    Deno.test({
      ...flooded(`watch() and killTree() at ${level} end a flood of processes ${name} while all processors are busy`),
      fn: () =>
        withShell(level, async ({ policy, run }) => {
          Deno.writeTextFileSync(`${policy.root}/flood.py`, flood(each));
          // A process waits ahead then, as always but at a session's first command.
          const limit = Number((await run("ulimit -u")).output);
          await using _busy = busyProcessors();
          const hadItsTurn = shareOfProcessor() > LEAST_SHARE;
          const mark = `mark-${Deno.pid}`;
          const { ending, limit: sentence } = await run(`exec python3 flood.py ${mark}`);
          assertEquals(processesWith(mark), []);
          // Where the first process may end by itself, the call may end with it; and the dead are no more in the way.
          if (name === "whose parents end") return;
          assertEquals(ending, "limit");
          assertMatch(sentence ?? "", /^the command had \d+ processes, more than the 100 it may have at once$/);
          // What the kernel refused was tried by every process once, and again where another had just been ended.
          const forks = Deno.statSync(`${policy.root}/forks`).size;
          // How many it begins before it is seen depends on who else wants the processors.
          if (hadItsTurn) assertLess(forks, Math.min(0.9 * MOST, Deno.uid() === 0 ? Infinity : 3 * limit));
        }, { processes: PROCESSES }),
    });
  }

  Deno.test({
    ...flooded(`watch() at ${level} ends a flood of memory that is only held open while all processors are busy`),
    fn: () =>
      withShell(level, async ({ policy, run }) => {
        Deno.writeTextFileSync(
          `${policy.root}/hoard.py`,
          `import os, time
piece = b"x" * 2 ** 20
for _ in range(8):
    file = os.memfd_create("hoard")
    for _ in range(${HOARD_MIB / 8}): os.write(file, piece)
time.sleep(0.5)
`,
        );
        await run("true");
        await using _busy = busyProcessors();
        const { ending, limit } = await run("exec python3 hoard.py");
        assertEquals(ending, "limit");
        assertMatch(limit ?? "", /^the command used [\d.]+MB of memory, more than the 256.0MB it may use$/);
      }, { memoryBytes: MEMORY_MIB * 2 ** 20 }),
  });

  Deno.test({
    ...flooded(`limitTasks() at ${level} bounds a command's processes and threads, whatever the user has besides`),
    fn: () =>
      withShell(level, async ({ policy, run }) => {
        const script = `import os, threading, time
threading.stack_size(65536)
made = 0
try:
    for made in range(${THREADS}): threading.Thread(target=time.sleep, args=(9,)).start()
except RuntimeError: pass
print(made, flush=True)
os._exit(0)`;
        Deno.writeTextFileSync(`${policy.root}/many.py`, script);
        const limit = Number((await run("ulimit -u")).output);
        const made = Number((await run("exec python3 many.py")).output);
        if (level === "kernel+") assertEquals(limit, TASKS);
        // All of the machine's are counted as the user's, or ordinary work would be refused beside them.
        else assertLess(TASKS, limit);
        // The kernel does not count for root.
        if (Deno.uid() === 0) assertEquals(made, THREADS - 1);
        else assertLess(made, limit);
      }, { processes: PROCESSES }),
  });
}

Deno.test("taskLimit() gives a tree some threads for each process and processor", () => {
  const CASES = [
    { processes: 512, processors: 2, tasks: 1024 },
    { processes: 512, processors: 64, tasks: 4096 },
    { processes: 512, processors: 1024, tasks: 8192 },
    { processes: 10, processors: 2, tasks: 128 },
    { processes: 1, processors: 8, tasks: 64 },
  ];
  for (const { processes, processors, tasks } of CASES) assertEquals(taskLimit({ processes }, processors), tasks);
});

asOrdinaryUser("floods of an ordinary user", fromFileUrl(import.meta.url));
