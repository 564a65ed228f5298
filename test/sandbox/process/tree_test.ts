import { assert, assertEquals } from "@std/assert";
import { killTree } from "../../../src/sandbox/process/end_tree.ts";
import { becomeSubreaper, expectTree, keepProcess, openTree } from "../../../src/sandbox/process/tree.ts";
import { childrenOfThread, numbersIn, readProc, statOf } from "../../../src/sandbox/system/procfs.ts";
import { until } from "../../helpers/until.ts";
import { processesWith } from "../shell_fixture.ts";

function start(script: string): Deno.ChildProcess {
  becomeSubreaper();
  // Or an orphan that comes before the tree is opened would count as somebody else's.
  expectTree();
  const child = new Deno.Command("/bin/bash", {
    args: ["-c", script],
    stdin: "null",
    stdout: "null",
    stderr: "null",
    detached: true,
  }).spawn();
  keepProcess(child);
  return child;
}

const linux = { ignore: Deno.build.os !== "linux" };

Deno.test("statOf() tells parent, group, session and memory of a process", linux, async () => {
  const child = start("exec -a 'a) Z 1 (name' sleep 30");
  await until(() => readProc(`/proc/${child.pid}/cmdline`)?.startsWith("a)") ?? false);
  const { residentPages, start: startTicks, ...rest } = statOf(child.pid) ?? { residentPages: 0, start: 0 };
  assertEquals(rest, {
    pid: child.pid,
    parent: Deno.pid,
    group: child.pid,
    session: child.pid,
    zombie: false,
    threads: 1,
  });
  assert(residentPages > 10);
  assert(startTicks > 0);
  child.kill("SIGKILL");
  await child.status;
  assertEquals(statOf(child.pid), undefined);
});

Deno.test("numbersIn() lists processes, and nothing of a folder that is gone", linux, () => {
  assert(numbersIn("/proc").includes(Deno.pid));
  assert(numbersIn(`/proc/${Deno.pid}/task`).length > 1);
  assertEquals(numbersIn("/proc/0/fd"), []);
});

Deno.test("expectTree() reaps what was orphaned and ended after its call, and nobody else's", linux, async () => {
  // As a command's processes are; one that another part of the program has left is its own.
  const child = start("setpriv --no-new-privs sleep 0.2 & exit 0");
  const foreign = start("sleep 0.2 & exit 0");
  const other = new Deno.Command("true").spawn();
  await Promise.all([child.status, foreign.status]);
  const orphans = (of: number): number[] =>
    (childrenOfThread(Deno.pid, Deno.pid) ?? []).filter((pid) => statOf(pid)?.session === of);
  await until(() =>
    [child, foreign].every(({ pid }) => orphans(pid).length > 0 && orphans(pid).every((one) => statOf(one)?.zombie))
  );
  expectTree();
  assertEquals(orphans(child.pid), []);
  assertEquals(orphans(foreign.pid).length, 1);
  assertEquals((await other.status).code, 0);
});

Deno.test("openTree() finds children of children and of the orphaned", linux, async () => {
  // The last word keeps each shell from becoming its only child.
  const child = start("( ( setsid sleep 31 & ) & )\n bash -c 'sleep 32 & sleep 33; :' &\n sleep 34; :");
  const tree = openTree(child.pid);
  const sleeping = (): string[] =>
    tree.members().map(({ pid }) => (readProc(`/proc/${pid}/cmdline`) ?? "").split("\0").slice(0, 2).join(" "))
      .filter((line) => line.startsWith("sleep")).sort();
  try {
    await until(() => sleeping().length === 4);
    assertEquals(sleeping(), ["sleep 31", "sleep 32", "sleep 33", "sleep 34"]);
    assertEquals(tree.members()[0]?.pid, child.pid);
  } finally {
    assertEquals(await killTree(tree), 0);
    assertEquals(tree.members().filter((process) => !process.zombie), []);
    assertEquals((await child.status).signal, "SIGKILL");
    tree.close();
  }
});

Deno.test("openTree() counts what it finds, no further than is asked", linux, async () => {
  const child = start("( ( setsid sleep 35 & ) & )\n bash -c 'sleep 36 & sleep 37; :' &\n sleep 38; :");
  const tree = openTree(child.pid);
  try {
    await until(() => tree.members().filter(({ pid }) => readProc(`/proc/${pid}/comm`) === "sleep\n").length === 4);
    const members = tree.members().map(({ pid }) => pid);
    assertEquals([...tree.pids()].sort(), members.sort());
    assertEquals([0, 1, 3, members.length, Infinity].map((most) => tree.count(most)), [
      1,
      2,
      4,
      members.length,
      members.length,
    ]);
  } finally {
    assertEquals(await killTree(tree), 0);
    await child.status;
    tree.close();
  }
  assertEquals(tree.count(Infinity), 0);
});

Deno.test("openTree() gives each process before its children are looked up", linux, async () => {
  const child = start("bash -c 'bash -c \"sleep 39; :\"; :'; :");
  const tree = openTree(child.pid);
  try {
    await until(() => tree.members().length === 4);
    const pids = tree.pids();
    assertEquals(pids.next().value, child.pid);
    const [inner] = childrenOfThread(child.pid, child.pid) ?? [];
    Deno.kill(Number(inner), "SIGKILL");
    // The shell sees its end, and has no child any more, or its orphan.
    await until(() => statOf(Number(inner)) === undefined);
    assert(!pids.toArray().includes(Number(inner)));
  } finally {
    await killTree(tree);
    await child.status;
    tree.close();
  }
});

Deno.test("openTree() finds what other threads of a process have started", linux, async () => {
  const script =
    "import subprocess, threading, time\nthreading.Thread(target=lambda: subprocess.run(['sleep', '41'])).start()";
  const child = start(`command -v python3 >/dev/null || exec -a 'sleep' sleep 41; exec python3 -c "${script}"`);
  const tree = openTree(child.pid);
  const names = (): string[] => [...tree.pids()].map((pid) => readProc(`/proc/${pid}/comm`) ?? "");
  try {
    await until(() => names().includes("sleep\n"));
  } finally {
    await killTree(tree);
    await child.status;
    tree.close();
  }
});

Deno.test("openTree() reaps what nobody awaits and nothing else", linux, async () => {
  const children = (): number[] => childrenOfThread(Deno.pid, Deno.pid) ?? [];
  const before = children();
  const child = start("setsid -f sleep 0.05; sleep 0.1");
  const tree = openTree(child.pid);
  assertEquals((await child.status).code, 0);
  const orphans = children().filter((pid) => !before.includes(pid) && pid !== child.pid);
  assertEquals(orphans.length, 1);
  await until(() => orphans.every((pid) => statOf(pid)?.zombie === true));
  assertEquals(tree.members(), []);
  assertEquals(children().filter((pid) => !before.includes(pid)), []);
  tree.close();
});

Deno.test("killTree() outruns processes that fork all the time", linux, async () => {
  const mark = `mark-${Deno.pid}`;
  const child = start(
    `for i in 1 2 3 4 5 6; do ( while :; do setsid -f bash -c 'sleep 0.3; : ${mark}'; done ) & done; wait`,
  );
  const tree = openTree(child.pid);
  await until(() => tree.members().length > 20);
  const begin = performance.now();
  assertEquals(await killTree(tree), 0);
  assert(performance.now() - begin < 30_000, `${performance.now() - begin} ms`);
  assertEquals(processesWith(mark), []);
  await child.status;
  tree.close();
});
