// A batch by the whole program: what ends well is never run again, what was cut short is, and nothing is left running.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { BINARY, inWorkspace, type Ran, run, start } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import { runningProcesses } from "../helpers/processes.ts";

interface Place {
  readonly top: string;
  readonly out: string;
  readonly batch: (...args: readonly string[]) => Promise<Ran>;
  readonly begin: (...args: readonly string[]) => Deno.ChildProcess;
  /** Makes the cassette of a task: one command, then an answer. */
  readonly says: (task: string, command: string) => void;
}

/** Three tasks, each with a check: the first passes, the second does not, the third takes as long as it is told. */
function inPlace(work: (place: Place) => Promise<void>): () => Promise<void> {
  return () =>
    inWorkspace({ "a.txt": "one\n" }, async ({ home, outside }) => {
      const task = (id: string, more = {}): string =>
        JSON.stringify({
          id,
          workspace: "../ws",
          prompt: `do ${id}`,
          model: `replay:${id}.jsonl`,
          require: ["test -f new.txt"],
          requireTries: 1,
          ...more,
        });
      Deno.writeTextFileSync(
        join(outside, "tasks.jsonl"),
        [task("good", { group: "g" }), task("bad"), task("slow")].join("\n"),
      );
      const says = (id: string, command: string): void => {
        const replies = [{ calls: [{ name: "bash", args: { command } }] }, { text: "done" }, { text: "done" }];
        Deno.writeTextFileSync(join(outside, `${id}.jsonl`), replies.map((reply) => JSON.stringify(reply)).join("\n"));
      };
      says("good", "echo new > new.txt");
      says("bad", "echo new > other.txt");
      says("slow", SLEEP);
      const options = { cwd: outside, env: { HOME: home } };
      await work({
        top: outside,
        out: join(outside, "out"),
        says,
        batch: (...args) => run(BINARY, ["batch", ...args], options),
        begin: (...args) => start(BINARY, ["batch", ...args], options),
      });
    });
}

function namesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  } catch {
    return [];
  }
}

/** Whether any process was started with a path below a folder. */
function isRunning(folder: string): boolean {
  return runningProcesses().some(({ args }) => args.includes(folder));
}

/** As no other process sleeps. */
const SLEEP = `sleep 300.${Deno.pid}`;

const RUN = ["tasks.jsonl", "-o", "out", "--jobs", "2"];

Deno.test(
  "a batch that is ended, and one that is killed, go on where they were; each result is made once",
  inPlace(async ({ top, out, batch, begin, says }) => {
    const results = (): string[] => namesIn(join(out, "results"));
    const first = begin(...RUN);
    const output = first.output();
    await until(() => results().length === 2 && isRunning(SLEEP), () => JSON.stringify(results()));
    first.kill("SIGTERM");
    const { code, stdout } = await output;
    const said = new TextDecoder().decode(stdout);
    assertEquals(code, 143, said);
    assertStringIncludes(said, "2 of 3 attempts have a result, 1 failed\ninterrupted: the same command goes on");
    assertEquals(results(), ["bad", "good"]);
    assertEquals(namesIn(join(out, "interrupted")), ["slow.1.1"]);
    assertEquals(isRunning(top), false);

    const good = join(out, "results", "good", "1");
    assertEquals(namesIn(good).toSorted(), [
      "attempt.json",
      "events.jsonl",
      "patch",
      "report.json",
      "session",
      "stderr.txt",
    ]);
    const report = JSON.parse(Deno.readTextFileSync(join(good, "report.json")));
    assertEquals([report.exitCode, report.trial.patch, report.task], [0, join(good, "patch"), "do good"]);
    assertEquals(namesIn(join(top, "..", "ws")), ["a.txt"]);
    const badOne = JSON.parse(Deno.readTextFileSync(join(out, "results", "bad", "1", "attempt.json")));
    assertEquals([badOne.passed, badOne.exitCode, badOne.outcome], [false, 5, "unproven"]);

    const second = begin(...RUN);
    await until(() => isRunning(SLEEP));
    second.kill("SIGKILL");
    await second.output();
    // Its run finds that the batch is gone.
    await until(() => !isRunning(top));
    assertEquals(results(), ["bad", "good"]);

    says("slow", "echo new > new.txt");
    const before = Deno.readTextFileSync(join(good, "attempt.json"));
    const third = await batch(...RUN);
    assertEquals(third.code, 5, third.stderr);
    assertStringIncludes(third.stderr, "1 attempt to run, 2 have results");
    assertEquals(results(), ["bad", "good", "slow"]);
    assertEquals(Deno.readTextFileSync(join(good, "attempt.json")), before);
    assertEquals(namesIn(join(out, "running")), []);
    assertEquals(namesIn(join(out, "claims", "slow.1")), ["1", "2", "3"]);
    assertEquals(namesIn(join(out, "claims", "good.1")), ["1"]);
  }),
);

Deno.test(
  "what cannot be is said before anything runs",
  inPlace(async ({ top, out, batch }) => {
    for (
      const [args, says] of [
        [["tasks.jsonl"], "no folder for its results"],
        [["none.jsonl", "-o", "out"], "does not exist"],
        [["tasks.jsonl", "-o", "../ws/out"], "inside the workspace"],
        [["tasks.jsonl", "-o", "out", "--shard", "4/3"], "--shard 4/3"],
        [["tasks.jsonl", "-o", "out", "--jobs", "0"], "above 0"],
      ] as const
    ) {
      const { code, stderr } = await batch(...args);
      assertEquals(code, 2, stderr);
      assertStringIncludes(stderr, says);
    }
    assertEquals(namesIn(join(out, "results")), []);
    // Results of another question are never taken for this one's.
    Deno.mkdirSync(join(out, "results", "good", "1"), { recursive: true });
    const [line = ""] = Deno.readTextFileSync(join(top, "tasks.jsonl")).split("\n");
    Deno.writeTextFileSync(join(top, "one.jsonl"), line);
    const record = {
      type: "attempt",
      version: 1,
      task: "good",
      digest: "other",
      outcome: "done",
      passed: true,
      proven: true,
    };
    const numbers = [
      "attempt",
      "exitCode",
      "turns",
      "toolCalls",
      "deniedCalls",
      "failedCalls",
      "inputTokens",
      "cachedTokens",
      "outputTokens",
      "costUsd",
      "durationMs",
      "files",
      "linesAdded",
      "linesRemoved",
    ];
    Deno.writeTextFileSync(
      join(out, "results", "good", "1", "attempt.json"),
      JSON.stringify({ ...record, ...Object.fromEntries(numbers.map((name) => [name, 0])) }),
    );
    const { code, stderr } = await batch("one.jsonl", "-o", "out");
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, "is of another task");
    assert(namesIn(join(out, "results")).length === 1);
  }),
);
