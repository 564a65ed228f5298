import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { dirname } from "@std/path";
import { failuresOf } from "../../scripts/tests/failures.ts";
import { openMemoryFolder } from "../../scripts/tests/memory_folder.ts";
import { missingFrom } from "../../scripts/tests/summary.ts";
import { runTests } from "../../scripts/tests/test_process.ts";
import { until } from "../helpers/until.ts";
import { processesWith } from "../sandbox/shell_fixture.ts";

const IN_MEMORY = (() => {
  using folder = openMemoryFolder();
  return folder !== undefined;
})();

const END = "\nFAILED | 2 passed | 1 failed (3ms)\n\nerror: Test failed\n";

Deno.test("failuresOf() names each test and its file once, also where a test prints such a summary", () => {
  const output = "\n FAILURES \n\nprinted by a test => ./test/x_test.ts:1:1\n\nFAILED | 0 passed | 1 failed (1ms)\n" +
    `\n FAILURES \n\na => b => ./test/a_test.ts:1:6\nc ... step => ./test/a_test.ts:9:2\n${END}`;
  assertEquals(failuresOf(output), { names: ["a => b", "c ... step"], files: ["./test/a_test.ts"] });
});

Deno.test("failuresOf() has nothing to run again where a file failed outside of its tests, or many did", () => {
  assertEquals(failuresOf(`\n FAILURES \n\na => ./a_test.ts:1:6\n./b_test.ts (uncaught error)\n${END}`), undefined);
  const many = [1, 2, 3, 4].map((n) => `n => ./${n}_test.ts:1:1\n`).join("");
  assertEquals(failuresOf(`\n FAILURES \n\n${many}${END}`), undefined);
  assertEquals(failuresOf("error: Type checking failed.\n"), undefined);
  assertEquals(failuresOf("\n FAILURES \n\na => ./a_test.ts:1:6\n"), undefined);
});

Deno.test("failuresOf() finds the file of a test that another module defines", () => {
  const output = `running 5 tests from ../group_test.ts\n./test/a_test.ts ... ignored (0ms)\none ... ok (1ms)
./test/b_test.ts ... ignored (0ms)\ntwo ... ok (1ms)\nthree ... FAILED (1ms)
\n FAILURES \n\nthree => ./test/shared.ts:1:6\n${END}`;
  assertEquals(failuresOf(output), { names: ["three"], files: ["./test/b_test.ts"] });
  assertEquals(failuresOf(output.replace("three ... FAILED", "elsewhere")), undefined);
});

Deno.test("missingFrom() finds files without tests, tests that were cut off, and an output that ends too soon", () => {
  const begun = "running 5 tests from ../group_test.ts\n./a_test.ts ... ignored (0ms)\none ... ok (1ms)\n" +
    "two ...\n------- output -------\nx\n----- output end -----\ntwo ... ok (1ms)\n" +
    "./b_test.ts ... ignored (0ms)\nthree ... FAILED (1ms)\n";
  const files = ["a_test.ts", "b_test.ts"];
  assertEquals(missingFrom(`${begun}ok | 2 passed (4 steps) | 0 failed | 3 ignored (1 step) (3ms)\n`, files), []);
  assertEquals(missingFrom(`${begun}FAILED | 2 passed | 1 failed | 2 ignored (3ms)\n`, files), []);
  assertEquals(missingFrom(`${begun}ok | 2 passed | 0 failed | 2 ignored (3ms)\n`, files), [
    "3 tests were begun, and 2 came to an end",
  ]);
  assertEquals(missingFrom(begun, files), ["the output ends before its summary"]);
  const empty = `${begun.replace("5 tests", "6 tests")}./c_test.ts ... ignored (0ms)\n`;
  assertEquals(missingFrom(`${empty}ok | 3 passed | 0 failed | 3 ignored (3ms)\n`, [...files, "c_test.ts"]), [
    "no test of c_test.ts ran",
  ]);
});

