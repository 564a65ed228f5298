import { assert, assertEquals } from "@std/assert";
import { loadJournal } from "../../src/changes/journal_file.ts";
import { openPack } from "../../src/changes/pack.ts";
import { fileTimeMs } from "../../src/sandbox/system/file_clock.ts";
import { statusOf } from "../../src/sandbox/system/statx.ts";
import { temporaryName } from "../../src/core/support/replace_file.ts";
import { identityOf, processNamespace } from "../../src/sandbox/system/procfs.ts";
import { ownerPrefix } from "../../src/sandbox/system/temporary_folder.ts";
import { until } from "../helpers/until.ts";
import { callStart, withRecorded } from "./recorded.ts";
import { needs } from "../helpers/needs.ts";

function fill(root: string): void {
  Deno.mkdirSync(`${root}/src`);
  Deno.writeTextFileSync(`${root}/src/a.ts`, "one\n");
  Deno.writeTextFileSync(`${root}/src/b.ts`, "two\n");
}

Deno.test("a folder that was swapped for a link leads undo nowhere", () =>
  withRecorded(fill, async ({ root, top, call, undo }) => {
    await call(() => {
      Deno.writeTextFileSync(`${root}/src/a.ts`, "changed\n");
      Deno.removeSync(`${root}/src/b.ts`);
    });
    const outside = `${top}/outside`;
    Deno.mkdirSync(outside);
    Deno.writeTextFileSync(`${outside}/a.ts`, "changed\n");
    Deno.renameSync(`${root}/src`, `${top}/src`);
    Deno.symlinkSync(outside, `${root}/src`);
    const { steps, left } = await undo({ force: true });
    assertEquals(steps, []);
    assertEquals(left.map(({ path }) => path), ["src/a.ts", "src/b.ts"]);
    assertEquals([...Deno.readDirSync(outside)].map(({ name }) => name), ["a.ts"]);
    assertEquals(Deno.readTextFileSync(`${outside}/a.ts`), "changed\n");
  }));

Deno.test("a folder that is swapped for a link again and again while undo runs leads it nowhere", () =>
  withRecorded(fill, async ({ root, top, call, undo }) => {
    const outside = `${top}/outside`;
    Deno.mkdirSync(outside);
    Deno.writeTextFileSync(`${outside}/a.ts`, "theirs\n");
    await using swapper = swap(`${root}/src`, outside);
    await until(() => swapper.isRunning());
    for (let round = 0; round < 100; round++) {
      await call(() => {
        try {
          Deno.writeTextFileSync(`${top}/apart`, `round ${round}\n`);
          Deno.renameSync(`${top}/apart`, `${root}/own-${round}`);
        } catch {
          // The folder is not there at the moment.
        }
      });
      await undo({ force: true });
      await undo({ to: 1, force: true });
    }
    assertEquals([...Deno.readDirSync(outside)].map(({ name }) => name), ["a.ts"]);
    assertEquals(Deno.readTextFileSync(`${outside}/a.ts`), "theirs\n");
  }));

