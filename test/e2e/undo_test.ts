import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { cassette, inWorkspace, PROGRAM, type Ran, run, start } from "../helpers/program.ts";
import { runningProcesses } from "../helpers/processes.ts";
import { until } from "../helpers/until.ts";

interface Place {
  readonly ws: string;
  readonly home: string;
  readonly sandpiper: (...args: readonly string[]) => Promise<Ran>;
  /** Runs one prompt for which the model runs some commands, one after the other. */
  readonly prompt: (text: string, ...commands: readonly string[]) => Promise<Ran>;
}

const FILES = { "src/a.ts": "one\n", "src/deep/b.ts": "two\n", "keep.txt": "kept\n" };

/** As long as a model takes to answer on the busiest machine: time for the program to look. */
const LOOKS = { delayMs: 3_000 };

function withPlace(work: (place: Place) => Promise<void>): Promise<void> {
  return inWorkspace(FILES, ({ ws, home }) => {
    const sandpiper = (...args: readonly string[]): Promise<Ran> =>
      run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
    return work({
      ws,
      home,
      sandpiper,
      prompt(text, ...commands) {
        const calls = commands.map((command, at) => ({
          ...(at === 0 ? LOOKS : {}),
          calls: [{ name: "bash", args: { command } }],
        }));
        const replies = cassette(home, [...calls, { text: "done" }]);
        return sandpiper("-p", "-c", "-m", `replay:${replies}`, text);
      },
    });
  });
}

function texts(ws: string): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.keys(FILES).map((name) => [name, read(`${ws}/${name}`)]));
}

function listed(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return [];
  }
}

function read(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}

Deno.test("sandpiper undo takes back prompt after prompt what commands did, and asks nothing", () =>
  withPlace(async ({ ws, home, sandpiper, prompt }) => {
    const first = cassette(home, [{ ...LOOKS, calls: [{ name: "bash", args: { command: "rm -rf src" } }] }, {
      text: "done",
    }]);
    assertEquals((await sandpiper("-p", "-m", `replay:${first}`, "remove src")).code, 0);
    assertEquals((await prompt("second", "echo more >> keep.txt", "echo new > new.txt")).code, 0);
    const { stdout } = await sandpiper("undo", "--list");
    assertEquals(stdout.split("\n").slice(1, -1).map((line) => line.replace(/ {2}\S+ \S+ {2}/, "  ")), [
      "1  2 files  remove src",
      "2  2 files  second",
    ]);
    const preview = await sandpiper("undo", "--dry-run", "--json");
    const { steps, isDone } = JSON.parse(preview.stdout);
    assertEquals([preview.code, isDone, steps.length, read(`${ws}/new.txt`)], [0, false, 2, "new\n"]);
    const undone = await sandpiper("undo");
    assertMatch(
      undone.stdout,
      /^Before "second":\n {2}restored keep.txt\n {2}removed new.txt\nTo take this back: sandpiper undo \S+ --redo\n$/,
    );
    assertEquals([texts(ws)["src/a.ts"], read(`${ws}/new.txt`)], [undefined, undefined]);
    const { code, stdout: said } = await sandpiper("undo");
    const lines = said.split("\n").slice(0, -2);
    // A folder comes back with what is in it.
    assertEquals([code, lines], [0, ['Before "remove src":', "  restored src/a.ts", "  restored src/deep/b.ts"]]);
    assertEquals(texts(ws), FILES);
    const nothing = await sandpiper("undo");
    assertEquals(nothing.code, 2);
    assertStringIncludes(nothing.stderr, "everything is undone already");
    // The word for it takes back one undo after the other, the last one first.
    const redone = await sandpiper("undo", "--redo");
    assertEquals([redone.code, texts(ws)["src/a.ts"], read(`${ws}/new.txt`)], [0, undefined, undefined], redone.stderr);
    assertEquals([(await sandpiper("undo", "--redo")).code, read(`${ws}/new.txt`)], [0, "new\n"]);
    const none = await sandpiper("undo", "--redo");
    assertEquals(none.code, 2);
    assertStringIncludes(none.stderr, "There is nothing to redo");
    assertEquals((await sandpiper("undo", "--redo", "--to", "1")).code, 2);
  }));

