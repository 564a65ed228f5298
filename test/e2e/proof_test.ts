import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { serveGated } from "../helpers/gated_server.ts";
import { cassette, events, FULL_PROGRAM, inWorkspace, run, start } from "../helpers/program.ts";
import { callReply, serveAnswers, textReply } from "../helpers/server.ts";
import { until } from "../helpers/until.ts";

// A model's "done" is a word: what a check said, what was denied and what shape the answer has decide.

const BASH = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });

Deno.test("--require: a check that fails goes back to the model until it passes, and every mode shows it", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [
      { text: "Done." },
      { text: "Mending", ...BASH("touch mended") },
      { text: "Now it is done." },
    ]);
    const args = ["-m", `replay:${file}`, "--require", "echo looking; test -e mended", "go"];
    const ran = await run(FULL_PROGRAM, ["-p", "-v", ...args], { cwd: ws, env: { HOME: home } });
    assertEquals([ran.code, ran.stdout], [0, "Now it is done.\n"], ran.stderr);
    assertMatch(ran.stderr, /▸ check echo looking; test -e mended\n {2}failed with exit code 1 .*\n {4}looking/);
    assertMatch(ran.stderr, /▸ check .*\n {2}passed in/);
    Deno.removeSync(`${ws}/mended`);
    const json = await run(FULL_PROGRAM, ["--mode", "json", ...args], { cwd: ws, env: { HOME: home } });
    const checks = events(json.stdout).filter(({ type }) => type === "check_end");
    assertEquals(checks.map(({ attempt, passed, exitCode }) => ({ attempt, passed, exitCode })), [
      { attempt: 1, passed: false, exitCode: 1 },
      { attempt: 2, passed: true, exitCode: 0 },
    ]);
    const back = events(json.stdout).find(({ type, message }) =>
      type === "message_end" && (message as { customType?: string }).customType === "check"
    );
    assertStringIncludes((back?.message as { content: string }).content, "looking");
  });
});

Deno.test("--require: after its tries the run ends with 5 and says which check, and nothing says that it is done", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "Done." }, { text: "Done, really." }]);
    const args = ["-m", `replay:${file}`, "--require", "false", "--require-tries", "1", "--report", "r.json", "go"];
    const ran = await run(FULL_PROGRAM, ["-p", ...args], { cwd: ws, env: { HOME: home } });
    assertEquals(ran.code, 5);
    assertMatch(ran.stderr, /It said last:\n {4}\(no output\)\n {2}fix:/);
    assertStringIncludes(ran.stderr, 'the check "false" ended with exit code 1, also after a correction');
    const report = JSON.parse(Deno.readTextFileSync(`${ws}/r.json`));
    assertEquals([report.outcome, report.exitCode, report.checks], ["unproven", 5, [
      { command: "false", passed: false, runs: 2, exitCode: 1, output: "(no output)" },
    ]]);
    assertEquals(ran.stderr.split("exit code 1").length + ran.stderr.split("with code 1").length, 3, ran.stderr);
  });
});

