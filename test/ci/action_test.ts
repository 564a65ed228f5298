// action.yml: what GitHub demands of it, what becomes of hostile inputs, and where the key is.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { parse } from "@std/yaml";
import { cassette, environment, inWorkspace } from "../helpers/program.ts";
import { serveGated } from "../helpers/gated_server.ts";
import { serveAnswers, textReply } from "../helpers/server.ts";
import { until } from "../helpers/until.ts";
import { violations } from "./metadata.ts";
import { ACTION, installed, type Machine, runActionAlone, workflowsOf } from "./runner.ts";
import { needs } from "../helpers/needs.ts";

const root = fromFileUrl(new URL("../../", import.meta.url)).replace(/\/$/, "");
const TEXT = Deno.readTextFileSync(join(root, "action.yml"));
const KEY = "sk-only-for-the-program";

/** A program in place of the real one: writes down what it was given and ends well. */
const SCRIBE = `#!/bin/bash
printf '%s\\0' "$@" > "$HOME/args"
cat > "$HOME/stdin"
`;

function scribe(home: string): string {
  const path = join(home, "scribe");
  Deno.writeTextFileSync(path, SCRIBE, { mode: 0o755 });
  return path;
}

Deno.test("action.yml: GitHub's own parser takes it, and refuses what is no action", () => {
  assertEquals(violations("action", TEXT), []);
  for (const [from, to] of [["      shell: bash\n", ""], ["using: composite", "using: script"], ["name: ", "nam: "]]) {
    assert(violations("action", TEXT.replace(from ?? "", to ?? "")).length > 0, from);
  }
});

/** Scripts by where they stand: of the action, of the page's jobs, of the file for GitLab. */
function scripts(): readonly (readonly [where: string, script: string])[] {
  const jobs = Object.entries(workflowsOf("docs/ci.md")).flatMap(([name, workflow]) => {
    const { jobs } = parse(workflow) as unknown as { jobs: Record<string, { steps: readonly { run?: string }[] }> };
    return Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ? [[name, run] as const] : []));
  });
  const gitlab = parse(Deno.readTextFileSync(join(root, "docs/ci/gitlab.yml"))) as Record<string, unknown>;
  const parts = Object.entries(gitlab).flatMap(([name, job]) =>
    ["before_script", "script"].flatMap((key) => {
      const lines = (job as Record<string, unknown>)[key];
      return Array.isArray(lines) ? [[`gitlab ${name}`, ["set -eo pipefail", ...lines].join("\n")] as const] : [];
    })
  );
  return [["action.yml", ACTION.runs.steps.map(({ run }) => run ?? "").join("\n")], ...jobs, ...parts];
}