Deno.test("sandpiper undo names what somebody else changed, ends with 1, and overwrites it with --force", () =>
  withPlace(async ({ ws, home, sandpiper }) => {
    const command = "echo x >> keep.txt; echo a > a.txt; echo b > b.txt";
    const replies = cassette(home, [{ ...LOOKS, calls: [{ name: "bash", args: { command } }] }, { text: "" }]);
    await sandpiper("-p", "-m", `replay:${replies}`, "change");
    for (const name of ["keep.txt", "a.txt", "b.txt"]) Deno.writeTextFileSync(`${ws}/${name}`, "mine\n");
    const left = await sandpiper("undo", "-q");
    assertEquals([left.code, read(`${ws}/keep.txt`)], [1, "mine\n"]);
    assertStringIncludes(
      left.stderr,
      "each of 3 files is left as it is: somebody else changed it since; --force overwrites it\n  a.txt\n  b.txt\n",
    );
    for (const name of ["a.txt", "b.txt"]) Deno.writeTextFileSync(`${ws}/${name}`, `${name[0]}\n`);
    assertStringIncludes(
      (await sandpiper("undo", "--dry-run")).stderr,
      "keep.txt would be left as it is: somebody else changed it since; --force overwrites it\n",
    );
    assertEquals([(await sandpiper("undo", "--force")).code, read(`${ws}/keep.txt`)], [0, "kept\n"]);
  }));

Deno.test("sandpiper undo that restores some files names the command that overwrites the others", () =>
  withPlace(async ({ ws, home, sandpiper }) => {
    const command = "echo x >> keep.txt; echo a > a.txt";
    const replies = cassette(home, [{ ...LOOKS, calls: [{ name: "bash", args: { command } }] }, { text: "" }]);
    await sandpiper("-p", "-m", `replay:${replies}`, "change");
    Deno.writeTextFileSync(`${ws}/keep.txt`, "mine\n");
    const left = await sandpiper("undo");
    assertEquals([left.code, read(`${ws}/keep.txt`), read(`${ws}/a.txt`)], [1, "mine\n", undefined]);
    const advised = /; sandpiper (undo \S+ --to 1 --force) overwrites it/.exec(left.stderr)?.[1]?.split(" ") ?? [];
    assertEquals([(await sandpiper(...advised)).code, read(`${ws}/keep.txt`)], [0, "kept\n"], left.stderr);
  }));

Deno.test("a program that was killed in the middle of a run leaves a journal that loads and can be undone", () =>
  withPlace(async ({ ws, home, sandpiper }) => {
    const replies = cassette(home, [
      { ...LOOKS, calls: [{ name: "bash", args: { command: "rm -rf src" } }] },
      // Time for the look, and then a call in the middle of which the program ends.
      { ...LOOKS, calls: [{ name: "bash", args: { command: "echo x >> keep.txt; touch at-work; sleep 60" } }] },
    ]);
    const child = start(PROGRAM, ["-p", "-m", `replay:${replies}`, "work"], { cwd: ws, env: { HOME: home } });
    await until(() => read(`${ws}/at-work`) !== undefined);
    child.kill("SIGKILL");
    await child.output();
    const list = await sandpiper("undo", "--list");
    assertEquals(list.code, 0, list.stderr);
    const undone = await sandpiper("undo");
    assertStringIncludes(undone.stdout + undone.stderr, "src");
    assertEquals([texts(ws)["src/a.ts"], texts(ws)["src/deep/b.ts"]], ["one\n", "two\n"]);
  }));