Deno.test("--fail-on warning counts what was warned of before the run, and so does the report", async () => {
  await inWorkspace({ ".sandpiper/settings.json": '{ "checks": [] }' }, async ({ ws, home }) => {
    const args = ["-p", "-m", `replay:${cassette(home, [{ text: "Done." }])}`, "--report", "r.json"];
    const ran = await run(FULL_PROGRAM, [...args, "--fail-on", "warning", "go"], { cwd: ws, env: { HOME: home } });
    assertEquals([ran.code, ran.stdout], [5, "Done.\n"], ran.stderr);
    assertMatch(ran.stderr, /there was a warning: this project's own configuration .* \(--fail-on warning\)/);
    const { warnings } = JSON.parse(Deno.readTextFileSync(`${ws}/r.json`));
    assertEquals(warnings.length, 1);
    const trusted = await run(FULL_PROGRAM, [...args, "--trust", "--fail-on", "warning", "go"], {
      cwd: ws,
      env: { HOME: home },
    });
    assertEquals(trusted.code, 0, trusted.stderr);
  });
});

Deno.test("a report names kind, target, reason and option of what each file tool was denied, at every level R480", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    Deno.mkdirSync(`${home}/.ssh`);
    Deno.writeTextFileSync(`${home}/.ssh/id`, "s");
    Deno.writeTextFileSync(`${outside}/x`, "s");
    const edits = [{ oldText: "s", newText: "t" }];
    const calls = [
      { name: "read", args: { path: `${outside}/x` } },
      { name: "grep", args: { pattern: "s", path: outside } },
      { name: "find", args: { pattern: "*", path: outside } },
      { name: "ls", args: { path: outside } },
      { name: "write", args: { path: `${outside}/new`, content: "x" } },
      { name: "edit", args: { path: `${home}/.ssh/id`, edits } },
      { name: "write", args: { path: `${home}/new`, content: "x" } },
      { name: "write", args: { path: ".git/config", content: "x" } },
      { name: "read", args: { path: "private/a" } },
    ];
    Deno.mkdirSync(`${ws}/private`);
    Deno.writeTextFileSync(`${ws}/private/a`, "s");
    const args = ["-p", "-q", "-m", `replay:${cassette(home, [{ calls }, { text: "Done." }])}`, "--report", "r.json"];
    const tools = ["-t", "read,write,edit,grep,find,ls", "--deny-read=private"];
    const [read, closed] = ["it is outside the read scope", "and no grant opens it"];
    for (const level of ["auto", "permissions"]) {
      const ran = await run(FULL_PROGRAM, [...args, ...tools, "--sandbox", level, "go"], {
        cwd: ws,
        env: { HOME: home },
      });
      assertEquals(ran.code, 0, ran.stderr);
      const { denials } = JSON.parse(Deno.readTextFileSync(`${ws}/r.json`));
      const fact = (tool: string, kind: string, target: string, why: string, grant: string | null) => {
        return { tool, kind, target, why, grant, calls: 1 };
      };
      const option = `--allow-write=+${home}/`;
      assertEquals(denials, [
        fact("read", "read", `${outside}/x`, read, `--allow-read=+${outside}/x`),
        ...["grep", "find", "ls"].map((tool) => fact(tool, "read", outside, read, `--allow-read=+${outside}`)),
        fact("write", "write", `${outside}/new`, "it is outside the write scope", `--allow-write=+${outside}/`),
        fact("edit", "read", `${home}/.ssh/id`, `it may hold secrets, ${closed}`, null),
        fact(
          "write",
          "write",
          `${home}/new`,
          `it is outside the write scope; only the command line can allow it, with ${option}`,
          option,
        ),
        fact("write", "write", `${ws}/.git/config`, `it is protected, ${closed}`, null),
        fact("read", "read", `${ws}/private/a`, `it was denied with --deny-read or a setting, ${closed}`, null),
      ], level);
    }
  });
});

Deno.test("a check that nothing could run is an error before the first request", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "Done." }]);
    for (const more of [["-t", "read"], ["--no-tools"]]) {
      const args = ["-p", "-m", `replay:${file}`, "--require", "true", ...more, "go"];
      const ran = await run(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
      assertEquals([ran.code, ran.stdout], [2, ""], more.join());
      assertStringIncludes(ran.stderr, 'Cannot run the check "true"');
    }
  });
});

Deno.test("checks of user and trusted project add up; a project takes none of the user's away", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
    Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify({ checks: ["test -e one"] }));
    Deno.mkdirSync(`${ws}/.sandpiper`);
    Deno.writeTextFileSync(`${ws}/.sandpiper/settings.json`, JSON.stringify({ checks: ["test -e two"] }));
    const file = cassette(home, [{ text: "Done." }, { text: "Done." }]);
    const ran = async (...names: string[]) => {
      for (const name of names) Deno.writeTextFileSync(`${ws}/${name}`, "");
      const args = ["-p", "--trust", "-m", `replay:${file}`, "--require-tries", "1", "go"];
      return await run(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    };
    assertStringIncludes((await ran()).stderr, '"test -e one"');
    assertStringIncludes((await ran("one")).stderr, '"test -e two"');
    assertEquals((await ran("two")).code, 0);
  });
});