Deno.test("scripts of the action and of docs/ci.md hold no expression: values come through the environment", () => {
  for (const [where, script] of scripts()) assertEquals(/\$\{\{/.test(script), false, where);
});

Deno.test({
  ...needs(["shellcheck"], "scripts of the action and of docs/ci.md: shellcheck has nothing to say"),
  fn: async () => {
    for (const [where, script] of scripts()) {
      const child = new Deno.Command("shellcheck", {
        args: ["--shell=bash", "-"],
        stdin: "piped",
        stdout: "piped",
      }).spawn();
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode(script));
      await writer.close();
      const { stdout } = await child.output();
      assertEquals(new TextDecoder().decode(stdout), "", where);
    }
  },
});

Deno.test("action.yml: whatever an input holds, it is one argument or the task, and nothing of it is run", async () => {
  const hostile = "x\"; touch pwned; '$(touch pwned)`touch pwned` && touch pwned # --read-only\\";
  const named = [
    ...["model", "base-url", "api-key-env", "allow-read", "allow-write", "allow-run", "allow-net", "sandbox"],
    ...["fail-on", "output-schema", "max-turns", "timeout", "max-cost"],
  ];
  await inWorkspace({}, async ({ ws, home }) => {
    const end = await runActionAlone({
      ...Object.fromEntries(named.map((name) => [name, `${name} ${hostile}`])),
      task: `--read-only ${hostile}\n@/etc/passwd\n`,
      trial: "true",
      patch: `p ${hostile}`,
      require: `one ${hostile}\n\ntwo`,
      report: "more.json\nmore.md",
      args: `--flag\na b ${hostile}\n`,
      program: scribe(home),
    }, { ws, home });
    assertEquals(end.code, 0, end.log);
    const args = Deno.readTextFileSync(`${home}/args`).split("\0").slice(0, -1);
    const own = args.slice(1, 4).map((arg) => arg.replace(/=.*\//, "="));
    assertEquals([args[0], ...own], ["--print", "--output=answer", "--report=report.json", "--report=report.md"]);
    assertEquals(args.slice(4), [
      ...named.map((name) => `--${name}=${name} ${hostile}`),
      ...[`--require=one ${hostile}`, "--require=two", "--report=more.json", "--report=more.md"],
      ...["--trial", `--patch=${ws}/p ${hostile}`, "--flag", `a b ${hostile}`],
    ]);
    assertEquals(Deno.readTextFileSync(`${home}/stdin`), `--read-only ${hostile}\n@/etc/passwd\n`);
    assertEquals([...Deno.readDirSync(ws)], []);
    const off = await runActionAlone({ task: "go", program: scribe(home) }, { ws, home });
    assertEquals([off.code, Deno.readTextFileSync(`${home}/args`).split("\0").length], [0, 5]);
  });
});

Deno.test("action.yml: what is no task, no place or no switch ends with 2 before anything runs", async () => {
  const wrong: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "one is enough": { task: "go", "prompt-file": "task.md" },
    "there is no file prompt-file": { "prompt-file": "none.md" },
    "leads out of the workspace": { "prompt-file": "link.md" },
    "there is no folder": { task: "go", "working-directory": "none" },
    "working-directory leads out of the workspace": { task: "go", "working-directory": "folder" },
    "output-schema leads out of the workspace": { task: "go", "output-schema": "link.md" },
    "report leads out of the workspace": { task: "go", report: "more.md\nreport.md" },
    "patch leads out of the workspace": { task: "go", trial: "true", patch: "folder/changes.patch" },
    "read-only is true or false": { task: "go", "read-only": "yes" },
    "trial is true or false": { task: "go", trial: "1" },
    "summary is true or false": { task: "go", summary: "$(touch pwned)" },
  };
  await inWorkspace({ "task.md": "go" }, async ({ ws, home }) => {
    // A pull request may hold a link to where the environment of the script is.
    Deno.symlinkSync("/proc/self/environ", `${ws}/link.md`);
    Deno.mkdirSync(`${home}/elsewhere`);
    Deno.symlinkSync(`${home}/elsewhere`, `${ws}/folder`);
    Deno.symlinkSync(`${home}/elsewhere/.profile`, `${ws}/report.md`);
    for (const [said, inputs] of Object.entries(wrong)) {
      const end = await runActionAlone({ ...inputs, program: scribe(home) }, { ws, home }, { OPENAI_API_KEY: KEY });
      assertEquals([end.code, end.outputs["exit-code"]], [2, "2"], end.log);
      assertStringIncludes(end.log, said);
      assertEquals([...Deno.readDirSync(home)].some(({ name }) => name === "args"), false, said);
    }
    const end = await runActionAlone({ "prompt-file": "task.md", program: scribe(home) }, { ws, home });
    assertEquals([end.code, Deno.readTextFileSync(`${home}/stdin`)], [0, "go"]);
  });
});

Deno.test("action.yml: outputs and summary tell what happened, also of a run that is not proven", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const answer = "Done.\nanswer-file=/etc/passwd\nEND\n::set-output name=exit-code::7\n::add-mask::a";
    const inputs = { task: "go", model: `replay:${cassette(home, [{ text: answer }])}`, args: "--no-session" };
    const good = await runActionAlone(inputs, { ws, home });
    const { report = "", "answer-file": file = "", "session-id": session, ...rest } = good.outputs;
    assertEquals([good.code, rest], [0, { "exit-code": "0", answer, patch: "" }], good.log);
    assertEquals(Deno.readTextFileSync(file), answer + "\n");
    const told = JSON.parse(Deno.readTextFileSync(report));
    assertEquals([told.answer, told.sessionId], [answer, session]);
    assertMatch(good.summary, /^## Done \(exit code 0\)\n/);
    // The runner obeys no line between the two that bear the same random word.
    const [, token = "", said] = /^::stop-commands::([0-9a-f]{32})\n([\s\S]*)\n::\1::\n$/.exec(good.log) ?? [];
    assert(token !== "" && said?.includes("::add-mask::a"), good.log);

    cassette(home, [{ text: answer }, { text: answer }]);
    const failed = await runActionAlone({ ...inputs, require: "false", args: "--require-tries\n1" }, { ws, home });
    assertEquals([failed.code, failed.outputs["exit-code"]], [5, "5"]);
    assertMatch(failed.summary, /^## Not proven \(exit code 5\)\n/);
    const quiet = await runActionAlone({ ...inputs, summary: "false" }, { ws, home });
    assertEquals([quiet.code, quiet.summary], [0, ""]);
    const never = await runActionAlone({ ...inputs, "fail-on": "sadness" }, { ws, home });
    assertEquals([never.code, never.outputs["exit-code"], never.outputs["report"]], [2, "2", ""]);
  });
});

Deno.test("action.yml: an answer that is too long for an output is in its file", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const answer = "long ".repeat(100_001);
    const model = `replay:${cassette(home, [{ text: answer }])}`;
    const { outputs } = await runActionAlone({ task: "go", model }, { ws, home });
    assertEquals([outputs["answer"], outputs["exit-code"]], ["", "0"]);
    assertEquals(Deno.readTextFileSync(outputs["answer-file"] ?? "").trim(), answer.trim());
  });
});

