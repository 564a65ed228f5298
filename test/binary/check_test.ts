// Recorded runs as tests of a set-up: as it was, or what is not the same any more.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { chunk, saying, serve, sse } from "../provider/wire_server.ts";
import { BINARY, cassette, inWorkspace, run } from "../helpers/program.ts";
import { callReply, serveAnswers, textReply } from "../helpers/server.ts";

const CALLS = [
  { calls: [{ name: "bash", args: { command: "cat a.txt; date; pwd; echo new > new.txt; cat /etc/shadow" } }] },
  { calls: [{ name: "read", args: { path: "a.txt" } }] },
  { text: "done" },
];

Deno.test("a recording is as it was until prompt, results or denials change; --update accepts; the workspace stays", () =>
  inWorkspace({ "a.txt": "one\n", "AGENTS.md": "Be brief.\n" }, async ({ ws, home }) => {
    const git = (...args: readonly string[]): void => {
      const who = ["-c", "user.name=n", "-c", "user.email=e@x"];
      assert(new Deno.Command("git", { args: [...who, ...args], cwd: ws }).outputSync().success, args.join(" "));
    };
    git("init", "-qb", "main");
    git("add", "-A");
    git("commit", "-qm", "one");
    const file = cassette(home, CALLS);
    const runs = ["text", "json", "stdin"].map((name) => join(home, `${name}.jsonl`));
    const program = (args: readonly string[], stdin?: string) =>
      run(BINARY, args, { cwd: ws, env: { HOME: home }, ...(stdin === undefined ? {} : { stdin }) });
    const model = ["-m", `replay:${file}`, "--deny-read=other.txt"];
    const [text = "", json = "", stdin = ""] = runs;
    for (
      const [args, words] of [
        [["-p", "--record", text, ...model, "look at it"]],
        [["--mode", "json", "--record", json, ...model, "look at it"]],
        [["-p", "--record", stdin, ...model], "look at it"],
      ] as const
    ) {
      const made = await program(args, words);
      assertEquals(made.code, 0, made.stderr);
      Deno.removeSync(join(ws, "new.txt"));
    }
    git("checkout", "-qb", "another");
    const same = await program(["check", ...runs]);
    assertEquals([same.code, same.stdout.split("\n").at(-2)], [0, "3 of 3 recordings are as they were"], same.stdout);
    // A recording is a cassette like any other.
    assertEquals((await program(["-p", "-m", `replay:${text}`, "--read-only", "again"])).stdout, "done\n");

    Deno.writeTextFileSync(join(ws, "AGENTS.md"), "Be very brief.\n");
    Deno.writeTextFileSync(join(ws, "a.txt"), "two\n");
    const other = await program(["check", text, "--allow-read"]);
    assertEquals(other.code, 5);
    for (
      const line of [
        "section project_context",
        "    -Be brief.",
        "    +Be very brief.",
        "call 2, read",
        "    -one",
        "    +two",
      ]
    ) {
      assertStringIncludes(other.stdout, line);
    }
    assertMatch(other.stdout, /not compared, by rules: .*<workspace>/);
    const denied = JSON.parse((await program(["check", text, "--json", "--deny-read", join(ws, "a.txt")])).stdout);
    const names: readonly string[] = denied[0].changes.map(({ what }: { readonly what: string }) => what);
    assert(names.some((name) => name.startsWith("new: denials of call 2, read")), JSON.stringify(names));

    const before = Deno.readTextFileSync(text);
    Deno.symlinkSync(text, join(home, "link.jsonl"));
    const linked = await program(["check", join(home, "link.jsonl"), "--update"]);
    assertEquals([linked.code, Deno.readTextFileSync(text) === before], [2, true], linked.stderr);
    const updated = await program(["check", text, "--update"]);
    assertEquals(updated.code, 0, updated.stdout);
    assert(Deno.readTextFileSync(text) !== before);
    assertEquals((await program(["check", text])).code, 0);
    assertEquals([...Deno.readDirSync(ws)].map(({ name }) => name).sort(), [".git", "AGENTS.md", "a.txt"]);

    // What cannot be compared is said, and is no success.
    assertEquals((await program(["check", file])).code, 2);
    const lines = Deno.readTextFileSync(json).split("\n");
    Deno.writeTextFileSync(json, lines.filter((line) => !line.includes('"text":"done"') && line !== "").join("\n"));
    const short = await program(["check", json]);
    assertEquals(short.code, 5);
    assertStringIncludes(short.stdout, "end");
  }));

