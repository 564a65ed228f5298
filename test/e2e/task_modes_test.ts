import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { cassette, events, inWorkspace, PROGRAM, run, start } from "../helpers/program.ts";
import { callReply, serveAnswers, textReply } from "../helpers/server.ts";

// What text and json mode say of a run beside its answer: denials, limits that cannot hold, sums, why it failed.

Deno.test("-p names each distinct denial once with the option that lifts it; -q does not R480", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    Deno.writeTextFileSync(`${outside}/secret.txt`, "s");
    const calls = [
      { name: "read", args: { path: `${outside}/secret.txt` } },
      { name: "read", args: { path: `${outside}/secret.txt` } },
      { name: "write", args: { path: `${outside}/new.txt`, content: "x" } },
      { name: "bash", args: { command: `cat ${outside}/secret.txt` } },
      { name: "write", args: { path: ".git/config", content: "x" } },
    ];
    const file = cassette(home, [{ calls }, { text: "Done." }]);
    const args = ["-p", "-m", `replay:${file}`, "go"];
    const ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
    assertEquals([ran.code, ran.stdout], [0, "Done.\n"]);
    const lines = ran.stderr.trim().split("\n").filter((line) => line.includes("denied"));
    assertEquals(lines.slice(0, 3).filter((line) => line.includes("secret.txt")).length, 1, ran.stderr);
    assertMatch(
      ran.stderr,
      new RegExp(`^warning: denied: read ${outside}/secret.txt; --allow-read=\\S+ allows it$`, "m"),
    );
    assertMatch(ran.stderr, new RegExp(`^warning: denied: write ${outside}/\\S+; --allow-write=\\S+ allows it$`, "m"));
    assertMatch(ran.stderr, /^warning: denied: write .*\.git\/config: it is protected, and no grant opens it$/m);
    assertEquals(lines.length, 4, ran.stderr);
    // The last one says it of the whole run.
    assertMatch(
      lines[3] ?? "",
      /^warning: 5 calls were denied, including the last of the run\. To allow a part: --allow-.*; for the rest see the warnings above$/,
    );
    const quiet = await run(PROGRAM, ["-q", ...args], { cwd: ws, env: { HOME: home } });
    assertEquals(quiet, { code: 0, stdout: "Done.\n", stderr: "" });
    // What is advised works as it stands.
    const [option = ""] = /--allow-read=\S+/.exec(ran.stderr) ?? [];
    const allowed = await run(PROGRAM, ["--mode", "json", option, ...args.slice(1)], {
      cwd: ws,
      env: { HOME: home },
    });
    assertEquals(events(allowed.stdout).find(({ type }) => type === "tool_execution_end").isError, false);
  });
});

Deno.test("-p tells of everything that one command was denied, each with its grant or why there is none R480", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    for (const name of ["one", "two"]) Deno.writeTextFileSync(`${outside}/${name}`, "s");
    Deno.mkdirSync(`${home}/.ssh`);
    Deno.writeTextFileSync(`${home}/.ssh/id_ed25519`, "s");
    const command = `cat ${outside}/one; cat ${outside}/two; cat ${home}/.ssh/id_ed25519; false`;
    const file = cassette(home, [{ calls: [{ name: "bash", args: { command } }] }, { text: "Done." }]);
    for (const more of [[], ["--allow-run=cat"], ["--allow-run=ls"]]) {
      const args = ["-p", "-m", `replay:${file}`, ...more, "go"];
      const { code, stderr } = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
      assertEquals(code, 0);
      for (const name of ["one", "two"]) {
        assertStringIncludes(
          stderr,
          `warning: denied: read ${outside}/${name}; --allow-read=+${outside}/${name} allows it\n`,
        );
      }
      assertMatch(
        stderr,
        /^warning: denied: read .*\.ssh\/id_ed25519: it may hold secrets, and no grant opens it$/m,
      );
    }
  });
});