Deno.test("a denied call is no silent success: one line with the options, and --fail-on denied ends with 5", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    const calls = [{ name: "write", args: { path: `${outside}/x.conf`, content: "x" } }];
    const file = cassette(home, [{ calls }, { text: `Done: wrote ${outside}/x.conf` }]);
    const args = ["-p", "-m", `replay:${file}`, "go"];
    const ran = await run(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    assertEquals(ran.code, 0);
    assertStringIncludes(
      ran.stderr,
      `warning: 1 call was denied, the last of the run. To allow it: --allow-write=+${outside}/\n`,
    );
    // No grant is known: nothing claims that none helps, and nothing advises one.
    const secret = cassette(outside, [{ calls: [{ name: "read", args: { path: "/etc/shadow" } }] }, { text: "Done." }]);
    const words = ["-p", "-m", `replay:${secret}`, "--report", "r.json", "go"];
    const unknownGrant = await run(FULL_PROGRAM, words, { cwd: ws, env: { HOME: home } });
    assertMatch(
      unknownGrant.stderr,
      /^warning: denied: read \/etc\/shadow: it may hold secrets, and no grant opens it\nwarning: 1 call was denied, the last of the run. The warnings above say why\n$/,
    );
    const { deniedCalls, denials: [denied] } = JSON.parse(Deno.readTextFileSync(`${ws}/r.json`));
    const why = "it may hold secrets, and no grant opens it";
    const shadow = { tool: "read", kind: "read", target: "/etc/shadow", why, grant: null, calls: 1 };
    assertEquals([deniedCalls, denied], [1, shadow]);
    const quiet = await run(FULL_PROGRAM, ["-q", ...args], { cwd: ws, env: { HOME: home } });
    assertEquals([quiet.code, quiet.stderr], [0, ""]);
    const failing = await run(FULL_PROGRAM, ["--fail-on", "denied,tool-error", ...args], {
      cwd: ws,
      env: { HOME: home },
    });
    assertEquals(failing.code, 5);
    assertStringIncludes(
      failing.stderr,
      "1 call was denied (--fail-on denied); 1 call of tools failed (--fail-on tool-error)",
    );
    const unknown = await run(FULL_PROGRAM, ["--fail-on", "sadness", ...args], { cwd: ws, env: { HOME: home } });
    assertEquals(unknown.code, 2);
    assertStringIncludes(unknown.stderr, "denied, tool-error, no-change, change, warning");
  });
});

Deno.test("--report says what happened, also of a run that failed or was ended by a limit; json mode ends with the same", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    const file = cassette(home, [
      { calls: [{ name: "bash", args: { command: "exit 3" } }, { name: "read", args: { path: `${outside}/no` } }] },
      { text: "Done.", usage: { input: 100, output: 5 } },
    ]);
    const args = ["--mode", "json", "-m", `replay:${file}`, "--report", "r.json", "go"];
    const ran = await run(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    const last = events(ran.stdout).at(-1) as Record<string, unknown>;
    const report = JSON.parse(Deno.readTextFileSync(`${ws}/r.json`));
    assertEquals(last, report);
    assertEquals([report.type, report.outcome, report.exitCode, report.answer], ["run_report", "done", 0, "Done."]);
    assertEquals(report.commands.map(({ command, exitCode }: Record<string, unknown>) => [command, exitCode]), [[
      "exit 3",
      3,
    ]]);
    assertEquals([report.failedCalls, report.deniedCalls, report.denials[0].tool], [2, 1, "read"]);
    assertMatch(report.denials[0].grant, /^--allow-read=\+/);
    assertEquals(report.totals.output, 5);
    assert(report.sessionId && report.prompt.full.length === 64 && report.sandbox.level);

    const limited = cassette(home, [{ calls: [{ name: "bash", args: { command: "true" } }] }, {
      text: "Out of turns",
    }]);
    const more = ["-p", "-m", `replay:${limited}`, "--max-turns", "1", "--report", "l.md", "go"];
    assertEquals((await run(FULL_PROGRAM, more, { cwd: ws, env: { HOME: home } })).code, 4);
    const page = Deno.readTextFileSync(`${ws}/l.md`);
    assertStringIncludes(page, "## Ended by a limit (exit code 4)");
    assertStringIncludes(page, "| `true` | 0 |");

    const failing = cassette(home, [{ error: { status: 400, message: "no such thing" } }]);
    const failed = ["-p", "-m", `replay:${failing}`, "--report", "f.json", "go"];
    assertEquals((await run(FULL_PROGRAM, failed, { cwd: ws, env: { HOME: home } })).code, 1);
    const said = JSON.parse(Deno.readTextFileSync(`${ws}/f.json`));
    assertEquals([said.outcome, said.exitCode], ["error", 1]);
    assertStringIncludes(said.why, "no such thing");

    const nowhere = ["-p", "-m", `replay:${failing}`, "--report", "no/such/f.json", "go"];
    const refused = await run(FULL_PROGRAM, nowhere, { cwd: ws, env: { HOME: home } });
    assertEquals(refused.code, 2);
    assertStringIncludes(refused.stderr, "there is no folder");
  });
});