Deno.test("what a background command changed after the last scan of a killed program is undone", () =>
  withPlace(async ({ ws, home, sandpiper }) => {
    const command = `: ${home}; while :; do echo more >> keep.txt; sleep .01; done`;
    const replies = cassette(home, [
      { ...LOOKS, calls: [{ name: "bash", args: { command, background: true } }] },
      { delayMs: 60_000, text: "done" },
    ]);
    const child = start(PROGRAM, ["-p", "-m", `replay:${replies}`, "work"], { cwd: ws, env: { HOME: home } });
    const checkpoints = `${home}/.sandpiper/agent/checkpoints`;
    const journal = (): string =>
      listed(checkpoints).map((name) => read(`${checkpoints}/${name}/journal.jsonl`) ?? "").join("");
    await until(() => journal().includes('"look"'));
    const seen = read(`${ws}/keep.txt`)?.length ?? 0;
    await until(() => (read(`${ws}/keep.txt`)?.length ?? 0) > seen);
    child.kill("SIGKILL");
    await child.output();
    await until(() => !runningProcesses().some(({ args }) => args.includes(command)));
    const undone = await sandpiper("undo");
    assertEquals([undone.code, read(`${ws}/keep.txt`)], [0, "kept\n"], undone.stdout + undone.stderr);
  }));

Deno.test("sandpiper undo says which older session changed something where the newest did not, and undoes nothing of it", () =>
  withPlace(async ({ ws, home, sandpiper, prompt }) => {
    assertEquals((await prompt("change", "echo more >> keep.txt")).code, 0);
    const [, old = ""] = /session (\S+)/.exec((await sandpiper("undo", "--list")).stdout) ?? [];
    // One of another workspace is newer, and of no use here.
    const elsewhere = `${home}/elsewhere`;
    Deno.mkdirSync(elsewhere);
    const there = cassette(home, [{ ...LOOKS, calls: [{ name: "bash", args: { command: "touch x" } }] }, {
      text: "done",
    }]);
    assertEquals((await sandpiper("-p", "-C", elsewhere, "-m", `replay:${there}`, "make x")).code, 0);
    assertEquals(read(`${elsewhere}/x`), "");
    const question = cassette(home, [{ text: "It is a file." }]);
    assertEquals((await sandpiper("-p", "-m", `replay:${question}`, "what is it?")).code, 0);
    const refused = await sandpiper("undo");
    assertEquals([refused.code, read(`${ws}/keep.txt`)], [2, "kept\nmore\n"]);
    assertStringIncludes(refused.stderr, "nothing to undo in the newest session");
    assertMatch(refused.stderr, new RegExp(`An older session changed 1 file \\(.*\\): sandpiper undo ${old}\n`));
    assertMatch((await sandpiper("undo", "--list")).stdout, new RegExp(`sandpiper undo ${old} --list\n$`));
    assertEquals([(await sandpiper("undo", old)).code, read(`${ws}/keep.txt`)], [0, "kept\n"]);
    assertStringIncludes((await sandpiper("undo")).stderr, "no changes of this session were kept");
  }));

Deno.test("sandpiper undo says that there is nothing to undo where no session of the user has changed anything", () =>
  withPlace(async ({ home, sandpiper }) => {
    const question = cassette(home, [{ text: "It is a file." }]);
    assertEquals((await sandpiper("-p", "-m", `replay:${question}`, "what is it?")).code, 0);
    const refused = await sandpiper("undo");
    assertEquals(refused.code, 2);
    assertStringIncludes(refused.stderr, "no changes of this session were kept");
  }));

Deno.test("sandpiper undo --list lists an open session, and undo refuses it", () =>
  withPlace(async ({ ws, home, sandpiper, prompt }) => {
    assertEquals((await prompt("change", "echo more >> keep.txt")).code, 0);
    const replies = cassette(home, [{ calls: [{ name: "bash", args: { command: "touch began; sleep 60" } }] }]);
    const args = ["-p", "-c", "-m", `replay:${replies}`, "go on"];
    const open = start(PROGRAM, args, { cwd: ws, env: { HOME: home } });
    try {
      await until(() => read(`${ws}/began`) !== undefined);
      const listed = await sandpiper("undo", "--list");
      assertEquals(listed.code, 0, listed.stderr);
      assertMatch(listed.stdout, /\n1 .* 1 file {2}change\n/);
      assertStringIncludes(listed.stderr, "The session is open");
      assertEquals([(await sandpiper("undo")).code, read(`${ws}/keep.txt`)], [2, "kept\nmore\n"]);
    } finally {
      open.kill("SIGTERM");
      await open.output();
    }
  }));