Deno.test("-p names on standard error what was moved aside or put back after a command, whole R478", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    Deno.writeTextFileSync(`${outside}/x`, "s");
    Deno.mkdirSync(`${ws}/.vscode`);
    Deno.writeTextFileSync(`${ws}/.vscode/tasks.json`, "{}\n");
    new Deno.Command("git", { args: ["init", "-q", `${ws}/sub`] }).outputSync();
    const command =
      `echo x > .envrc; echo x > .mcp.json; echo x > .vscode/tasks.json; git -C sub config core.fsmonitor evil; cat ${outside}/x`;
    const file = cassette(home, [{ calls: [{ name: "bash", args: { command } }] }, { text: "Done." }]);
    const args = ["-p", "-m", `replay:${file}`, "go"];
    const { stderr } = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
    for (const name of [".envrc", ".mcp.json"]) {
      const line = stderr.split("\n").find((line) => line.startsWith(`warning: in bash: Removed ${name}: protected`));
      const kept = /what stood there is (\S+)\.$/.exec(line ?? "")?.[1] ?? stderr;
      assertEquals(Deno.readTextFileSync(kept), "x\n");
    }
    for (
      const line of [
        `denied: write ${ws}/.vscode/tasks.json: it is protected, and no grant opens it`,
        `denied: read ${outside}/x; --allow-read=+${outside}/x allows it`,
      ]
    ) assertStringIncludes(stderr, `warning: ${line}\n`);
    assertMatch(
      stderr,
      /^warning: in bash: Restored sub\/\.git\/config: .* core\.fsmonitor; what stood there is \S+\.$/m,
    );
    assertEquals(stderr.trim().split("\n").filter((line) => line.startsWith("warning: ")).length, 6, stderr);
    assertMatch(
      stderr,
      /^warning: 1 call was denied, the last of the run\. To allow a part: --allow-read=\S+; for the rest see/m,
    );
  });
});

Deno.test("--max-cost for a model without a known price is refused before any request, and the setting mends it", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const server = serveAnswers([{ events: textReply("Hi.") }]);
    try {
      const env = { HOME: home };
      const ask = (...more: readonly string[]) =>
        run(PROGRAM, ["-p", "-q", "--base-url", server.baseUrl, "-m", "my-own", ...more, "hi"], { cwd: ws, env });
      const refused = await ask("--max-cost", "1");
      assertEquals([refused.code, refused.stdout, server.requests.length], [2, "", 0], refused.stderr);
      assertStringIncludes(refused.stderr, "models.my-own.price");
      Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
      const settings = (value: object): void =>
        Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify(value));
      settings({ limits: { maxCostUsd: 1 } });
      assertEquals((await ask()).code, 2);
      settings({ models: { "my-own": { price: { input: 1, output: 1 } } } });
      assertEquals([await ask("--max-cost", "1"), server.requests.length], [
        { code: 0, stdout: "Hi.\n", stderr: "" },
        1,
      ]);
    } finally {
      await server.close();
    }
  });
});

Deno.test("the last event of json mode has what the run used up", async () => {
  await inWorkspace({ "a.txt": "a" }, async ({ ws, home }) => {
    const file = cassette(home, [
      {
        calls: [{ name: "read", args: { path: "a.txt" } }, { name: "ls", args: {} }],
        usage: { input: 100, output: 10, costUsd: 0.5 },
      },
      { text: "Done.", usage: { input: 20, output: 2, cacheRead: 100, costUsd: 0.25 } },
    ]);
    const ran = await run(PROGRAM, ["--mode", "json", "-m", `replay:${file}`, "go"], {
      cwd: ws,
      env: { HOME: home },
    });
    const { totals: { durationMs, ...totals }, ...last } = events(ran.stdout).at(-2);
    assertEquals(last, { type: "agent_settled", aborted: false });
    assertEquals(events(ran.stdout).at(-1).totals, { durationMs, ...totals });
    assertEquals(totals, {
      turns: 2,
      toolCalls: 2,
      input: 120,
      output: 12,
      cacheRead: 100,
      cacheWrite: 0,
      totalTokens: 232,
      cost: 0.75,
    });
    assert(durationMs > 0 && durationMs < 60_000, String(durationMs));
    const free = cassette(home, [{ text: "Done.", usage: { input: 1, output: 1 } }]);
    const unpriced = await run(PROGRAM, ["--mode", "json", "-m", `replay:${free}`, "go"], {
      cwd: ws,
      env: { HOME: home },
    });
    assert(!("cost" in events(unpriced.stdout).at(-1).totals));
  });
});

Deno.test("json mode says on standard error why it exits with 1", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const server = serveAnswers([{ status: 401, body: JSON.stringify({ error: { message: "bad key" } }) }]);
    try {
      const env = { HOME: home, OPENAI_API_KEY: "sk-test-0123456789", OPENAI_BASE_URL: server.baseUrl };
      const ran = await run(PROGRAM, ["--mode", "json", "-q", "-m", "gpt-5", "hi"], { cwd: ws, env });
      assertEquals(ran.code, 1);
      assertMatch(ran.stderr, /^error: .*\n {2}why: .*401.*\n {2}fix: .*\n$/);
      const report = events(ran.stdout).at(-1);
      assertEquals([report.type, report.outcome, report.exitCode], ["run_report", "error", 1]);
    } finally {
      await server.close();
    }
  });
});

