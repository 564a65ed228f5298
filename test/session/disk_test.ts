// Disks that really are full, read-only or gone. Mounting one takes the rights of root in a machine that allows it.
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { buildContext } from "../../src/session/context.ts";
import { loadSession } from "../../src/session/load.ts";
import { createSession } from "../../src/session/store.ts";
import { openSession } from "../../src/session/reopen.ts";
import { until } from "../helpers/until.ts";
import { inWorld, reply, said, user, type World, worldIn } from "./world.ts";

function mount(...args: readonly string[]): string | undefined {
  const { code, stderr } = new Deno.Command("mount", { args: [...args] }).outputSync();
  return code === 0 ? undefined : new TextDecoder().decode(stderr).trim();
}

/** Runs `body` with a disk of 256 KiB; says why when there is none. */
function onSmallDisk(world: World, body: (disk: string) => void): void {
  const disk = join(world.folder, "disk");
  Deno.mkdirSync(disk);
  const problem = mount("-t", "tmpfs", "-o", "size=256k", "sandpiper-test", disk);
  if (problem !== undefined) return console.log(`not tested, no disk can be mounted here: ${problem}`);
  try {
    body(disk);
  } finally {
    new Deno.Command("umount", { args: ["--lazy", disk] }).outputSync();
  }
}

Deno.test("append() on a full disk is told once, keeps the file whole and goes on in memory R333", () => {
  inWorld((world) =>
    onSmallDisk(world, (disk) => {
      const session = createSession({ cwd: "/w", folder: disk }, world);
      let kept = 0;
      for (let i = 0; i < 60; i++) {
        session.append(said(i % 2 === 0 ? user("x".repeat(9_999)) : reply("y".repeat(9_999))));
        session.sync();
        if (world.failures.length === 0) kept++;
      }
      assertEquals(world.failures.map(({ why }) => why), ["the disk is full"]);
      assert(kept > 5 && kept < 30, String(kept));
      assertEquals([session.entries().length, buildContext(session).messages.length], [60, 60]);
      const { entries, notices } = loadSession(session.path!);
      assertEquals([entries, notices], [session.entries().slice(0, kept), []]);
      session.close();
      assertEquals([...Deno.readDirSync(disk)].length, 1);
    })
  );
});

Deno.test("createSession() on a disk that is full from the start leaves no half of a file R333", () => {
  inWorld((world) =>
    onSmallDisk(world, (disk) => {
      Deno.mkdirSync(join(disk, "sessions"));
      try {
        Deno.writeFileSync(join(disk, "fill"), new Uint8Array(1024 * 1024));
      } catch {
        // Full: as it should be.
      }
      const session = createSession({ cwd: "/w", folder: join(disk, "sessions") }, world);
      session.append(said(user("x".repeat(9_999))));
      session.append(said(reply("y")));
      assertEquals([world.failures.map(({ why }) => why), session.path], [["the disk is full"], undefined]);
      assertEquals(buildContext(session).messages.length, 2);
      session.close();
      assertEquals([...Deno.readDirSync(join(disk, "sessions"))], []);
    })
  );
});

Deno.test("a session on a disk that became read-only is readable and goes on in memory R333", () => {
  inWorld((world) =>
    onSmallDisk(world, (disk) => {
      const first = createSession({ cwd: "/w", folder: disk }, world);
      first.append(said(user("a")));
      first.close();
      assertEquals(mount("-o", "remount,ro", disk), undefined);
      const before = Deno.readFileSync(first.path!);
      const session = openSession(first.path!, world);
      assertEquals(world.failures.map(({ why }) => why), ["the file system is read-only"]);
      session.append(said(reply("b")));
      assertEquals(buildContext(session).messages, [user("a"), reply("b")]);
      session.close();
      assertEquals(Deno.readFileSync(first.path!), before);
      const fresh = createSession({ cwd: "/w", folder: join(disk, "new") }, world);
      fresh.append(said(user("c")));
      assertEquals([world.failures.length, fresh.path, fresh.entries().length], [2, undefined, 1]);
      fresh.close();
    })
  );
});

Deno.test("append() after the folder was removed is told once and goes on in memory", () => {
  inWorld((world) => {
    const folder = join(world.folder, "s");
    const session = createSession({ cwd: "/w", folder }, world);
    session.append(said(user("a")));
    Deno.removeSync(folder, { recursive: true });
    session.append(said(reply("b")));
    assertEquals(world.failures.map(({ why }) => why), ["the file or its folder was removed"]);
    session.append(said(user("c")));
    session.sync();
    assertEquals(world.failures.length, 1);
    assertEquals(session.entries().length, 3);
    session.close();
  });
});