/** What the runner of tests consists of, beside `scripts/tests/`. */
const NEEDED = [
  ...["scripts/tests.ts", "scripts/build/made_from.ts", "scripts/check_layers.ts"],
  "src/sandbox/confine/self.ts",
];

/** A repository that has nothing but the runner of tests, and the tests of one case. */
async function inRepository(
  work: (
    run: (
      files: Readonly<Record<string, string>>,
      through?: readonly string[],
    ) => Promise<{ code: number; output: string }>,
  ) => Promise<void>,
): Promise<void> {
  const folder = Deno.makeTempDirSync({ prefix: "sp-unsteady-" });
  try {
    Deno.mkdirSync(`${folder}/scripts/tests`, { recursive: true });
    for (const path of NEEDED) {
      Deno.mkdirSync(dirname(`${folder}/${path}`), { recursive: true });
      Deno.copyFileSync(new URL(`../../${path}`, import.meta.url), `${folder}/${path}`);
    }
    for (const { name } of Deno.readDirSync(new URL("../../scripts/tests/", import.meta.url))) {
      Deno.copyFileSync(new URL(`../../scripts/tests/${name}`, import.meta.url), `${folder}/scripts/tests/${name}`);
    }
    const path = JSON.stringify(import.meta.resolve("@std/path"));
    Deno.writeTextFileSync(
      `${folder}/deno.json`,
      `{ "imports": { "@std/path": ${path} }, "tasks": { "check": { "command": "deno check ." } } }`,
    );
    await work(async (files, through = []) => {
      for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(`${folder}/${name}`, text);
      const line = [
        Deno.execPath(),
        "run",
        "-A",
        "--no-prompt",
        "--no-check",
        "scripts/tests.ts",
        ...Object.keys(files),
      ];
      const [program = "", ...args] = [...through, ...line];
      const { code, stdout, stderr } = await new Deno.Command(program, {
        args,
        cwd: folder,
        env: { NO_COLOR: "1" },
      }).output();
      const decoder = new TextDecoder();
      return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
    });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const FINE = `Deno.test("fine", () => {});`;

Deno.test("a test that fails once fails the run and is reported as flaky; one that fails twice is not flaky; wrong types fail the run", () =>
  inRepository(async (run) => {
    const first = JSON.stringify(`${Deno.makeTempDirSync({ prefix: "sp-first-" })}/first`);
    const once = await run({
      "one_test.ts": `Deno.test("flaky", () => { const first = ${first};
        try { Deno.removeSync(first); } catch { Deno.writeTextFileSync(first, ""); throw new Error("once"); } });`,
    });
    assertEquals(once.code, 1, once.output);
    const told = "They count as failed:\n  flaky\n\nAll tests: 0 passed, 1 failed, 0 ignored\n";
    assertStringIncludes(once.output, told);
    const twice = await run({ "one_test.ts": `Deno.test("broken", () => { throw new Error("always"); });` });
    assertEquals([twice.code, twice.output.includes("Flaky")], [1, false], twice.output);
    assertStringIncludes(twice.output, "All tests: 0 passed, 1 failed, 0 ignored\n");
    const wrong = await run({ "one_test.ts": `${FINE} const wrong: number = "text";` });
    assertEquals([wrong.code, wrong.output.includes("no test was run")], [1, true], wrong.output);
  }));

Deno.test({
  name:
    "signals that are ignored where the run is started (nohup, a shell's &) are not in processes of tests, and end no run",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    inRepository(async (run) => {
      const ignoring = ["sh", "-c", `trap "" HUP INT QUIT; exec "$@"`, "sh"];
      const text = `Deno.test("signals", async () => {
        const { stdout } = await new Deno.Command("grep", { args: ["SigIgn", "/proc/self/status"] }).output();
        // The runtime's own children ignore nothing but what their parent was given.
        const mask = parseInt(new TextDecoder().decode(stdout).replace("SigIgn:", ""), 16);
        if ((mask & 0b111) !== 0) throw new Error(mask.toString(2));
        Deno.kill(Deno.ppid, "SIGHUP");
      });`;
      const { code, output } = await run({ "one_test.ts": text }, ignoring);
      assertEquals(code, 0, output);
    }),
});

const RED: readonly (readonly [what: string, text: string, said: string])[] = [
  ["has no test", "export {};", "no test of red_test.ts ran"],
  [
    "ends the process as if all were well",
    `Deno.test({ name: "exit", sanitizeExit: false, fn: () => Deno.exit(0) });`,
    "the output ends before its summary",
  ],
  ["dies", `Deno.test("dies", () => { Deno.kill(Deno.pid, "SIGKILL"); });`, "ended by SIGKILL"],
  ["fails outside of its tests", `${FINE} throw new Error("outside");`, "2 tests were begun, and 3 came to an end"],
];
for (const [what, text, said] of RED) {
  Deno.test(`a file that ${what} fails the run, and is not tried again`, async () => {
    const folder = Deno.makeTempDirSync({ prefix: "sp-red-" });
    try {
      Deno.writeTextFileSync(`${folder}/fine_test.ts`, FINE);
      Deno.writeTextFileSync(`${folder}/red_test.ts`, text);
      const { passed, doubts, output } = await runTests(folder, ["fine_test.ts", "red_test.ts"]);
      assertEquals([passed, doubts.includes(said)], [false, true], `${doubts.join("\n")}\n${output}`);
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  });
}

Deno.test("among many files, too, one that does not compile fails the run, whose tests are ended", () =>
  inRepository(async (run) => {
    const names = Array.from({ length: 100 }, (_, at) => `fine${at}_test.ts`);
    const waits = `Deno.test("waits", () => new Promise((resolve) => setTimeout(resolve, 600_000)));`;
    const { code, output } = await run({
      ...Object.fromEntries(names.map((name) => [name, waits])),
      "wrong_test.ts": `${FINE} const wrong: number = "text";`,
    });
    assertEquals(code, 1, output);
    assertStringIncludes(output, "Types are not right: the tests were ended\n");
  }));

Deno.test("temporary folders of tests are in memory where root asks for it, each process's its own, and are gone afterwards", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "sp-memory-" });
  try {
    Deno.writeTextFileSync(
      `${folder}/one_test.ts`,
      `Deno.test("says", async () => {
        const made = Deno.makeTempDirSync();
        const { stdout } = await new Deno.Command("stat", { args: ["-f", "-c", "%T", made] }).output();
        console.log("kind " + new TextDecoder().decode(stdout).trim() + " at " + made + " end");
      });`,
    );
    const ran = await Promise.all(
      [true, true, false].map((inMemory) => runTests(folder, ["one_test.ts"], { inMemory })),
    );
    assertEquals(ran.map(({ passed }) => passed), [true, true, true], ran.map(({ output }) => output).join("\n"));
    const kinds = ran.map(({ output }) => / at .* end$/m.test(output) ? /^kind (\S+)/m.exec(output)?.[1] : undefined);
    assertEquals(kinds.slice(0, 2), IN_MEMORY ? ["tmpfs", "tmpfs"] : [kinds[2], kinds[2]]);
    for (const { output } of IN_MEMORY ? ran.slice(0, 2) : []) {
      const [, made = ""] = / at (.*) end$/m.exec(output) ?? [];
      assertThrows(() => Deno.statSync(dirname(made)), Deno.errors.NotFound);
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("a test that hangs is ended with what it started, and has failed", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "sp-hangs-" });
  try {
    const text = `Deno.test("hangs", async () => {
      new Deno.Command("sleep", { args: ["1000.125"] }).spawn(); await new Promise((resolve) => setTimeout(resolve, 1e6)); });`;
    Deno.writeTextFileSync(`${folder}/hangs_test.ts`, text);
    const { passed, doubts } = await runTests(folder, ["hangs_test.ts"], { longestMs: 2_000 });
    assertEquals([passed, doubts[0], doubts[1]], [false, "not done after 2 s, and ended", "ended by SIGKILL"]);
    await until(() => processesWith("sleep\x001000.125").length === 0);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