Deno.test("json mode whose reader has gone away says so and exits with 1", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const server = serveAnswers([{ events: callReply({ name: "bash", args: { command: "echo on" } }) }]);
    try {
      const env = { HOME: home, OPENAI_BASE_URL: server.baseUrl };
      const child = start(PROGRAM, ["--mode", "json", "-q", "-m", "m", "hi"], { cwd: ws, env });
      const reader = child.stdout.getReader();
      await reader.read();
      await reader.cancel();
      const stderr = await new Response(child.stderr).text();
      assertEquals((await child.status).code, 1);
      assertMatch(stderr, /^error: .*\n {2}why: nobody reads .*\n {2}fix: .*\n$/);
    } finally {
      await server.close();
    }
  });
});

Deno.test("a /name that names nothing is a usage error with -p and in json mode; a path begins a message", async () => {
  const template = { ".sandpiper/prompts/review.md": "Review $1." };
  await inWorkspace(template, async ({ ws, home }) => {
    const server = serveAnswers([{ events: textReply("Yes.") }]);
    try {
      const ask = (mode: readonly string[], text: string) =>
        run(PROGRAM, [...mode, "-q", "--trust", "--base-url", server.baseUrl, "-m", "m", text], {
          cwd: ws,
          env: { HOME: home },
        });
      for (
        const [text, says] of [["/reveiw a.ts", "/review"], ["/model x", "/model"], ["/skill:none", "none"]] as const
      ) {
        for (const mode of [["-p"], ["--mode", "json"]]) {
          const ran = await ask(mode, text);
          assertEquals([ran.code, server.requests.length], [2, 0], ran.stderr);
          assertStringIncludes(ran.stderr, says);
        }
      }
      for (const text of ["/review a.ts", "/etc/hosts is wrong", "/tmp is full", "/skill:review"]) {
        assertEquals([text, (await ask(["-p"], text)).code], [text, 0]);
      }
      assertEquals(server.requests.length, 4);
    } finally {
      await server.close();
    }
  });
});

Deno.test("words that were meant as a command reach no model", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const server = serveAnswers([{ events: textReply("Yes.") }]);
    try {
      const ask = (...args: readonly string[]) =>
        run(PROGRAM, args, { cwd: ws, env: { HOME: home, OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: "k" } });
      const model = ["-q", "-m", "m"];
      for (
        const words of [["sessoins"], ["config"], [...model, "tool", "bash", "--", "ls"], [...model, "sessions"], [
          ...model,
          "-p",
          "skil",
        ], [
          "--json",
          "sessions",
        ]]
      ) {
        const ran = await ask(...words);
        assertEquals([ran.code, ran.stdout], [2, ""], ran.stderr);
        assertMatch(ran.stderr, /^error: .*\n {2}why: .*\n {2}fix: .*\n$/);
      }
      const help = await ask("help");
      assertEquals([help.code, help.stderr, help.stdout], [0, "", (await ask("--help")).stdout]);
      assertEquals((await ask("help", "sessions")).stdout, (await ask("sessions", "--help")).stdout);
      assertEquals(server.requests.length, 0);
      assertEquals((await ask(...model, "fix", "the", "tests")).stdout, "Yes.\n");
      assertEquals((await ask(...model, "--", "sessions")).stdout, "Yes.\n");
    } finally {
      await server.close();
    }
  });
});

Deno.test("401 without a key says that none was sent, and which variable it would be read from", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const server = serveAnswers([{ status: 401, body: JSON.stringify({ error: { message: "there is none here" } }) }]);
    try {
      const ask = (env: Record<string, string>) =>
        run(PROGRAM, ["-p", "-q", "--base-url", server.baseUrl, "-m", "m", "hi"], {
          cwd: ws,
          env: { HOME: home, ...env },
        });
      const without = await ask({});
      assertEquals(without.code, 1);
      assertMatch(without.stderr, /No key was sent: OPENAI_API_KEY is not set/);
      assertStringIncludes(without.stderr, "there is none here");
      assert(!without.stderr.includes("was read"), without.stderr);
      assertMatch((await ask({ OPENAI_API_KEY: "sk-test-0123456789" })).stderr, /The key was read from OPENAI_API_KEY/);
    } finally {
      await server.close();
    }
  });
});

Deno.test("what is assumed of an unknown model on this machine is said once for each model", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const server = serveAnswers([{ events: textReply("Hi.") }]);
    try {
      const ask = async (model: string) => {
        const args = ["-p", "--base-url", server.baseUrl, "-m", model, "hi"];
        const { code, stderr } = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
        return [code, stderr.includes(`nothing is known of the model ${model}`)];
      };
      assertEquals(await ask("one"), [0, true]);
      assertEquals(await ask("one"), [0, false]);
      assertEquals(await ask("two"), [0, true]);
      assertEquals([await ask("one"), await ask("two")], [[0, false], [0, false]]);
    } finally {
      await server.close();
    }
  });
});

