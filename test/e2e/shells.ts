import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { cassette, events, inWorkspace, type Program, run } from "../helpers/program.ts";

/** Bash where the machine's own shell may not run, for the program from source and for the binary alike. */
export function shells(program: Program): void {
  const test = (name: string, work: () => Promise<void>): void => Deno.test(`${program.name}: ${name}`, work);
  const bash = (ws: string, home: string, flags: readonly string[], script: string) =>
    run(program, ["tool", "bash", ...flags, "--", script], { cwd: ws, env: { HOME: home } });

  for (const flags of [["--read-only"], ["--read-only", "--sandbox", "permissions"]]) {
    test(`${flags.join(" ")} has a bash that reads and never writes R455 R456 R469 R472`, async () => {
      await inWorkspace({ "a.txt": "one\ntwo\n" }, async ({ ws, home, outside }) => {
        Deno.writeTextFileSync(`${outside}/secret.txt`, "TOPSECRET");
        Deno.symlinkSync(outside, `${ws}/link`);
        const script = "grep -c o a.txt | sed s/2/two/; find . -name '*.txt'; echo x > new; cat link/secret.txt; ls";
        const { stdout, code } = await bash(ws, home, flags, script);
        assertEquals(code, 0);
        assertMatch(stdout, /^two\n\.\/a\.txt\na\.txt\nlink\n/);
        assertMatch(stdout, /Denied: write .*new: outside the write scope/);
        assertMatch(stdout, /Denied: read .*outside the read scope|behind a link to nowhere/);
        assert(!stdout.includes("TOPSECRET"));
        assertEquals([...Deno.readDirSync(ws)].map(({ name }) => name).sort(), ["a.txt", "link"]);
      });
    });
  }

  test("--allow-run=LIST runs what is listed, confined, and nothing else R457 R468", async () => {
    await inWorkspace({ "git": "#!/bin/sh\necho fake\n" }, async ({ ws, home, outside }) => {
      Deno.chmodSync(`${ws}/git`, 0o755);
      Deno.writeTextFileSync(`${outside}/secret.txt`, "TOPSECRET");
      const script = `git --version | cut -c1-11; git --no-pager diff --no-index /dev/null ${outside}/secret.txt; ` +
        "PATH=$PWD:$PATH; ./git; python3 --version";
      const { stdout, code } = await bash(ws, home, ["--allow-run=git"], script);
      if (code === 3) return; // no kernel sandbox here: told at the start
      assertEquals(stdout.split("\n", 2), ["git version", "fake"]);
      assert(!stdout.includes("TOPSECRET"));
      assertMatch(stdout, /NotCapable: run access to "python3" is not granted.*--allow-run=\+python3/);
    });
  });

  test("a list of programs is refused where nothing confines them R457 R472", async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      const { code, stderr } = await bash(ws, home, ["--allow-run=git", "--sandbox", "permissions"], "git --version");
      assertEquals(code, 3);
      assertStringIncludes(stderr, "the sandbox level here is permissions, at which nothing confines a single program");
    });
  });

  test("the model is told which bash it has, and a hostile script of its own gets nowhere R456 R477", async () => {
    await inWorkspace({ "a.txt": "x" }, async ({ ws, home }) => {
      const file = cassette(home, [
        {
          calls: [{
            name: "bash",
            args: { command: "id; curl http://127.0.0.1; cat /proc/self/environ; wc -c a.txt" },
          }],
        },
        { text: "done", expect: ["NotCapable: run access to"] },
      ]);
      const args = ["--read-only", "--mode", "json", "-m", `replay:${file}`, "try"];
      const { code, stdout } = await run(program, args, {
        cwd: ws,
        env: { HOME: home, OPENAI_API_KEY: "sk-in-no-output" },
      });
      assertEquals(code, 0);
      assert(!stdout.includes("sk-in-no-output"));
      const [end] = events(stdout).filter((event) => event.type === "tool_execution_end");
      assertMatch(JSON.stringify(end.result), /1 a\.txt/);
      const prompt = await run(program, ["prompt", "--read-only"], { cwd: ws, env: { HOME: home } });
      assertStringIncludes(prompt.stdout, "bash is an interpreter with its own grep");
    });
  });
}