Deno.test("--from plays the first replies on a copy, goes on live, and says what that came to", () =>
  inWorkspace({ "a.txt": "one\n", "AGENTS.md": "Be brief.\n" }, async ({ ws, home }) => {
    const usage = { input: 10, output: 1, costUsd: 5 };
    const replies = [
      { calls: [{ name: "bash", args: { command: "cat a.txt; echo played > new.txt" } }], usage },
      { calls: [{ name: "bash", args: { command: "echo recorded > new.txt" } }], usage },
      { text: "recorded", usage },
    ];
    const server = serveAnswers([
      { events: callReply({ name: "bash", args: { command: "cat new.txt; echo live >> new.txt" } }) },
      { events: textReply("live answer") },
    ]);
    try {
      const agent = join(home, ".sandpiper", "agent");
      Deno.mkdirSync(agent, { recursive: true });
      const settings = { models: { m: { price: { input: 1_000_000, output: 0 } } } };
      Deno.writeTextFileSync(join(agent, "settings.json"), JSON.stringify(settings));
      const file = join(home, "run.jsonl");
      const program = (...args: readonly string[]) =>
        run(BINARY, args, { cwd: ws, env: { HOME: home, OPENAI_API_KEY: "key-of-this-test" } });
      const made = await program("-p", "--record", file, "-m", `replay:${cassette(home, replies)}`, "do it");
      assertEquals(made.code, 0, made.stderr);
      Deno.removeSync(join(ws, "new.txt"));
      const recorded = Deno.readTextFileSync(file);
      const live = ["check", "--base-url", server.baseUrl, "-m", "m", file];

      const went = await program(...live, "--from", "1", "--json");
      assertEquals(went.code, 0, went.stdout + went.stderr);
      const [one] = JSON.parse(went.stdout);
      assertEquals([one.played, one.live, one.outcome, one.answer], [1, 2, "done", "live answer"]);
      // What was played cost nothing this time; one of the two live replies told its 20 tokens, at a dollar each, 8 of a cache.
      assert(one.costUsd > 0 && one.costUsd <= 20, String(one.costUsd));
      assertEquals(one.changes, []);
      assertMatch(one.patch, /\n\+played\n\+live\n/);
      const asked = JSON.stringify(server.requests[0].messages);
      for (const text of ["do it", "cat a.txt; echo played", `"content":"one"`]) assertStringIncludes(asked, text);
      assert(!asked.includes("recorded"), asked);

      Deno.writeTextFileSync(join(ws, "a.txt"), "two\n");
      const shown = await program(...live, "--from=1");
      for (
        const text of ["1 reply played, then 1 of m; 1 change until then", "call 1, bash", "    live answer", "  patch"]
      ) {
        assertStringIncludes(shown.stdout, text);
      }
      for (
        const [args, why] of [
          [[...live, "--from", "4"], "it holds 3 replies"],
          [[...live, "--from", "0"], "above 0"],
          [[...live, "--from", "1.5"], "whole number"],
          [[...live, "--from", "1", "--update"], "is no recording"],
          [["check", file, "--from", "1"], "none is named"],
        ] as const
      ) {
        const refused = await program(...args);
        assertEquals(refused.code, 2, refused.stdout);
        assertStringIncludes(refused.stderr, why);
      }
      assertEquals(Deno.readTextFileSync(file), recorded);
      assertEquals([...Deno.readDirSync(ws)].map(({ name }) => name).sort(), ["AGENTS.md", "a.txt"]);
    } finally {
      await server.close();
    }
  }));

Deno.test("what a recording says gives a run nothing: only the command line of the check does", () =>
  inWorkspace({ "a.txt": "one\n" }, async ({ ws, home }) => {
    const witness = join(home, "written");
    const file = cassette(home, [{ calls: [{ name: "bash", args: { command: `echo out > ${witness}` } }] }, {
      text: "done",
    }]);
    const program = (args: readonly string[]) => run(BINARY, args, { cwd: ws, env: { HOME: home } });
    const made = join(home, "made.jsonl");
    assertEquals((await program(["-p", "-m", `replay:${file}`, "--record", made, "go"])).code, 0);
    const forged = join(ws, "forged.jsonl");
    const forge = (options: readonly string[]): void => {
      Deno.writeTextFileSync(
        forged,
        Deno.readTextFileSync(made).replace('"options":[]', `"options":${JSON.stringify(options)}`),
      );
    };
    const all = ["--sandbox=off", "--allow-write", "--allow-read", "--allow-run"];
    Deno.symlinkSync(home, join(ws, "link"));
    for (
      const [options, code] of [
        // What only looks like an option made a run of the workspace itself, without a sandbox.
        [[...all, "--", "--read-only"], 2],
        [["--append-system-prompt", "--read-only", ...all], 2],
        [["-C/"], 2],
        [["--report=x"], 2],
        [["--model=openai/x"], 2],
        [all, 3],
        ...[
          ...all,
          "--allow-net=x.example",
          "--allow-env=A",
          "--extension=x.ts",
          "--trust",
          `--append-system-prompt=@${made}`,
        ]
          .map((option) => [[option], 3] as const),
        ...["link", "+link", "link/new", "..", "~/x"].map((path) => [[`--allow-read=${path}`], 3] as const),
        [["--allow-write=a.txt", "--append-system-prompt=be / brief", "--max-turns=9"], 5],
      ] as const
    ) {
      forge(options);
      const { code: exit, stdout, stderr } = await program(["check", forged]);
      assertEquals([options, exit], [options, code], stdout + stderr);
    }
    forge(["--allow-net=x.example"]);
    assertEquals((await program(["check", forged, "--allow-net=y.example"])).code, 5);
    assertEquals([...Deno.readDirSync(home)].some(({ name }) => name === "written"), false);
  }));

Deno.test("a recording has no key, in what the run saw no more than in replies, and follows no file in its place", async () => {
  const key = "sk-recorded-123456";
  await inWorkspace(
    { "notes.txt": `the key is ${key}\n`, "AGENTS.md": `Never say ${key}.\n` },
    async ({ ws, home }) => {
      const call = { index: 0, id: "c1", function: { name: "read", arguments: '{"path":"notes.txt"}' } };
      await using server = serve(sse(chunk({ tool_calls: [call] }) + chunk({}, "tool_calls")), saying("done"));
      const file = join(home, "run.jsonl");
      const env = { HOME: home, OPENAI_API_KEY: key, OPENAI_BASE_URL: server.url };
      const ran = await run(BINARY, ["-p", "-m", "openai/m", "--api", "chat", "--record", file, `keep ${key}`], {
        cwd: ws,
        env,
      });
      assertEquals(ran.code, 0, ran.stderr);
      const text = Deno.readTextFileSync(file);
      assertStringIncludes(text, "the key is [key]");
      assertStringIncludes(text, "Never say [key].");
      assertEquals(text.includes(key), false);
    },
  );
});
