// Recorded runs as tests of a set-up: as it was, or what is not the same any more.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
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
    const model = ["-m", `replay:${file}`, "--allow-net=x.example"];
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
        run(BINARY, args, { cwd: ws, env: { HOME: home, OPENAI_API_KEY: "k" } });
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