Deno.test("--output-schema: -p prints exactly the JSON; what does not fit goes back twice, then exit 5 with the text in the report", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const schema = {
      $defs: { level: { enum: ["low", "high"] } },
      type: "object",
      properties: {
        findings: {
          type: "array",
          items: { type: "object", properties: { level: { $ref: "#/$defs/level" } }, required: ["level"] },
        },
      },
      required: ["findings"],
      additionalProperties: false,
    };
    Deno.writeTextFileSync(`${ws}/s.json`, JSON.stringify(schema));
    const good = '{"findings": [{"level": "low"}]}';
    const file = cassette(home, [{ text: "Here it is." }, { text: '{"findings": [{"level": "huge"}]}' }, {
      text: "```json\n" + good + "\n```",
      expect: ["/findings/0/level"],
    }]);
    const args = (
      name: string,
    ) => ["-p", "-m", `replay:${name}`, "--output-schema", "s.json", "-o", "out.json", "--report", "r.json", "go"];
    const ran = await run(FULL_PROGRAM, args(file), { cwd: ws, env: { HOME: home } });
    assertEquals([ran.code, ran.stdout], [0, good + "\n"], ran.stderr);
    assertEquals(Deno.readTextFileSync(`${ws}/out.json`), good + "\n");
    Deno.removeSync(`${ws}/out.json`);
    const bad = cassette(home, [{ text: "One" }, { text: "Two" }, { text: "Three" }]);
    const failed = await run(FULL_PROGRAM, args(bad), { cwd: ws, env: { HOME: home } });
    assertEquals([failed.code, failed.stdout], [5, ""]);
    assertStringIncludes(failed.stderr, 'the answer does not fit the schema "s.json": it is no JSON');
    const report = JSON.parse(Deno.readTextFileSync(`${ws}/r.json`));
    assertEquals([report.outcome, report.answer], ["unproven", "Three"]);
    assertEquals([...Deno.readDirSync(ws)].some(({ name }) => name === "out.json"), false);
    for (
      const [text, why] of [["{", "JSON"], ['{"$ref": "#/nowhere"}', "nowhere"], ["[]", "object"], [
        '{"properties": {"type": {"type": "objekt"}}}',
        'the type "objekt"',
      ]] as const
    ) {
      Deno.writeTextFileSync(`${ws}/s.json`, text);
      const wrong = await run(FULL_PROGRAM, args(bad), { cwd: ws, env: { HOME: home } });
      assertEquals(wrong.code, 2, text);
      assertStringIncludes(wrong.stderr, why);
    }
  });
});

Deno.test("--report is written of a run that a signal ended, and of one whose check a signal ended", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    await using server = serveGated([
      [{ gate: "never" }, ...callReply({ name: "bash", args: { command: "true" } })],
    ]);
    const env = { HOME: home, OPENAI_BASE_URL: server.baseUrl };
    const args = ["-p", "-q", "-m", "m", "--report", "r.json", "go"];
    const waiting = start(FULL_PROGRAM, args, { cwd: ws, env });
    await until(() => server.requests.length > 0);
    waiting.kill("SIGINT");
    assertEquals((await waiting.output()).code, 130);
    const report = JSON.parse(Deno.readTextFileSync(`${ws}/r.json`));
    assertEquals([report.outcome, report.exitCode, report.why], ["aborted", 130, "it was interrupted"]);
    const file = cassette(home, [{ text: "Done." }]);
    const checked = [
      "-p",
      "-q",
      "-m",
      `replay:${file}`,
      "--require",
      "touch began; sleep 60",
      "--report",
      "c.json",
      "go",
    ];
    const checking = start(FULL_PROGRAM, checked, { cwd: ws, env: { HOME: home } });
    await until(() => [...Deno.readDirSync(ws)].some(({ name }) => name === "began"));
    checking.kill("SIGTERM");
    assertEquals((await checking.output()).code, 143);
    const ended = JSON.parse(Deno.readTextFileSync(`${ws}/c.json`));
    assertEquals([ended.outcome, ended.exitCode], ["aborted", 143]);
  });
});