Deno.test("append() waits for the disk at words of a person, syncSoon() lets it work meanwhile, and sync() waits R323", async () => {
  const folder = Deno.makeTempDirSync();
  const { syncDataSync, syncData } = Deno.FsFile.prototype;
  const calls: string[] = [];
  // What a disk did cannot be seen; what it was asked for can.
  Deno.FsFile.prototype.syncDataSync = function () {
    calls.push("waited");
    return syncDataSync.call(this);
  };
  Deno.FsFile.prototype.syncData = function () {
    calls.push("begun");
    return syncData.call(this);
  };
  const assertCalls = async (expected: readonly string[], action: () => void): Promise<void> => {
    calls.length = 0;
    action();
    await until(() => calls.length >= expected.length);
    await new Promise((resolve) => setTimeout(resolve, 30));
    assertEquals(calls, expected);
  };
  try {
    const session = createSession({ cwd: "/w", folder }, worldIn(folder));
    await assertCalls(["waited"], () => session.append(said(user("a"))));
    await assertCalls([], () => session.append(said(reply("b"))));
    await assertCalls(["begun"], () => session.syncSoon());
    await assertCalls([], () => session.syncSoon());
    await assertCalls([], () => session.sync());
    await assertCalls(["waited"], () => session.append(said(user("c"))));
    session.append(said(reply("d")));
    await assertCalls(["waited"], () => {
      session.syncSoon();
      session.sync(); // before the other has begun
    });
    session.close();
  } finally {
    Object.assign(Deno.FsFile.prototype, { syncDataSync, syncData });
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("syncSoon() tells with the next line what failed meanwhile, once, and goes on in memory R333", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    const world = worldIn(folder);
    const session = createSession({ cwd: "/w", folder }, world);
    session.append(said(user("a")));
    session.append(said(reply("b")));
    // Still there under another name, so that only the handle of the background finds it missing.
    Deno.renameSync(session.path!, join(folder, "other"));
    session.syncSoon();
    let lines = 2;
    await until(() => {
      assertEquals(world.failures, []);
      lines++;
      session.append(said(reply("c")));
      return world.failures.length > 0;
    });
    assertEquals(world.failures.map(({ why }) => why), ["the file or its folder was removed"]);
    session.syncSoon();
    session.sync();
    session.close();
    assertEquals([world.failures.length, session.entries().length], [1, lines]);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("syncSoon() is taken over by sync() and by close(), and lines go on while it works", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    const world = worldIn(folder);
    const session = createSession({ cwd: "/w", folder }, world);
    for (let turn = 0; turn < 50; turn++) {
      session.append(said(user("a")));
      session.append(said(reply("b".repeat(turn * 100))));
      session.syncSoon();
      if (turn % 3 === 0) session.sync();
      if (turn % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      session.append(said(reply("c")));
    }
    session.syncSoon();
    session.close();
    assertEquals([world.failures, loadSession(session.path!).entries], [[], [...session.entries()]]);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("a process without permission to write keeps its session in memory and says so R333", () => {
  inWorld((world) => {
    const source = `
      import { untouchedFiles } from ${
      JSON.stringify(new URL("../../src/sandbox/names/named_files.ts", import.meta.url).href)
    };
      import { createSession } from ${JSON.stringify(new URL("../../src/session/store.ts", import.meta.url).href)};
      const onFailure = ({ why, fix }) => console.log(why + "|" + fix);
      const session = createSession({ cwd: "/w", folder: Deno.args[0] }, { now: Date.now, random: Math.random, files: untouchedFiles, onFailure });
      session.append({ type: "message", message: { role: "user", content: "a", timestamp: 1 } });
      session.append({ type: "message", message: { role: "user", content: "b", timestamp: 1 } });
      session.close();
      console.log(session.entries().length);
    `;
    const script = join(world.folder, "script.ts");
    Deno.writeTextFileSync(script, source);
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const { stdout, stderr } = new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", "--no-check", "--allow-read", "--config", config, script, join(world.folder, "s")],
    }).outputSync();
    const [line = "", count] = new TextDecoder().decode(stdout).trim().split("\n");
    assertEquals(
      [line.split("|")[0], count],
      ["this program itself may not write there", "2"],
      new TextDecoder().decode(stderr),
    );
  });
});
