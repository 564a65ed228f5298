// A file of tasks: what is read, what is refused, and what an attempt's command line becomes.
import { OWN_FILES } from "../helpers/named_files.ts";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { readTaskFile } from "../../src/batch/task_file.ts";
import { attemptsOf } from "../../src/batch/task.ts";
import { defaultArgs, taskOptions } from "../../src/cli/batch/task_options.ts";
import { parseCommandLine } from "../../src/config/options/parse.ts";
import { UserError } from "../../src/core/error.ts";

async function reading(name: string, text: string, args: readonly string[] = []) {
  const folder = Deno.makeTempDirSync({ prefix: "sp-tasks-" });
  try {
    Deno.writeTextFileSync(join(folder, name), text);
    Deno.writeTextFileSync(join(folder, "p.md"), "from a file");
    const tasks = await readTaskFile(OWN_FILES, join(folder, name), taskOptions, { args, attempts: 1 });
    return { tasks, folder };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("JSON lines and YAML give the same tasks; options are those of the command line", async () => {
  const line = { id: "a", workspace: "ws", prompt: "go", maxTurns: 3, allowNet: ["a.example", "b,c"], readOnly: true };
  const more = { id: "b", workspace: { git: "https://h.example/r", revision: "v1" }, promptFile: "p.md", attempts: 2 };
  const { tasks, folder } = await reading("t.jsonl", `${JSON.stringify(line)}\n\n${JSON.stringify(more)}\n`, [
    "--model=m",
  ]);
  assertEquals(tasks.map(({ digest: _, ...task }) => task), [
    {
      id: "a",
      workspace: { kind: "folder", path: join(folder, "ws") },
      prompt: "go",
      attempts: 1,
      args: ["--model=m", "--allow-net=a.example,b,,c", "--read-only", "--max-turns=3"],
      isReadOnly: true,
    },
    {
      id: "b",
      workspace: { kind: "git", repository: "https://h.example/r", revision: "v1" },
      prompt: "from a file",
      attempts: 2,
      args: ["--model=m"],
      isReadOnly: false,
    },
  ]);
  const yaml = await reading(
    "t.yaml",
    `
defaults: { workspace: /w, model: m }
tasks:
  - { id: a, prompt: "1", maxCost: 0.5 }
  - { id: b, prompt: "2", allowRun: true, require: [x, y], trust: true }
`,
  );
  assertEquals(yaml.tasks.map(({ args }) => args), [
    ["--model=m", "--max-cost=0.5"],
    ["--trust", "--model=m", "--allow-run", "--require=x", "--require=y"],
  ]);
  assertEquals(yaml.tasks[0]?.maxCostUsd, 0.5);
  // Every task's first attempt comes before the second of any.
  assertEquals(attemptsOf(tasks).map(({ key }) => key), ["a.1", "b.1", "b.2"]);
  // A command line that is made again says what it said.
  for (const { args } of yaml.tasks) {
    assertEquals(defaultArgs(parseCommandLine(["batch", "f", ...args]).values), args);
  }
});

Deno.test("the digest is that of what is asked: of nothing else", async () => {
  const digests = async (text: string, args: readonly string[] = []) =>
    (await reading("t.yaml", text, args)).tasks.map(({ digest }) => digest);
  const [one] = await digests("[{id: a, workspace: /w, prompt: go}]");
  assertEquals(await digests("[{id: other, workspace: /w, prompt: go, attempts: 9, group: g}]"), [one]);
  for (
    const [text, args] of [
      ["[{id: a, workspace: /v, prompt: go}]", []],
      ["[{id: a, workspace: /w, prompt: went}]", []],
      ["[{id: a, workspace: /w, prompt: go, model: m}]", []],
      ["[{id: a, workspace: /w, prompt: go}]", ["--model=m"]],
    ] as const
  ) assert((await digests(text, args))[0] !== one, text);
});

const REFUSED: readonly [name: string, text: string, says: string][] = [
  ["t.jsonl", '{"id": "a", "workspace": ".", "prompt": "go", "maxTurns": "lots"}', "must be a number"],
  ["t.jsonl", "", "it has no task"],
  ["t.jsonl", "{]", "line 1"],
  ["t.jsonl", "[1]", "it is no object"],
  ["t.yaml", "a: [", "it is no YAML"],
  ["t.json", "{", "it is neither JSON nor YAML"],
  ["t.yaml", "{tasks: [], more: 1}", '"more" beside'],
  ["t.yaml", "{tasks: 1}", "it has no list of tasks"],
  ["t.yaml", "[{workspace: w, prompt: p}]", "it has no id"],
  ["t.yaml", '[{id: "../x", workspace: w, prompt: p}]', "cannot name a folder"],
  ["t.yaml", '[{id: "a.", workspace: w, prompt: p}]', "cannot name a folder"],
  ["t.yaml", "[{id: a, workspace: w, prompt: p}, {id: A, workspace: w, prompt: p}]", "is that of task 1, too"],
  ["t.yaml", "[{id: a, prompt: p}]", "it has no workspace"],
  ["t.yaml", "[{id: a, workspace: {git: 1}, prompt: p}]", "neither a folder nor a repository"],
  ["t.yaml", '[{id: a, workspace: {git: "--upload-pack=x"}, prompt: p}]', "like an option"],
  ["t.yaml", '[{id: a, workspace: {git: "ext::sh -c x"}, prompt: p}]', "like an option or a helper"],
  ["t.yaml", '[{id: a, workspace: {git: r, revision: "-x"}, prompt: p}]', "like an option"],
  ["t.yaml", '[{id: a, workspace: {git: "https://u:secret@h/r"}, prompt: p}]', "has a password"],
  ["t.yaml", "[{id: a, workspace: w}]", "it has no prompt"],
  ["t.yaml", "[{id: a, workspace: w, prompt: p, promptFile: p.md}]", "prompt and promptFile"],
  ["t.yaml", "[{id: a, workspace: w, promptFile: none.md}]", "none.md does not exist"],
  ["t.yaml", "[{id: a, workspace: w, prompt: p, attempts: 0}]", "attempts is 0"],
  ["t.yaml", "[{id: a, workspace: w, prompt: p, maxTurn: 3}]", "is no field"],
  ["t.yaml", "[{id: a, workspace: w, prompt: p, report: x}]", "is no field"],
  ["t.yaml", "[{id: a, workspace: w, prompt: p, record: x}]", "is no field"],
  ["t.yaml", "[{id: a, workspace: w, prompt: p, sessionDir: x}]", "is no field"],
  ["t.yaml", "[{id: a, workspace: w, prompt: p, readOnly: 3}]", "true or false"],
  ["t.yaml", "[{id: a, workspace: w, prompt: p, maxTurns: [1, 2]}]", "takes one"],
  ["t.yaml", "[{id: a, workspace: w, prompt: p, allowNet: []}]", "an empty list"],
  ["t.yaml", '[{id: a, workspace: w, prompt: p, allowNet: [""]}]', "allowNet has"],
];
for (const [name, text, says] of REFUSED) {
  Deno.test(`refused: ${text || "an empty file"}`, async () => {
    const error = await assertRejects(() => reading(name, text), UserError);
    assertStringIncludes(error.message, says);
    assert(!error.message.includes("secret"));
  });
}