Deno.test("action.yml: a cancelled job ends the run, whose report is there all the same", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    await using server = serveGated([[{ gate: "never" }]]);
    const machine: Machine = { ws, home, env: { OPENAI_BASE_URL: server.baseUrl } };
    let pid = 0;
    let hasEnded = false;
    const ended = runActionAlone({ task: "go", model: "m" }, machine, {}, (child) => pid = child.pid)
      .finally(() => hasEnded = true);
    await until(() => server.requests.length > 0);
    Deno.kill(pid, "SIGINT");
    try {
      await until(() => hasEnded);
    } finally {
      server.open("never");
    }
    const { code, outputs, log, summary } = await ended;
    assertEquals([code, outputs["exit-code"]], [143, "143"], log);
    assertEquals(JSON.parse(Deno.readTextFileSync(outputs["report"] ?? "")).outcome, "aborted");
    assertMatch(summary, /^## Stopped/);
  });
});

Deno.test("action.yml: without an installed program it runs its own source, and npm gets neither key nor workspace", async () => {
  // What a pull request could lay out for npm and for Deno.
  const planted = {
    "deno.json": '{"imports": {"zod/mini": "./evil.ts"}, "nodeModulesDir": "manual"}',
    "package.json": '{"dependencies": {"openai": "file:./evil"}}',
    ".npmrc": "registry=http://127.0.0.1:9/\n",
    "evil.ts": 'Deno.writeTextFileSync("pwned", "");',
  };
  await inWorkspace(planted, async ({ ws, home }) => {
    const bin = join(home, "bin");
    Deno.mkdirSync(bin);
    // npx stands for the network here: it says where Deno is, and what it was given.
    const npx = `#!/bin/bash\nenv > '${home}/npx'; pwd >> '${home}/npx'; echo "$*" >> '${home}/npx'\n` +
      `echo '${Deno.execPath()}'\n`;
    Deno.writeTextFileSync(join(bin, "npx"), npx, { mode: 0o755 });
    const server = serveAnswers([{ events: textReply("From source.") }]);
    try {
      const env = { OPENAI_BASE_URL: server.baseUrl, HTTPS_PROXY: "http://127.0.0.1:9" };
      const machine: Machine = { ws, home, env, isInstalled: false };
      const inputs = { task: "go", model: "m", "api-key-env": "OTHER_KEY" };
      const end = await runActionAlone(inputs, machine, { OTHER_KEY: KEY });
      assertEquals([end.code, end.outputs["answer"]], [0, "From source."], end.log);
      assertEquals(server.headers[0]?.get("authorization"), `Bearer ${KEY}`);
      const given = Deno.readTextFileSync(`${home}/npx`);
      assert(!given.includes(KEY) && !given.includes(ws), given);
      assertStringIncludes(given, "HTTPS_PROXY=http://127.0.0.1:9\n");
      assertStringIncludes(given, `\n${root}\n-y deno@${versionOf(Deno.readTextFileSync(join(root, ".ci/run")))} eval`);
      assertEquals([...Deno.readDirSync(ws)].some(({ name }) => name === "pwned"), false);
      assert(!end.log.includes(KEY));
    } finally {
      await server.close();
    }
  });
});

