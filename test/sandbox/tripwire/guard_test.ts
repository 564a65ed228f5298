import { assertEquals } from "@std/assert";
import { killTree } from "../../../src/sandbox/process/end_tree.ts";
import { becomeSubreaper, keepProcess, openTree, type Tree } from "../../../src/sandbox/process/tree.ts";
import { readProc } from "../../../src/sandbox/system/procfs.ts";
import { openProtectedGuard } from "../../../src/sandbox/tripwire/guard.ts";
import type { Tripwire } from "../../../src/sandbox/tripwire/tripwire.ts";
import { until } from "../../helpers/until.ts";

const linux = { ignore: Deno.build.os !== "linux" };

/** A tripwire that writes down what is asked of it. */
function recorder(
  touched: () => boolean,
  seen: () => string = () => "",
): { readonly wire: Tripwire; readonly log: string[] } {
  const log: string[] = [];
  return {
    log,
    wire: {
      arm: () => void log.push("arm"),
      isTouched: touched,
      restore(quiet) {
        log.push(`restore ${quiet}${seen()}`);
        return [`line ${log.length}`];
      },
      made: () => [],
      close: () => void log.push("close"),
    },
  };
}

function start(program: string, ...args: string[]): { readonly tree: Tree; readonly end: () => Promise<void> } {
  becomeSubreaper();
  const child = new Deno.Command(program, { args, stdin: "null", detached: true }).spawn();
  keepProcess(child);
  const tree = openTree(child.pid);
  return {
    tree,
    end: async () => {
      await killTree(tree);
      await child.status;
      tree.close();
    },
  };
}

const sleeper = (): ReturnType<typeof start> => start("/bin/sleep", "60");

Deno.test("openProtectedGuard() takes what is there for the user's only while nothing runs", linux, async () => {
  const { wire, log } = recorder(() => false);
  const guard = openProtectedGuard(() => wire);
  const [one, two] = [sleeper(), sleeper()];
  try {
    guard.begin();
    guard.add(one.tree);
    guard.begin();
    guard.add(two.tree);
    guard.end(one.tree, 0);
    guard.begin();
    guard.end(two.tree, 0);
    guard.begin();
    guard.close();
    assertEquals(log, ["arm", "arm", "close"]);
    assertEquals(guard.notes(), []);
  } finally {
    await Promise.all([one.end(), two.end()]);
  }
});

Deno.test(
  "openProtectedGuard() lets what still runs stand still while it restores, and go on afterwards",
  linux,
  async () => {
    // More than there are processors: a signal reaches those that wait for one only when it is their turn.
    const background = start("/bin/bash", "-c", "for i in 1 2 3 4 5 6 7 8; do while :; do :; done & done; wait");
    const states = (): string => {
      const texts = background.tree.members().map(({ pid }) => readProc(`/proc/${pid}/stat`) ?? "");
      return [...new Set(texts.map((text) => text.replace(/^.*\) (.).*$/s, "$1")))].sort().join();
    };
    await until(() => background.tree.members().length === 9);
    const { wire, log } = recorder(() => true, () => ` while they are ${states()}`);
    const guard = openProtectedGuard(() => wire);
    const call = sleeper();
    try {
      guard.begin();
      guard.add(background.tree);
      guard.add(call.tree);
      await call.end();
      guard.end(call.tree, 0);
      assertEquals(log, ["arm", "restore true while they are T"]);
      await until(() => states().startsWith("R"));
      assertEquals([guard.notes(), guard.notes()], [["line 2"], []]);
    } finally {
      await background.end();
    }
  },
);

Deno.test("openProtectedGuard() restores nothing any more after a process that nobody could end", linux, async () => {
  const { wire, log } = recorder(() => true);
  const guard = openProtectedGuard(() => wire);
  const [one, two] = [sleeper(), sleeper()];
  try {
    guard.begin();
    guard.add(one.tree);
    guard.end(one.tree, 1);
    guard.begin();
    guard.add(two.tree);
    guard.end(two.tree, 0);
    guard.begin();
    assertEquals(log, ["arm", "restore false", "restore false"]);
  } finally {
    await Promise.all([one.end(), two.end()]);
  }
});