Deno.test("--fail-on change and no-change go by the disk, not by what was said; the report has files with their lines", async () => {
  await inWorkspace({ "a.txt": "one\ntwo\n" }, async ({ ws, home }) => {
    const env = { HOME: home };
    const ran = async (command: string, condition: string) => {
      const file = cassette(home, [BASH(command), { text: "Done: changed nothing and everything." }]);
      const args = ["-p", "-q", "-m", `replay:${file}`, "--fail-on", condition, "--report", `${home}/r.json`, "go"];
      const { code, stderr } = await run(FULL_PROGRAM, args, { cwd: ws, env });
      return { code, stderr, report: JSON.parse(Deno.readTextFileSync(`${home}/r.json`)) };
    };
    const changed = await ran("echo three >> a.txt; rm -f gone; echo new > b.txt", "change");
    assertEquals(changed.code, 5);
    assertStringIncludes(changed.stderr, "2 files were changed (--fail-on change)");
    const files = changed.report.changes.files as readonly Record<string, unknown>[];
    assertEquals(files.map(({ path, kind, linesAdded, linesRemoved }) => [path, kind, linesAdded, linesRemoved]), [
      ["a.txt", "changed", 1, 0],
      ["b.txt", "created", 1, 0],
    ]);
    assertEquals((await ran("echo four >> a.txt", "no-change")).code, 0);
    const same = await ran("cp a.txt c; mv c a.txt", "no-change");
    assertEquals([same.code, same.report.changes.files], [5, []], JSON.stringify(same.report.changes));
    assertStringIncludes(same.stderr, "no file was changed (--fail-on no-change)");
    Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
    Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify({ checkpoints: false }));
    const file = cassette(home, [{ text: "Done." }]);
    const off = await run(FULL_PROGRAM, ["-p", "-m", `replay:${file}`, "--fail-on", "change", "go"], { cwd: ws, env });
    assertEquals(off.code, 2);
    assertStringIncludes(off.stderr, "checkpoints is false");
  });
});

Deno.test("a check of the settings runs after a turn that changed its files, and tells only what is new of these files", async () => {
  await inWorkspace({ "a.ts": "bad 1\n", "b.ts": "bad 2\n" }, async ({ ws, home }) => {
    const command = "grep -n bad *.ts | sed 's/:bad/: complaint about bad/'; false";
    Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
    const checks = [{ command, files: "**/*.ts", when: "turn" }];
    Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify({ checks }));
    const file = cassette(home, [
      BASH("ls"),
      { ...BASH("echo note > notes.md") },
      { ...BASH("sed -i '1i first' a.ts; echo 'bad 3' >> a.ts") },
      {
        ...BASH("sed -i '1i zeroth' a.ts; echo 'bad by far' >> a.ts"),
        expect: ["complaint about bad 1", "complaint about bad 3"],
      },
      { text: "Done.", expect: ["complaint about bad by far"] },
    ]);
    const args = ["--mode", "json", "-m", `replay:${file}`, "go"];
    const ran = await run(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    assertEquals(ran.code, 0, ran.stderr);
    const lines = events(ran.stdout);
    assertEquals(lines.filter(({ type }) => type === "check_end").length, 2);
    const told = lines.flatMap(({ type, message }) =>
      type === "message_end" && message.customType === "check" ? [message.content] : []
    );
    assertEquals(told.map((text) => [/bad 1/, /bad 2/, /bad 3/, /bad by far/].map((one) => one.test(text))), [
      [true, false, true, false],
      [false, false, false, true],
    ]);
  });
});