Deno.test("limits.maxReplyCharacters bounds a reply; a project lowers it and does not raise it", async () => {
  const project = (max: number) => ({
    ".sandpiper/settings.json": JSON.stringify({ limits: { maxReplyCharacters: max } }),
  });
  for (const [own, theirs, code] of [[20, 9000, 1], [9000, 20, 1], [undefined, 20, 1], [9000, undefined, 0]] as const) {
    await inWorkspace(theirs === undefined ? {} : project(theirs), async ({ ws, home }) => {
      const server = serveAnswers([{ events: textReply("A reply of more than twenty characters.") }]);
      try {
        if (own !== undefined) {
          Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
          Deno.writeTextFileSync(
            `${home}/.sandpiper/agent/settings.json`,
            JSON.stringify({ limits: { maxReplyCharacters: own } }),
          );
        }
        const args = ["-p", "-q", "--trust", "--base-url", server.baseUrl, "-m", "m", "hi"];
        const ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
        assertEquals([ran.code, server.requests.length], [code, 1], ran.stderr);
        if (code === 1) assertStringIncludes(ran.stderr, "limits.maxReplyCharacters");
      } finally {
        await server.close();
      }
    });
  }
});

Deno.test("sandpiper demo plays its task without model, key and input, and leaves nothing behind", () =>
  inWorkspace({}, async ({ ws, home }) => {
    const temporary = join(home, "tmp");
    Deno.mkdirSync(temporary);
    const place = { cwd: ws, env: { HOME: home, TMPDIR: temporary } };
    // Standard input stays open: the task is the recorded one.
    const child = start(PROGRAM, ["demo"], { ...place, stdin: "" });
    const { code, stdout, stderr } = await child.output();
    await child.stdin.close();
    const [out, said] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assertMatch(out ?? "", /^The test passes now:[^]*nothing left your machine\.\n$/);
    assertMatch(
      said ?? "",
      /▸ bash sh test\.sh\n {2}failed [^]*▸ edit add\.js\n {2}ok [^]*▸ bash sh test\.sh\n {2}ok /,
    );
    assertEquals([code, [...Deno.readDirSync(temporary)].map(({ name }) => name)], [0, []]);
    assertEquals([...Deno.readDirSync(ws)].length, 0);
    const none = await run(PROGRAM, ["-p", "hi"], place);
    // Where a server of models happens to run on this machine that is offered instead.
    assertEquals([none.code, /sandpiper demo|answers at 127\.0\.0\.1/.test(none.stderr)], [2, true], none.stderr);
    const keyless = await run(PROGRAM, ["-p", "--model", "x", "hi"], place);
    assertEquals([keyless.code, /sandpiper demo/.test(keyless.stderr)], [2, true], keyless.stderr);
    for (
      const [words, fix] of [[["demo", "now"], "Write sandpiper demo"], [["tool", "bsh", "--", "ls"], "tool bash"]]
    ) {
      const ran = await run(PROGRAM, words as string[], place);
      assertEquals([ran.code, ran.stderr.includes(fix as string)], [2, true], ran.stderr);
    }
  }));

for (const mode of ["text", "json"]) {
  Deno.test({
    name:
      `a run in ${mode} mode whose output cannot be written ends with a clear error and a session that -c completes`,
    ignore: Deno.build.os !== "linux",
    fn: () =>
      inWorkspace({}, async ({ ws, home }) => {
        const place = { cwd: ws, env: { HOME: home } };
        const full = (redirect: string): typeof PROGRAM => ({
          name: "with a full disk",
          command: ["/bin/sh", "-c", `"$@" ${redirect} /dev/full`, "sh", ...PROGRAM.command],
        });
        const replies = [{ calls: [{ name: "write", args: { path: "a.txt", content: "a" } }] }, { text: "Half." }];
        const args = ["--mode", mode, "--model", `replay:${cassette(home, replies)}`, "go"];
        const ran = await run(full(">"), args, place);
        assertEquals(ran.code, 1, ran.stderr);
        assertMatch(
          ran.stderr,
          /^error: Cannot write to standard output\n {2}why: the disk is full\n {2}fix: .*sandpiper -c/m,
        );
        const model = `replay:${cassette(home, [{ text: "Whole.", expect: ["go"] }])}`;
        const next = await run(PROGRAM, ["-p", "-c", "--model", model, "go on"], place);
        assertEquals([next.code, next.stdout], [0, "Whole.\n"], next.stderr);
        // What cannot be said on standard error ends nothing.
        const quiet = await run(full("2>"), ["--mode", mode, "-e", "/none.ts", "--model", model, "go"], place);
        assertEquals(quiet.code, 2);
        const denied = [{ calls: [{ name: "read", args: { path: "/root/none" } }] }, { text: "Said." }];
        const unsaid = await run(full("2>"), ["-p", "--model", `replay:${cassette(home, denied)}`, "go"], place);
        assertEquals([unsaid.code, unsaid.stdout], [0, "Said.\n"]);
      }),
  });
}
