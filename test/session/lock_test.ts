import { assert, assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { numbersIn, readProcLink } from "../../src/sandbox/system/procfs.ts";
import { lockSession, removeLeftLocks } from "../../src/session/lock.ts";
import { createSessionFile } from "../../src/session/session_file.ts";
import { createSession } from "../../src/session/store.ts";
import { openSession } from "../../src/session/reopen.ts";
import { begin, startWriter } from "./start_writer.ts";
import { inWorld, linesOf, refusalOf, reply, said, START, user, worldIn } from "./world.ts";

Deno.test("openSession() of a session that another process writes to says who has it, and opens when that has ended", async () => {
  const folder = Deno.makeTempDirSync();
  const child = startWriter();
  let isRunning = true;
  const end = async (): Promise<void> => {
    if (isRunning) child.kill("SIGKILL");
    isRunning = false;
    await child.status;
  };
  try {
    await begin(child, { folder });
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    const path = new TextDecoder().decode(value).split("\n")[0]?.slice(9) ?? "";
    const world = worldIn(folder);
    const error = refusalOf(() => openSession(path, world));
    assert(error.why.startsWith(`process ${child.pid} has had it open since 20`), error.why);
    const { id } = JSON.parse(Deno.readTextFileSync(path).split("\n")[0] ?? "");
    assertEquals(error.what, `Cannot open session ${id}`);
    assert(error.fix.endsWith(`--fork ${id}`) && error.fix.includes("Wait"), error.fix);
    assertEquals(world.failures, []);
    await reader.cancel();
    await end();
    const session = openSession(path, world); // although the lock file is still there
    session.append(said(user("mine")));
    session.close();
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => join(folder, name)), [path]);
  } finally {
    await end();
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("openSession() of a session that is open in this process is refused, through links too, until it is closed", () => {
  inWorld((world) => {
    const session = createSession({ cwd: "/w", folder: world.folder }, world);
    session.append(said(user("a")));
    const link = join(world.folder, "link.jsonl");
    Deno.symlinkSync(session.path!, link);
    for (const path of [session.path!, link]) {
      assert(refusalOf(() => openSession(path, world)).why.includes(`process ${Deno.pid} `));
    }
    session.append(said(reply("b")));
    session.close();
    const again = openSession(link, world);
    again.append(said(user("c")));
    again.close();
    assertEquals(linesOf(session.path!).length, 4);
  });
});

Deno.test("lockSession() leaves no file open if another has the lock", () => {
  inWorld((world) => {
    const session = createSession({ cwd: "/w", folder: world.folder }, world);
    session.append(said(user("a")));
    const open = (): number =>
      numbersIn("/proc/self/fd").filter((fd) => readProcLink(`/proc/self/fd/${fd}`) === `${session.path}.lock`).length;
    assertEquals(open(), 1);
    for (let at = 0; at < 3; at++) refusalOf(() => openSession(session.path!, world));
    assertEquals(open(), 1);
    session.close();
    assertEquals(open(), 0);
  });
});

Deno.test("lockSession() never writes through a link", () => {
  inWorld((world) => {
    const victim = join(world.folder, "victim");
    Deno.writeTextFileSync(victim, "precious");
    Deno.symlinkSync(victim, join(world.folder, "a.jsonl.lock"));
    assertEquals(
      refusalOf(() => lockSession(join(world.folder, "a.jsonl"), START, world.files)).why,
      "it is not a regular file",
    );
    assertEquals(Deno.readTextFileSync(victim), "precious");
  });
});

Deno.test("lockSession() can be had by one only, however many want it", () => {
  inWorld((world) => {
    const path = join(world.folder, "a.jsonl");
    for (let round = 0; round < 20; round++) {
      const lock = lockSession(path, START, world.files);
      refusalOf(() => lockSession(path, START, world.files));
      lock.release();
      lock.release();
    }
    assertEquals([...Deno.readDirSync(world.folder)], []);
  });
});

Deno.test("lockSession() takes no lock on a file that its holder removed between the open and the lock", () => {
  inWorld((world) => {
    const path = join(world.folder, "a.jsonl");
    const holder = lockSession(path, START, world.files);
    // A process that was being started shares the holder's open file: the lock must not last as long as that has it.
    const shared = duplicate(`${path}.lock`);
    const { tryLockSync } = Deno.FsFile.prototype;
    // The one moment that counts: the file is open here, and its holder ends before the lock is asked for.
    Deno.FsFile.prototype.tryLockSync = function (exclusive) {
      Deno.FsFile.prototype.tryLockSync = tryLockSync;
      holder.release();
      return tryLockSync.call(this, exclusive);
    };
    try {
      const lock = lockSession(path, START, world.files);
      // A lock on the removed file would keep nobody out: the next one would make a file of its own.
      assert(refusalOf(() => lockSession(path, START, world.files)).why.includes(`process ${Deno.pid} `));
      lock.release();
    } finally {
      Deno.FsFile.prototype.tryLockSync = tryLockSync;
      shared[Symbol.dispose]();
    }
    assertEquals([...Deno.readDirSync(world.folder)], []);
  });
});

/** Another descriptor of the file that this process has open at a path, as a process has that was forked from it. */
function duplicate(path: string): Disposable {
  const libc = Deno.dlopen("libc.so.6", {
    dup: { parameters: ["i32"], result: "i32" },
    close: { parameters: ["i32"], result: "i32" },
    // Tests have no permission of Deno for /proc.
    readlink: { parameters: ["buffer", "buffer", "usize"], result: "isize" },
  });
  const pathOf = (descriptor: number): string => {
    const bytes = new Uint8Array(4096);
    const name = new TextEncoder().encode(`/proc/self/fd/${descriptor}\0`);
    const length = Number(libc.symbols.readlink(name, bytes, BigInt(bytes.length)));
    return new TextDecoder().decode(bytes.subarray(0, Math.max(length, 0)));
  };
  const descriptor = Array.from({ length: 1024 }, (_, n) => n).find((n) => pathOf(n) === path);
  const copy = libc.symbols.dup(descriptor ?? -1);
  assert(copy >= 0, `no descriptor of ${path}`);
  return {
    [Symbol.dispose]() {
      libc.symbols.close(copy);
      libc.close();
    },
  };
}

Deno.test("removeLeftLocks() removes the locks of processes that have ended, with the files that they did not complete", () => {
  inWorld((world) => {
    const session = createSession({ cwd: "/w", folder: world.folder }, world);
    session.append(said(user("open")));
    const open = `${session.path}`;
    const names = (): string[] =>
      [...Deno.readDirSync(world.folder)].map(({ name }) => join(world.folder, name)).sort();
    const left = `${world.folder}/0_left.jsonl`;
    for (const [path, text] of [[`${open}.new`, "mine"], [left, "{}"], [`${left}.new`, "{"], [`${left}.lock`, ""]]) {
      Deno.writeTextFileSync(`${path}`, `${text}`);
    }
    removeLeftLocks(world.folder, world.files);
    assertEquals(names(), [left, open, `${open}.lock`, `${open}.new`].sort());
    session.append(said(user("more")));
    session.close();
  });
});

Deno.test("a session's file gets its name when its first lines are complete, and never replaces another file", () => {
  inWorld((world) => {
    const path = join(world.folder, "one.jsonl");
    const create = () => createSessionFile(path, ["{}"], { now: START, files: world.files });
    const file = create();
    assertEquals([...Deno.readDirSync(world.folder)].map(({ name }) => name).sort(), ["one.jsonl", "one.jsonl.lock"]);
    file.close();
    assertThrows(create, Deno.errors.AlreadyExists);
    assertEquals([linesOf(path).length, [...Deno.readDirSync(world.folder)].length], [1, 1]);
  });
});
