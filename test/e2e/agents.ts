import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { cassette, events, inWorkspace, type Program, run } from "../helpers/program.ts";

const agent = (front: string): string => `---\ndescription: Writes the manual.\n${front}---\nWrite short sentences.\n`;
const bash = (command: string) => ({ name: "bash", args: { command } });
const write = (path: string) => ({ name: "write", args: { path, content: "made\n" } });
const read = (path: string) => ({ name: "read", args: { path } });

/** Whether each call of a tool came to its end, in order: of the agent itself, or of one sub-agent. */
function results(stdout: string, agentId?: string): readonly (readonly [string, boolean, string])[] {
  const own = events(stdout).flatMap((event) =>
    agentId === undefined ? [event] : event.type === "subagent_event" && event.agentId === agentId ? [event.event] : []
  );
  return own.flatMap(({ type, message }) =>
    type === "message_end" && message.role === "toolResult"
      ? [[message.toolName, !message.isError, message.content[0]?.text ?? ""] as const]
      : []
  );
}

/** What `sandpiper agents`, `--agent` and the agents that ship promise. */
export function agentFiles(program: Program): void {
  const test = (name: string, work: () => Promise<void>): void => Deno.test(`${program.name}: ${name}`, work);

  test("agents list has those of the project, of the user and of the program, and what was left out with the reason", () =>
    inWorkspace({
      ".sandpiper/agents/manual.md": agent("write: docs\n"),
      ".sandpiper/agents/explore.md": agent(""),
      ".sandpiper/agents/wrong.md": agent("wirte: docs\nnet: 7\n"),
      ".sandpiper/agents/odd.md": agent("wirte: docs\nname: other\ncolor: red\n"),
      ".sandpiper/agents/paid.md": agent("model: dear\n"),
    }, async ({ ws, home }) => {
      const own = join(home, ".sandpiper/agent/agents");
      Deno.mkdirSync(own, { recursive: true });
      Deno.writeTextFileSync(join(own, "mine.md"), agent("run: false\n"));
      const list = async (...args: string[]) =>
        await run(program, ["agents", ...args], { cwd: ws, env: { HOME: home } });
      const trusted = await list("list", "--json", "--trust");
      const { agents, problems } = JSON.parse(trusted.stdout);
      assertEquals(
        [trusted.code, agents.map((one: Record<string, string>) => `${one["name"]} ${one["origin"]}`).sort()],
        [0, ["build built-in", "explore project", "manual project", "mine user", "odd project", "review built-in"]],
        trusted.stdout,
      );
      const left = problems.map(({ file, message }: Record<string, string>) => `${file}: ${message}`).join("\n");
      assertMatch(left, /wrong\.md: The agent is left out: net must be/);
      assertMatch(left, /odd\.md: The agent is used, but there is no field wirte; did you mean write\?/);
      assertMatch(left, /odd\.md: The agent is used, but there is no field color, so it has no effect/);
      assertMatch(
        left,
        /odd\.md: The agent is used, but its field name says "other", and its name is that of its file, odd/,
      );
      assertMatch(left, /paid\.md: .*model/);
      const text = await list();
      assertEquals(text.code, 0, text.stderr);
      // A project that is not trusted has no say: its explore does not stand before the program's.
      assert(!text.stdout.includes("manual") || /not trusted/.test(text.stdout), text.stdout);
      assertMatch(text.stdout, /^explore +built-in$/m);
      assertMatch(text.stdout, /^mine +user +\S+mine\.md$/m);
    }));

  test("agents validate: exit code 0 or 1, and what is wrong; without a file it is told what to write", () =>
    inWorkspace(
      {
        "odd.md": agent("color: red\n"),
        "claude.md": agent("tools: Read, Grep, Bash\n"),
        "model.md": agent("model: nowhere/x\n"),
        ".sandpiper/agents/ours.md": agent("model: openai/x\n"),
        "good.md": agent(""),
        "bad.md": agent("net: 7\n"),
        "none.md": "no front matter",
      },
      async ({ ws, home }) => {
        const validate = async (...args: string[]) =>
          await run(program, ["agents", "validate", ...args], { cwd: ws, env: { HOME: home } });
        const good = await validate("good.md");
        assertEquals([good.code, good.stdout], [0, `valid    ${ws}/good.md\n`], good.stderr);
        const mixed = await validate("good.md", "bad.md", "none.md", "--json");
        const verdicts = JSON.parse(mixed.stdout);
        assertEquals([mixed.code, verdicts.map((one: Record<string, unknown>) => one["valid"])], [1, [
          true,
          false,
          false,
        ]]);
        assertMatch(verdicts[1].error, /net/);
        const odd = await validate("odd.md");
        assertEquals([odd.code, odd.stdout], [
          0,
          `valid    ${ws}/odd.md\n  warning: there is no field color, so it has no effect\n`,
        ]);
        // What a run with --agent would refuse.
        for (
          const [name, why] of [
            ["claude.md", 'There is no tool "Read": .* Did you mean read\\?'],
            ["model.md", 'There is no provider "nowhere"'],
            [".sandpiper/agents/ours.md", "a project's agent names no model"],
          ] as const
        ) {
          const refused = await validate(name);
          assertEquals(refused.code, 1, name);
          assertMatch(refused.stdout, new RegExp(`^invalid  .*\n  ${why}`));
        }
        const bare = await validate();
        assertEquals(bare.code, 2);
        assertStringIncludes(bare.stderr, "agents validate FILE");
      },
    ));

  test("--agent runs a whole session as an agent's file says: its words, tools and scopes, which no option widens", () =>
    inWorkspace({ "docs/a.md": "a\n", "src/a.ts": "a\n" }, async ({ ws, home }) => {
      const own = join(home, ".sandpiper/agent/agents");
      Deno.mkdirSync(own, { recursive: true });
      Deno.writeTextFileSync(join(own, "manual.md"), agent("tools: read bash write\nwrite: docs\nnet: none\n"));
      const model = cassette(home, [
        {
          calls: [write("docs/new.md"), write("src/new.ts"), bash("echo bad > src/a.ts; echo good > docs/a.md")],
          expect: ["You are the agent manual.", "Write short sentences."],
        },
        { calls: [{ name: "edit", args: { path: "docs/a.md", edits: [{ oldText: "good", newText: "bad" }] } }] },
        { text: "written" },
      ]);
      const args = ["--agent", "manual", "--allow-write=+src", "--mode", "json", "-m", `replay:${model}`, "go"];
      const ran = await run(program, args, { cwd: ws, env: { HOME: home } });
      assertEquals(results(ran.stdout).slice(0, 2).map(([name, isDone]) => [name, isDone]), [
        ["write", true],
        ["write", false],
      ], ran.stderr);
      const [, , , [name, isDone] = []] = results(ran.stdout);
      assertEquals([name, isDone], ["edit", false]);
      const content = (path: string): string => Deno.readTextFileSync(join(ws, path));
      assertEquals([content("docs/new.md"), content("docs/a.md"), content("src/a.ts")], ["made\n", "good\n", "a\n"]);
      assertEquals([...Deno.readDirSync(join(ws, "src"))].map((one) => one.name), ["a.ts"]);
      const unknown = await run(program, ["--agent", "manul", "-m", `replay:${model}`, "-p", "go"], {
        cwd: ws,
        env: { HOME: home },
      });
      assertEquals([unknown.code, unknown.stderr.includes("manual")], [2, true], unknown.stderr);
    }));

  test("explore looks and answers: it has no way to run or to change anything, and a small prompt", () =>
    inWorkspace({ "a.ts": "cache = 1;\n" }, async ({ ws, home }) => {
      const model = cassette(home, [
        {
          calls: [{ name: "grep", args: { pattern: "cache" } }, read("a.ts"), write("b.ts"), bash("true")],
          expect: ["You are the agent explore.", "Never guess."],
        },
        { text: "a.ts:1" },
      ]);
      const args = ["--agent", "explore", "--mode", "json", "-m", `replay:${model}`, "where is the cache made?"];
      const ran = await run(program, args, { cwd: ws, env: { HOME: home } });
      assertEquals(results(ran.stdout).map(([name, isDone]) => [name, isDone]), [
        ["grep", true],
        ["read", true],
        ["write", false],
        ["bash", false],
      ], ran.stderr);
      assertEquals([ran.code, [...Deno.readDirSync(ws)].map((one) => one.name)], [0, ["a.ts"]]);
      const prompt = async (...more: string[]) =>
        (await run(program, ["prompt", ...more], { cwd: ws, env: { HOME: home } })).stdout.length;
      assert(await prompt("--agent", "explore") < await prompt(), "its prompt is the smaller one");
    }));

  test("review runs and changes nothing, and its last message has its schema, else it is asked again", () =>
    inWorkspace({ "a.ts": "a\n" }, async ({ ws, home }) => {
      const finding = { file: "a.ts", line: 1, severity: "wrong", problem: "no such name", fix: "declare it" };
      const answer = { verdict: "problems", findings: [finding] };
      const model = cassette(home, [
        { calls: [bash("cat a.ts; echo bad > a.ts"), write("b.ts")], expect: ["You are the agent review."] },
        { text: "It is bad." },
        { text: '{"verdict":"bad","findings":[]}' },
        { text: JSON.stringify(answer) },
      ]);
      const args = ["--agent", "review", "-p", "-m", `replay:${model}`, "a.ts"];
      const ran = await run(program, args, { cwd: ws, env: { HOME: home } });
      assertEquals(ran.code, 0, ran.stderr);
      assertEquals(JSON.parse(ran.stdout), answer);
      assertEquals([...Deno.readDirSync(ws)].map((one) => one.name), ["a.ts"]);
      assertEquals(Deno.readTextFileSync(join(ws, "a.ts")), "a\n");
    }));

  test("build, given to by a task, changes what the call names and nothing else", () =>
    inWorkspace({ "src/a.ts": "a\n", "test/a.ts": "a\n" }, async ({ ws, home }) => {
      const task = {
        name: "task",
        args: { description: "port a", prompt: "Port a.ts", agent: "build", write: ["src"] },
      };
      const bare = { name: "task", args: { description: "no place", prompt: "Build nothing", agent: "build" } };
      const model = cassette(home, [
        { calls: [task, bare], expect: ["Agent build: Makes a bounded change"] },
        {
          conversation: "Port a.ts",
          calls: [bash("echo b > src/a.ts; echo b > test/a.ts"), write("src/b.ts"), write("test/b.ts")],
          expect: ["You are the agent build.", "You may change src and nothing else."],
        },
        { conversation: "Port a.ts", text: "Ported; test/a.ts is left." },
        { conversation: "Build nothing", calls: [write("src/c.ts")] },
        { conversation: "Build nothing", text: "No place was given." },
        { text: "end" },
      ]);
      const args = ["--tools", "read,bash,edit,write,task", "--mode", "json", "-m", `replay:${model}`, "go"];
      const ran = await run(program, args, { cwd: ws, env: { HOME: home } });
      assertEquals(ran.code, 0, ran.stderr);
      assertEquals(results(ran.stdout, "a1").slice(1).map(([, isDone]) => isDone), [true, false]);
      assertEquals(results(ran.stdout, "a2").map(([, isDone]) => isDone), [false]);
      const [[, isDone, text] = []] = results(ran.stdout);
      assertEquals(isDone, true);
      assertStringIncludes(text ?? "", "- created src/b.ts");
      const content = (path: string): string => Deno.readTextFileSync(join(ws, path));
      assertEquals([content("src/a.ts"), content("src/b.ts"), content("test/a.ts")], ["b\n", "made\n", "a\n"]);
      assertEquals([...Deno.readDirSync(join(ws, "test"))].map((one) => one.name), ["a.ts"]);
    }));
}