/** A process that puts a link in a folder's place and takes it away, until it is ended. */
function swap(folder: string, target: string): AsyncDisposable & { readonly isRunning: () => boolean } {
  // What undo puts there meanwhile is not gone into.
  const script = `while :; do mv -T "$0" "$0.real"; ln -sT "$1" "$0"; rm "$0"; mv -T "$0.real" "$0"; : > "$1.on"; done`;
  const child = new Deno.Command("/bin/sh", { args: ["-c", script, folder, target], stderr: "null" }).spawn();
  const isRunning = (): boolean => {
    try {
      return Deno.statSync(`${target}.on`).isFile;
    } catch {
      return false;
    }
  };
  return {
    isRunning,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

Deno.test("what is not kept is said: too large, no room", () =>
  withRecorded(
    (root) => {
      Deno.writeTextFileSync(`${root}/large`, "x".repeat(2000));
      for (const name of ["a", "b", "c"]) Deno.writeTextFileSync(`${root}/${name}`, name.repeat(900));
    },
    async ({ root, told, call, undo }) => {
      await call(() => {
        for (const name of ["large", "a", "b", "c"]) Deno.removeSync(`${root}/${name}`);
      });
      const lost = told.at(-1)?.files.filter(({ notRestorable }) => notRestorable !== undefined) ?? [];
      assertEquals(lost.find(({ path }) => path === "large")?.notRestorable, "it was larger than 1 kB");
      assertEquals(
        lost.filter(({ path }) => path !== "large").map(({ notRestorable }) => notRestorable),
        ["the room for what is kept of the session was used up"],
      );
      const { left, steps } = await undo();
      assertEquals([left.length, left.every(({ isForcible }) => !isForcible), steps.length], [2, true, 2]);
    },
    { limits: { maxFileBytes: 1024 }, maxBytes: 8 + 2 * (36 + 900) },
  ));

Deno.test("a protected path stays as it is, whatever the journal says", () => {
  const closed = new Set<string>();
  return withRecorded(fill, async ({ root, call, undo }) => {
    await call(() => Deno.writeTextFileSync(`${root}/src/a.ts`, "changed\n"));
    closed.add("src");
    const { left, steps } = await undo({ force: true });
    assertEquals([steps, left], [[], [{ path: "src/a.ts", why: "it is protected", isForcible: false }]]);
    assertEquals(Deno.readTextFileSync(`${root}/src/a.ts`), "changed\n");
  }, { isKept: (path) => !closed.has(path) });
});

Deno.test("what only somebody else changed is not touched, and what they did before a call stays", () =>
  withRecorded(fill, async ({ root, recorder, told, call, undo }) => {
    await call(() => Deno.writeTextFileSync(`${root}/new`, "1\n"));
    Deno.writeTextFileSync(`${root}/src/a.ts`, "mine\n");
    Deno.writeTextFileSync(`${root}/src/b.ts`, "mine too\n");
    recorder.runStarts();
    recorder.lookSoon();
    await recorder.settle();
    assertEquals(told.at(-1)?.of, "outside");
    await call(() => Deno.writeTextFileSync(`${root}/src/b.ts`, "theirs\n"));
    assertEquals((await undo()).left, []);
    assertEquals(Deno.readTextFileSync(`${root}/src/b.ts`), "mine too\n");
    const { left } = await undo({ to: 1 });
    assertEquals(left, []);
    assertEquals(Deno.readTextFileSync(`${root}/src/a.ts`), "mine\n");
    assertEquals(Deno.readTextFileSync(`${root}/src/b.ts`), "mine too\n");
  }));

Deno.test("a journal and a pack that were cut off anywhere load, and have all that was whole", () =>
  withRecorded(fill, async ({ top, root, journal, pack, call }) => {
    for (let round = 0; round < 3; round++) {
      await call(() => Deno.writeTextFileSync(`${root}/src/a.ts`, `round ${round}\n`));
    }
    pack.flush();
    const whole = Deno.readFileSync(`${top}/journal.jsonl`);
    const lines = new TextDecoder().decode(whole).split("\n");
    for (let length = 0; length < whole.length; length += 3) {
      Deno.writeFileSync(`${top}/cut.jsonl`, whole.subarray(0, length));
      const loaded = loadJournal(`${top}/cut.jsonl`);
      const newlines = whole.subarray(0, length).filter((byte) => byte === 10).length;
      assertEquals(loaded?.records.length ?? 0, Math.max(0, newlines - 1));
      const isTorn = newlines > 0 && whole[length - 1] !== 10;
      assertEquals(loaded?.notices.length ?? 0, isTorn ? 1 : 0);
    }
    assertEquals(journal.records.length, lines.length - 2);
    const bytes = Deno.readFileSync(`${top}/pack`);
    for (let length = 0; length <= bytes.length; length += 3) {
      Deno.writeFileSync(`${top}/cut.pack`, bytes.subarray(0, length));
      const cut = openPack(`${top}/cut.pack`, 1e6);
      const text = new TextEncoder().encode("after the crash\n");
      const number = cut.add(text);
      assertEquals(number !== undefined && new TextDecoder().decode(cut.read(number)), "after the crash\n");
      for (let one = 0; one < (number ?? 0); one++) cut.read(one);
      cut.close();
    }
  }));

Deno.test("undo reads no file that is larger than what is kept, whatever its size, and says that it was not kept", () =>
  withRecorded(fill, async ({ root, journal, call, undo }) => {
    await call(() => {
      Deno.writeTextFileSync(`${root}/huge`, "x");
      // It takes no room, and is more than can be read into one piece of memory.
      for (const name of ["huge", "src/a.ts"]) Deno.truncateSync(`${root}/${name}`, 2 ** 40);
    });
    const { left, steps } = await undo();
    assertEquals([left, steps.map(({ path, action }) => [path, action])], [[], [["huge", "remove"], [
      "src/a.ts",
      "restore",
    ]]]);
    assertEquals(Deno.readTextFileSync(`${root}/src/a.ts`), "one\n");
    const record = journal.records.at(-1);
    const changes = record?.type === "undo" ? record.changes : [];
    assertEquals(
      changes.map(({ before, lines, isBinary }) => [before.kind === "file" && before.why, lines, isBinary]),
      [["it was larger than 977 kB", undefined, undefined], ["it was larger than 977 kB", undefined, undefined]],
    );
  }));

/** A folder that git takes for a repository when somebody stands in it, with settings. */
function bare(folder: string, settings = "[core]\n\tbare = true\n"): void {
  for (const name of ["objects", "refs"]) Deno.mkdirSync(`${folder}/${name}`, { recursive: true });
  Deno.writeTextFileSync(`${folder}/HEAD`, "ref: refs/heads/main\n");
  Deno.writeTextFileSync(`${folder}/config`, settings);
}

const OBEYED = "[core]\n\tfsmonitor = touch pwned\n";

Deno.test("undo puts nothing into a repository, nor makes one of what was none", () =>
  withRecorded((root) => bare(`${root}/srv`), async ({ root, call, undo }) => {
    const text = (path: string): string => Deno.readTextFileSync(`${root}/${path}`);
    await call(() => {
      bare(`${root}/made`, OBEYED);
      // No repository yet.
      bare(`${root}/half`, OBEYED);
      Deno.removeSync(`${root}/half/HEAD`);
    });
    await call(() => {
      Deno.writeTextFileSync(`${root}/made/config`, "[core]\n");
      Deno.removeSync(`${root}/half/config`);
      Deno.writeTextFileSync(`${root}/half/HEAD`, "ref: refs/heads/main\n");
      Deno.writeTextFileSync(`${root}/srv/HEAD`, "ref: refs/heads/other\n");
      Deno.writeTextFileSync(`${root}/srv/objects/new`, "an object of what HEAD names\n");
    });
    Deno.writeTextFileSync(`${root}/half/HEAD`, "ref: refs/heads/foreign\n");
    const { left, steps } = await undo({ to: 2 });
    assertEquals([steps, new Set(left.map(({ why }) => why))], [[], new Set(["it is git's own", FOREIGN])]);
    assertEquals(text("made/config"), "[core]\n");
    assertEquals([...Deno.readDirSync(`${root}/half`)].map(({ name }) => name).sort(), ["HEAD", "objects", "refs"]);
    assertEquals([text("srv/HEAD"), text("srv/objects/new")], [
      "ref: refs/heads/other\n",
      "an object of what HEAD names\n",
    ]);
    // One that the session made goes as a whole, and does not come back.
    await undo({ to: 1, force: true });
    assertEquals([...Deno.readDirSync(root)].map(({ name }) => name), ["srv"]);
    await undo({ to: 3, force: true });
    assertEquals(
      [...Deno.readDirSync(root)].flatMap(({ name }) => name === "srv" ? [] : filesBelow(`${root}/${name}`)),
      [],
    );
  }));

const FOREIGN = "somebody else changed it since";

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}

Deno.test({
  ...needs(
    ["python3"],
    "what a command in the background writes through a mapping is seen, though no time of the file tells",
  ),
  fn: () =>
    withRecorded(fill, async ({ root, top, recorder, told, undo }) => {
      const script = [
        "import mmap, os, sys, time",
        "file, top = sys.argv[1:3]",
        "opened = open(file, 'r+b')",
        "at = mmap.mmap(opened.fileno(), 0)",
        "at[0:1] = at[0:1]",
        "open(top + '/mapped', 'w').close()",
        "while not os.path.exists(top + '/go'): time.sleep(.01)",
        "at[0:3] = b'two'",
        "open(top + '/written', 'w').close()",
        "time.sleep(60)",
      ].join("\n");
      const isThere = (name: string): boolean => [...Deno.readDirSync(top)].some((entry) => entry.name === name);
      recorder.runStarts();
      recorder.prompt("first");
      const call = { toolCallId: "mapper", toolName: "bash" };
      await recorder.callStarts(call, { ...callStart(), isBackground: true });
      const child = new Deno.Command("python3", { args: ["-c", script, `${root}/src/a.ts`, top] }).spawn();
      try {
        recorder.callEnds("mapper");
        await until(() => isThere("mapped"));
        const { ctime } = Deno.statSync(`${root}/src/a.ts`);
        // So that what is seen is not the rule for clocks that tick slowly.
        await until(() => Date.now() > (ctime?.getTime() ?? 0) + 100);
        await recorder.runEnds();
        recorder.runStarts();
        recorder.prompt("second");
        Deno.writeTextFileSync(`${top}/go`, "");
        await until(() => isThere("written"));
        assertEquals(Deno.statSync(`${root}/src/a.ts`).ctime, ctime);
        await recorder.runEnds();
        assertEquals(told.at(-1)?.files.map(({ path, kind }) => [path, kind]), [["src/a.ts", "changed"]]);
      } finally {
        child.kill("SIGKILL");
        await child.status;
      }
      await undo({ to: 1 });
      assertEquals(Deno.readTextFileSync(`${root}/src/a.ts`), "one\n");
    }),
});

Deno.test("a folder with more in it than may be looked at is not read to its end, and that is said", () =>
  withRecorded(fill, async ({ root, told, call }) => {
    await call(() => {
      Deno.mkdirSync(`${root}/flood`);
      for (let file = 0; file < 3_000; file++) Deno.writeTextFileSync(`${root}/flood/${"n".repeat(80)}${file}`, "");
    });
    const { files, leftOut } = told.at(-1) ?? {};
    assertEquals(files?.map(({ path, thing }) => [path, thing]), [["flood", "folder"]]);
    assertEquals(leftOut, [{ why: "folders could not be looked into", count: 1, paths: ["flood"] }]);
  }, { limits: { entries: 100 } }));

Deno.test("what a call that did not wait for the scan replaced, made or removed is reported, and undo removes no file", () =>
  withRecorded((root) => {
    fill(root);
    Deno.writeTextFileSync(`${root}/mine`, "mine\n");
  }, async ({ root, tree, recorder, told, undo, goOn }) => {
    const filledMs = tree.status("mine")?.changedMs ?? NaN;
    await until(() => fileTimeMs() > filledMs);
    recorder.runStarts();
    recorder.prompt("entry");
    const isKnown = await recorder.callStarts({ toolCallId: "c", toolName: "bash" }, {
      isBackground: false,
      until: AbortSignal.abort(),
    });
    assertEquals(isKnown, false);
    // A new inode with a new time of birth, under a name that was there.
    Deno.writeTextFileSync(`${root}/fresh`, "replaced\n");
    Deno.renameSync(`${root}/fresh`, `${root}/mine`);
    Deno.writeTextFileSync(`${root}/its`, "its\n");
    goOn();
    recorder.callEnds("c");
    await recorder.runEnds();
    const { files = [], leftOut } = told.at(-1) ?? {};
    const why = "the scan of the workspace had not finished when the call began";
    assertEquals(files.map(({ path, kind, notRestorable }) => [path, kind, notRestorable]), [
      ["its", "changed", why],
      ["mine", "changed", why],
    ]);
    assertEquals(leftOut, [{ why }]);
    const { left } = await undo();
    assertEquals(left.map(({ path, why }) => [path, why]), [["its", why], ["mine", why], [".", why]]);
    assertEquals(Deno.readTextFileSync(`${root}/mine`), "replaced\n");
    assertEquals(Deno.readTextFileSync(`${root}/its`), "its\n");
  }, { isUnseen: true, isHeld: true }));

Deno.test("a call waits until the state that it can change is known, the very first one too", () =>
  withRecorded(fill, async ({ root, call, undo }) => {
    await call(() => {
      Deno.removeSync(`${root}/src/a.ts`);
      Deno.writeTextFileSync(`${root}/fresh`, "replaced\n");
      Deno.renameSync(`${root}/fresh`, `${root}/src/b.ts`);
    });
    assertEquals((await undo()).left, []);
    assertEquals(Deno.readTextFileSync(`${root}/src/a.ts`), "one\n");
    assertEquals(Deno.readTextFileSync(`${root}/src/b.ts`), "two\n");
  }, { isUnseen: true }));

Deno.test("a file that somebody else made while the model answered is not the next call's, and undo leaves it", () =>
  withRecorded(fill, async ({ root, recorder, told, undo }) => {
    recorder.runStarts();
    recorder.prompt("entry");
    recorder.lookSoon();
    await recorder.settle();
    const scannedMs = Date.now();
    // A scan that is more recent is not repeated.
    await until(() => Date.now() > scannedMs + 150);
    Deno.writeTextFileSync(`${root}/mine`, "mine\n");
    await recorder.callStarts({ toolCallId: "c", toolName: "bash" }, callStart());
    Deno.writeTextFileSync(`${root}/its`, "its\n");
    recorder.callEnds("c");
    await recorder.runEnds();
    assertEquals(told.at(-1)?.files.map(({ path }) => path), ["its"]);
    await undo();
    assertEquals([...Deno.readDirSync(root)].map(({ name }) => name).sort(), ["mine", "src"]);
  }));

Deno.test("what is changed after a moment of the file systems' clock has no earlier time", () => {
  const folder = Deno.makeTempDirSync();
  try {
    for (let round = 0; round < 50; round++) {
      const path = `${folder}/${round}`;
      const ms = fileTimeMs();
      Deno.writeTextFileSync(path, "");
      assert((statusOf(path)?.changedMs ?? NaN) >= ms);
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

/** The prefix of a process that has ended. */
async function goneOwner(): Promise<string> {
  const child = new Deno.Command("sleep", { args: ["60"] }).spawn();
  const { pid, start } = identityOf(child.pid) ?? { pid: 0, start: 0 };
  child.kill("SIGKILL");
  await child.status;
  return `sandpiper-${processNamespace()}-${pid}-${start}-`;
}

Deno.test("a temporary file of a killed process is removed by the first scan and by later ones, and is nobody's change", async () => {
  const owner = await goneOwner();
  const names = [temporaryName(owner), temporaryName(owner)];
  await withRecorded((root) => {
    fill(root);
    Deno.writeTextFileSync(`${root}/src/${names[0]}`, "half");
    Deno.writeTextFileSync(`${root}/src/${temporaryName(ownerPrefix())}`, "that of a process that runs");
    Deno.writeTextFileSync(`${root}/.sandpiper-notes.tmp`, "no name of a temporary file");
  }, async ({ root, call, told }) => {
    await call(() => Deno.writeTextFileSync(`${root}/src/${names[1]}`, "half"));
    const left = [...Deno.readDirSync(`${root}/src`)].map(({ name }) => name).sort();
    assertEquals(left.filter((name) => names.includes(name)), []);
    assertEquals(left.length, 3);
    assertEquals(told.at(-1)?.files, []);
    assertEquals(Deno.readTextFileSync(`${root}/.sandpiper-notes.tmp`), "no name of a temporary file");
  });
});

Deno.test("undo names an ignored directory that a call removed", () =>
  withRecorded((root) => {
    fill(root);
    Deno.mkdirSync(`${root}/node_modules/x`, { recursive: true });
  }, async ({ root, call, undo }) => {
    await call(() => Deno.removeSync(`${root}/node_modules`, { recursive: true }));
    const { left } = await undo();
    assertEquals(left.map(({ path, why }) => [path, why]), [
      ["node_modules", "it is an ignored directory, which is not scanned"],
    ]);
    Deno.mkdirSync(`${root}/node_modules`);
    assertEquals((await undo({ to: 1 })).left, []);
  }));

Deno.test("a session that closes while the scan after a background command is compared has its changes in the journal", async () => {
  let [isBusy, close] = [true, () => {}];
  await withRecorded(
    (root) => Deno.writeTextFileSync(`${root}/a`, "before\n"),
    async ({ root, recorder, journal }) => {
      const call = { toolCallId: "call", toolName: "bash" };
      recorder.runStarts();
      await recorder.callStarts(call, { ...callStart(), isBackground: true });
      recorder.callEnds(call.toolCallId);
      await recorder.runEnds();
      Deno.writeTextFileSync(`${root}/a`, "after\n");
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      close = () => void recorder.close().then(resolve);
      isBusy = false;
      recorder.backgroundEnds();
      await closed;
      const looks = journal.records.flatMap((record) => record.type === "look" ? [record] : []);
      assertEquals(looks.map(({ of, calls, changes }) => [of, calls, changes.length]), [["calls", [call], 1]]);
    },
    { onRead: () => close(), isBusy: () => isBusy },
  );
});

Deno.test("an undo that was interrupted between two steps is completed, and what somebody else changed since is left", () =>
  withRecorded((root) => {
    Deno.mkdirSync(`${root}/closed`);
    for (const name of ["file", "other", "closed/inner", "mode"]) Deno.writeTextFileSync(`${root}/${name}`, "before\n");
    Deno.symlinkSync("file", `${root}/link`);
    Deno.mkdirSync(`${root}/folder`);
  }, async ({ root, call, undo, journal }) => {
    const modeOf = (name: string): number => (Deno.lstatSync(`${root}/${name}`).mode ?? 0) & 0o777;
    const modes = ["folder", "mode", "closed"].map(modeOf);
    await call(() => {
      for (const name of ["file", "link"]) {
        Deno.removeSync(`${root}/${name}`);
        Deno.mkdirSync(`${root}/${name}`);
      }
      Deno.removeSync(`${root}/folder`);
      Deno.writeTextFileSync(`${root}/folder`, "in its place\n");
      for (const name of ["other", "mode", "closed/inner"]) Deno.writeTextFileSync(`${root}/${name}`, "after\n");
      Deno.chmodSync(`${root}/mode`, 0o600);
    });
    Deno.chmodSync(`${root}/closed`, 0o500);
    const paths = ["file", "link", "folder", "other", "mode", "closed/inner"].map((name) => `${root}/${name}`);
    const opened = [{ path: `${root}/closed`, mode: 0o500 }];
    journal.add({ type: "undoing", time: new Date().toISOString(), paths, opened });
    Deno.removeSync(`${root}/file`);
    Deno.removeSync(`${root}/link`);
    Deno.removeSync(`${root}/folder`);
    Deno.mkdirSync(`${root}/folder`, { mode: 0o700 });
    Deno.chmodSync(`${root}/closed`, 0o700);
    Deno.writeTextFileSync(`${root}/other`, "of the user\n");
    const { left } = await undo();
    assertEquals(left.map(({ path, why }) => [path, why]), [["other", "somebody else changed it since"]]);
    assertEquals(
      ["file", "mode", "closed/inner", "other"].map((name) => Deno.readTextFileSync(`${root}/${name}`)),
      ["before\n", "before\n", "before\n", "of the user\n"],
    );
    assertEquals(Deno.readLinkSync(`${root}/link`), "file");
    assertEquals(["folder", "mode", "closed"].map(modeOf), [modes[0], modes[1], 0o500]);
  }));