Deno.test("a task that an extension takes does not pass for one whose demands hold", async () => {
  await inWorkspace({
    "e.ts": `export default (sp) => sp.registerCommand("greet", { description: "greets", handler() {} });\n`,
    "s.json": "{}",
  }, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "Done." }]);
    const ran = async (...more: string[]) => {
      const args = ["-p", "-m", `replay:${file}`, "-e", `${ws}/e.ts`, "--report", "r.json", ...more, "/greet"];
      const { code, stdout, stderr } = await run(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
      const { outcome, exitCode } = JSON.parse(Deno.readTextFileSync(`${ws}/r.json`));
      return { code, stdout, stderr, outcome, exitCode };
    };
    assertEquals((await ran()).code, 0);
    for (const demand of [["--require", "false"], ["--output-schema", "s.json"]]) {
      const { stderr, ...rest } = await ran(...demand, "-o", "out");
      assertEquals(rest, { code: 5, stdout: "", outcome: "unproven", exitCode: 5 });
      assertStringIncludes(stderr, `nobody looked at what ${demand[0]} demands`);
      assertEquals([...Deno.readDirSync(ws)].some(({ name }) => name === "out"), false);
    }
  });
});

Deno.test("--output-schema: only the corrected answer is bound by the server; a forced call is the answer and nothing runs", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const schema = { type: "array", items: { $ref: "#/$defs/level" }, $defs: { level: { enum: ["low", "high"] } } };
    Deno.writeTextFileSync(`${ws}/s.json`, JSON.stringify(schema));
    const server = serveAnswers([
      { events: textReply("The levels are low and high.") },
      { status: 400, body: JSON.stringify({ error: { message: "response_format: json_schema is not supported" } }) },
      { events: callReply({ name: "final_answer", args: { answer: ["huge"] } }) },
      { events: callReply({ name: "final_answer", args: '{"answer": [ "low","high" ]}' }) },
    ]);
    try {
      const env = { HOME: home, OPENAI_BASE_URL: server.baseUrl };
      const args = ["-p", "-m", "m", "--output-schema", "s.json", "--report", "r.json", "go"];
      const ran = await run(FULL_PROGRAM, args, { cwd: ws, env });
      assertEquals([ran.code, ran.stdout], [0, '[ "low","high" ]\n'], ran.stderr);
      const [free, field, ...forced] = server.requests;
      assertEquals(["response_format" in free, "tool_choice" in free], [false, false]);
      assertEquals([field.response_format.json_schema.schema, field.tool_choice], [schema, "none"]);
      assertEquals(forced.map(({ tool_choice }) => tool_choice.function.name), ["final_answer", "final_answer"]);
      assertEquals(JSON.parse(Deno.readTextFileSync(`${ws}/r.json`)).answer, '[ "low","high" ]');
      assertStringIncludes(JSON.stringify(forced.at(-1).messages), "/0: ");
    } finally {
      await server.close();
    }
  });
});

Deno.test("--report repeats, - is standard output in place of the answer; two things never share it", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "Done." }]);
    const ran = async (...more: string[]) =>
      await run(FULL_PROGRAM, ["-p", "-m", `replay:${file}`, ...more, "go"], { cwd: ws, env: { HOME: home } });
    const both = await ran("--report", "a.json", "--report", "b.md", "--report", "-");
    assertEquals(both.code, 0, both.stderr);
    assertEquals(JSON.parse(both.stdout), JSON.parse(Deno.readTextFileSync(`${ws}/a.json`)));
    assertMatch(Deno.readTextFileSync(`${ws}/b.md`), /^## Done/);
    assertEquals((await ran("-o", "-")).stdout, "Done.\n");
    for (
      const more of [["--report", "-", "-o", "-"], ["--mode", "json", "-o", "-"], ["--mode", "json", "--report", "-"]]
    ) {
      const refused = await ran(...more);
      assertEquals([refused.code, refused.stdout], [2, ""], more.join(" "));
      assertStringIncludes(refused.stderr, "Cannot write to standard output");
    }
    assertEquals([...Deno.readDirSync(ws)].map(({ name }) => name).sort(), ["a.json", "b.md"]);
    // A place that cannot be written keeps no other one back.
    const taken = cassette(home, [{ calls: [{ name: "bash", args: { command: "mkdir c.json" } }] }, { text: "Done." }]);
    const left = await run(
      FULL_PROGRAM,
      ["-p", "-m", `replay:${taken}`, "--report", "c.json", "--report", "d.md", "go"],
      { cwd: ws, env: { HOME: home } },
    );
    assertEquals(left.code, 1, left.stderr);
    assertMatch(Deno.readTextFileSync(`${ws}/d.md`), /^## Done/);
  });
});
