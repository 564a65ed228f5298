// The program is killed, or its terminal is closed, at random moments of random commands and file tools. Then undo gives back
// exactly the bytes, modes and links of before. SANDPIPER_KILLS and SANDPIPER_CLOSED say how often, SANDPIPER_SEED the first seed,
// SANDPIPER_UNDO_KILLS how often undo is killed, too.
import { createHash } from "node:crypto";
import { assert, assertEquals } from "@std/assert";
import { cassette, inWorkspace, PROGRAM, run, start } from "../helpers/program.ts";
import { rounds } from "../helpers/rounds.ts";
import { type Seeded, seeded } from "../helpers/seeded.ts";
import { until } from "../helpers/until.ts";
import { numbersIn, readProcLink } from "../../src/sandbox/system/procfs.ts";

const KILLS = Number(Deno.env.get("SANDPIPER_KILLS") ?? rounds(5));
const CLOSED = Number(Deno.env.get("SANDPIPER_CLOSED") ?? rounds(3));
const UNDO_KILLS = Number(Deno.env.get("SANDPIPER_UNDO_KILLS") ?? rounds(4));
// The same moments in each ordinary run, other ones each night.
const SEED = Number(Deno.env.get("SANDPIPER_SEED") ?? (rounds(1) > 1 ? Date.now() % 1_000_000 : 1));

/** Commands, each with a pause in the middle. */
const COMMANDS = [
  "rm src/a.ts; sleep .03; rm -rf docs",
  "sed -i s/one/ONE/ src/a.ts; sleep .03; sed -i s/two/TWO/ src/b.ts",
  "cp src/a.ts fresh; sleep .02; mv fresh src/b.ts",
  "mv src moved; sleep .03; echo more > moved/new.ts",
  "mv docs/deep docs/deeper; sleep .03; rmdir empty; mkdir other",
  "ln -sfn src/b.ts link; sleep .02; ln -s nowhere dangling",
  "rm link; echo file > link; sleep .02; chmod 600 link",
  "chmod 700 src; sleep .02; chmod 600 src/a.ts; chmod 755 data.bin",
  ": > src/a.ts; sleep .03; truncate -s 5 data.bin",
  "truncate -s 300000 data.bin; sleep .02; dd if=/dev/zero of=sparse bs=1 count=1 seek=100000 conv=notrunc status=none",
  "ln src/a.ts hard; sleep .02; echo changed >> hard",
  "touch t1 t2; sleep .03; rm t1 t2; echo t3 > t3",
  "for i in 1 2 3 4 5 6; do echo $i >> src/a.ts; mkdir -p gen/$i; echo $i > gen/$i/f; sleep .01; done",
  "cp --reflink=auto data.bin copy; sleep .02; echo end >> data.bin",
  "git checkout -q -- . 2>/dev/null; sleep .02; git stash -q 2>/dev/null; rm -f tracked",
  "git rm -q --cached tracked 2>/dev/null; rm -f tracked; sleep .02; git checkout -q -b b$$ 2>/dev/null; mkdir tracked",
];

function call(random: Seeded): unknown {
  const which = random.below(COMMANDS.length + 2);
  if (which === COMMANDS.length) return { name: "write", args: { path: "src/a.ts", content: "new\n".repeat(5_000) } };
  if (which > COMMANDS.length) {
    return { name: "edit", args: { path: "src/b.ts", edits: [{ oldText: "two", newText: "2" }] } };
  }
  return { name: "bash", args: { command: COMMANDS[which], ...(random.chance(0.15) ? { background: true } : {}) } };
}