function versionOf(text: string): string {
  return /deno@([\d.]+\d)/.exec(text)?.[1] ?? "";
}

Deno.test("docs/ci.md has every input and output of the action", () => {
  const page = Deno.readTextFileSync(join(root, "docs/ci.md")).split("## Review")[0] ?? "";
  const names = [...Object.keys(ACTION.inputs), ...Object.keys(ACTION.outputs)];
  assertEquals(names.filter((name) => !page.includes(`\`${name}\``)), []);
});

/** Jobs of the file for GitLab: what there is of the server is in variables. */
Deno.test("docs/ci/gitlab.yml: its jobs do what they say with the program installed", async () => {
  const jobs = parse(Deno.readTextFileSync(join(root, "docs/ci/gitlab.yml"))) as unknown as Record<
    string,
    { script: readonly string[]; artifacts?: { paths: readonly string[] } }
  >;
  const run = async (name: string, ws: string, home: string, env: Readonly<Record<string, string>>) => {
    const script = ["set -eo pipefail", ...jobs[name]?.script ?? []].join("\n");
    const own = environment({ HOME: home, OPENAI_API_KEY: KEY, ...env });
    const { code, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-c", script],
      cwd: ws,
      clearEnv: true,
      env: { ...own, PATH: `${home}:${own["PATH"]}` },
      stdin: "null",
    }).output();
    return { code, said: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
  };
  await inWorkspace({}, async ({ ws, home }) => {
    installed(home);
    const git = ["-c", "user.name=t", "-c", "user.email=t@t"];
    for (const args of [["init", "-q"], [...git, "commit", "-q", "--allow-empty", "-m", "one"]]) {
      assert((await new Deno.Command("git", { args: ["-C", ws, ...args] }).output()).success);
    }
    const server = serveAnswers([
      { events: textReply('{"summary": "fine", "isGood": true}') },
      { events: textReply("Nothing to write.") },
    ]);
    try {
      const title = "$(touch pwned) `touch pwned` \"; touch pwned; '";
      const env = {
        OPENAI_BASE_URL: server.baseUrl,
        CI_MERGE_REQUEST_TITLE: title,
        CI_MERGE_REQUEST_DIFF_BASE_SHA: "HEAD",
      };
      const review = await run("review", ws, home, env);
      assertEquals(review.code, 0, review.said);
      assertEquals(JSON.parse(Deno.readTextFileSync(`${ws}/sandpiper/answer.json`)), {
        summary: "fine",
        isGood: true,
      });
      assertMatch(Deno.readTextFileSync(`${ws}/sandpiper/report.md`), /^## Done/);
      assert(server.requests[0]?.messages[1].content.includes(title));
      assertEquals([...Deno.readDirSync(ws)].map(({ name }) => name).sort(), [".git", "sandpiper"]);
      Deno.removeSync(`${ws}/sandpiper`, { recursive: true });
      const nightly = await run("nightly", ws, home, env);
      assertEquals(nightly.code, 5, nightly.said);
      assertStringIncludes(nightly.said, "no file was changed (--fail-on no-change)");
      assertEquals(JSON.parse(Deno.readTextFileSync(`${ws}/sandpiper/report.json`)).exitCode, 5);
      assert(!(review.said + nightly.said).includes(KEY));
    } finally {
      await server.close();
    }
  });
});