function fill(ws: string, isRepository: boolean): void {
  for (const folder of ["src", "docs/deep", "empty"]) Deno.mkdirSync(`${ws}/${folder}`, { recursive: true });
  const write = (name: string, text: string, mode = 0o644): void => {
    Deno.writeTextFileSync(`${ws}/${name}`, text);
    Deno.chmodSync(`${ws}/${name}`, mode);
  };
  write("src/a.ts", "one\n".repeat(50));
  write("src/b.ts", "two\n", 0o640);
  write("docs/deep/read.me", "docs\n", 0o444);
  write("docs/x", "x");
  write("data.bin", "0123456789".repeat(10_000), 0o600);
  write("tracked", "tracked\n");
  Deno.symlinkSync("src/a.ts", `${ws}/link`);
  Deno.symlinkSync("../src", `${ws}/docs/src`);
  const sparse = Deno.openSync(`${ws}/sparse`, { create: true, write: true });
  sparse.truncateSync(200_000);
  sparse.close();
  Deno.chmodSync(`${ws}/docs`, 0o750);
  if (!isRepository) return;
  const git = (...args: readonly string[]): void => {
    const { success } = new Deno.Command("git", {
      args: ["-C", ws, "-c", "user.name=a", "-c", "user.email=a@b", ...args],
    })
      .outputSync();
    assert(success, args.join(" "));
  };
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  write("docs/x", "changed since\n");
  write("untracked", "untracked\n");
}

/** Everything below a directory but `.git`: kind, mode and content by path. */
function snapshot(root: string, inner = "", into: Record<string, string> = {}): Readonly<Record<string, string>> {
  for (const { name } of [...Deno.readDirSync(`${root}/${inner}`)].sort((a, b) => a.name < b.name ? -1 : 1)) {
    if (name === ".git") continue;
    const path = inner + name;
    const info = Deno.lstatSync(`${root}/${path}`);
    const mode = ((info.mode ?? 0) & 0o7777).toString(8);
    if (info.isSymlink) into[path] = `link ${Deno.readLinkSync(`${root}/${path}`)}`;
    else if (info.isDirectory) {
      into[path] = `directory ${mode}`;
      snapshot(root, `${path}/`, into);
    } else into[path] = `file ${mode} ${contentOf(`${root}/${path}`)}`;
  }
  return into;
}

function contentOf(path: string): string {
  const bytes = Deno.readFileSync(path);
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  return bytes.length > 40 ? `${bytes.length} bytes ${hash}` : new TextDecoder().decode(bytes);
}

/** Processes that work in a directory: what a killed host started ends soon after it. */
function workIn(ws: string): boolean {
  // A link is undefined if its process has ended.
  return numbersIn("/proc").some((pid) => readProcLink(`/proc/${pid}/cwd`)?.startsWith(ws) ?? false);
}

/** A program that works in a workspace. */
interface Running {
  /** Interrupts it. */
  readonly end: () => void;
  /** Resolves when it has ended; fails if its end is not a clean one. */
  readonly done: Promise<unknown>;
}

type Start = (args: readonly string[], place: { readonly ws: string; readonly home: string }) => Running;

const killed: Start = (args, { ws, home }) => {
  const child = start(PROGRAM, ["-p", ...args], { cwd: ws, env: { HOME: home } });
  const end = (): void => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  return { end, done: child.output() };
};

/** Runs a program in a terminal that is closed when a line is read; prints how the program ended. */
const IN_TERMINAL = `
import os, pty, select, sys, time
pid, fd = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
# A terminal that is closed before it belongs to the program is none of it.
own = os.readlink('/proc/self/exe')
while os.readlink(f'/proc/{pid}/exe') == own: time.sleep(0.001)
while True:
    ready = select.select([fd, 0], [], [], 30)[0]
    if 0 in ready or not ready: break
    try: os.read(fd, 65536)
    except OSError: break
os.close(fd)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

const closed: Start = (args, { ws, home }) => {
  const child = new Deno.Command("python3", {
    args: ["-c", IN_TERMINAL, ...PROGRAM.command, ...args],
    cwd: ws,
    clearEnv: true,
    env: { ...ENVIRONMENT, HOME: home },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  return {
    end: () => void child.stdin.close().catch(() => {}),
    done: (async () => {
      const code = new TextDecoder().decode((await child.output()).stdout).trim();
      // -1: SIGHUP came before the program listens to signals; it has opened nothing then.
      assert(["129", "-1"].includes(code), `it ended with ${code}`);
      assertEquals(listed(`${home}/.cache/sandpiper/running`), []);
    })(),
  };
};

/** Resolves when something in a directory changes. */
async function firstChange(ws: string): Promise<void> {
  const watcher = Deno.watchFs(ws);
  for await (const { kind, paths } of watcher) {
    if (kind !== "access" && !paths.every((path) => path.includes("/.git/"))) break;
  }
}

async function endWatch(ws: string, changes: Promise<void>): Promise<void> {
  Deno.writeTextFileSync(`${ws}/.watched`, "");
  Deno.removeSync(`${ws}/.watched`);
  await changes;
}

const ENVIRONMENT = {
  PATH: Deno.env.get("PATH") ?? "",
  DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
};

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function listed(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Starts undo once or twice and kills it at a random moment, while it completes the journal or puts files back. */
async function killUndo(random: Seeded, { ws, home }: { readonly ws: string; readonly home: string }, ms: number) {
  for (let left = 1 + random.below(2); left > 0; left--) {
    const child = start(PROGRAM, ["undo"], { cwd: ws, env: { HOME: home } });
    const output = child.output();
    const changes = firstChange(ws);
    const moment = random.chance(0.5) ? changes.then(() => sleep(10 * random.next())) : sleep(ms * random.next());
    await Promise.race([moment, output]);
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await output;
    await endWatch(ws, changes);
  }
}

async function interruptAndUndo(count: number, begin: Start, isUndoKilled = false): Promise<void> {
  for (const isRepository of [false, true]) {
    await inWorkspace({}, async ({ ws, home }) => {
      fill(ws, isRepository);
      const before = snapshot(ws);
      const began = performance.now();
      await run(PROGRAM, ["-p", "--no-session", "-m", `replay:${cassette(home, [{ text: "done" }])}`, "go"], {
        cwd: ws,
        env: { HOME: home },
      });
      const startMs = performance.now() - began;
      let restored = 0;
      for (let round = 0; round < Math.ceil(count / 2); round++) {
        const seed = SEED + round * 2 + Number(isRepository);
        const random = seeded(seed);
        const replies = Array.from(
          { length: 4 },
          () => ({ calls: [call(random), ...random.chance(0.4) ? [call(random)] : []] }),
        );
        const args = ["-m", `replay:${cassette(home, [...replies, { text: "done" }])}`, "go"];
        const changes = firstChange(ws);
        const { end, done } = begin(args, { ws, home });
        const seen = random.chance(0.2)
          ? sleep(startMs * random.next() * 2)
          : changes.then(() => sleep(random.next() * 400));
        await Promise.race([seen, done]);
        end();
        await done;
        await endWatch(ws, changes);
        await until(() => !workIn(ws), () => "for the commands of a killed host");
        const changed = JSON.stringify(snapshot(ws)) !== JSON.stringify(before);
        // Each command of undo knows what an interrupted call changed.
        if (random.chance(0.3)) await run(PROGRAM, ["undo", "--list"], { cwd: ws, env: { HOME: home } });
        if (isUndoKilled) await killUndo(random, { ws, home }, startMs * 1.5);
        const undone = await run(PROGRAM, ["undo"], { cwd: ws, env: { HOME: home } });
        const what = `seed ${seed}, repository ${isRepository}: ${
          JSON.stringify(replies)
        }\n${undone.stdout}${undone.stderr}`;
        assertEquals(snapshot(ws), before, what);
        if (changed) {
          // A killed undo may have been complete.
          if (!isUndoKilled) assertEquals(undone.code, 0, what);
          restored++;
        }
      }
      assert(count < 20 || restored > count / 10, `only ${restored} of ${count} were in the middle of a change`);
    });
  }
}

Deno.test("undo gives back bytes, modes and links after the program was killed at any moment", () =>
  interruptAndUndo(KILLS, killed));

Deno.test("undo gives back bytes, modes and links after the program and then undo were killed at any moment", () =>
  interruptAndUndo(UNDO_KILLS, killed, true));

Deno.test(
  "undo gives back bytes, modes and links after the terminal was closed at any moment, and the exit code is 129",
  () => interruptAndUndo(CLOSED, closed),
);
