// What a batch does besides running: repositories as workspaces, a limit on all of it, reports.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { BINARY, inWorkspace, run, start } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import { runningProcesses } from "../helpers/processes.ts";

const reply = (cost: number): string =>
  [
    {
      calls: [{ name: "bash", args: { command: "git log --format=%s -1 && cat a.txt > new.txt" } }],
      usage: { input: 1, output: 1, costUsd: cost },
    },
    { text: "done" },
  ].map((one) => JSON.stringify(one)).join("\n");

function git(cwd: string, ...args: readonly string[]): void {
  const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const names = ["-c", "user.name=n", "-c", "user.email=e@x"];
  const { success, stderr } = new Deno.Command("git", { args: [...names, ...args], cwd, env }).outputSync();
  assert(success, new TextDecoder().decode(stderr));
}

Deno.test("a repository is cloned once at its revision, and its hooks do not run; reports add up and compare", () =>
  inWorkspace({ "a.txt": "old\n" }, async ({ ws, home, outside }) => {
    git(ws, "init", "-qb", "main");
    git(ws, "add", "-A");
    git(ws, "commit", "-qm", "one");
    git(ws, "tag", "v1");
    Deno.writeTextFileSync(join(ws, "a.txt"), "new\n");
    git(ws, "commit", "-qam", "two");
    // A hook of the person's own would run in every new checkout.
    Deno.mkdirSync(join(home, "hooks"));
    Deno.writeTextFileSync(join(home, "hooks", "post-checkout"), `#!/bin/sh\ntouch ${home}/hooked\n`, { mode: 0o755 });
    Deno.writeTextFileSync(join(home, ".gitconfig"), `[core]\n\thooksPath = ${home}/hooks\n`);
    Deno.writeTextFileSync(join(outside, "c.jsonl"), reply(0));
    const task = (id: string, revision: string): object => ({
      id,
      workspace: { git: "../ws", revision },
      prompt: "go",
      require: "grep -q new new.txt",
      requireTries: 1,
    });
    const tasks = {
      defaults: { model: "replay:c.jsonl" },
      tasks: [task("old", "v1"), task("young", "main"), task("again", "main")],
    };
    Deno.writeTextFileSync(join(outside, "tasks.json"), JSON.stringify(tasks));
    const batch = (...args: readonly string[]) =>
      run(BINARY, ["batch", ...args], { cwd: outside, env: { HOME: home } });
    const { code, stderr } = await batch("tasks.json", "-o", "out", "--jobs", "3");
    assertEquals(code, 5, stderr);
    assertMatch(stderr, /^young 1: passed/m);
    assertMatch(stderr, /^old 1: failed/m);
    assertEquals([...Deno.readDirSync(join(out(outside), "checkouts"))].length, 2);
    assert(![...Deno.readDirSync(home)].some(({ name }) => name === "hooked"));

    const json = JSON.parse((await batch("report", "out", "out", "--format", "json")).stdout);
    const [{ summary }] = json.batches;
    assertEquals([summary.all.attempts, summary.all.passed, summary.all.proven], [3, 2, 3]);
    assertEquals(json.comparison.measures.passRate.difference, { mean: 0, low: 0, high: 0, pairs: 3 });
    const text = (await batch("report", "out")).stdout;
    assertStringIncludes(text, "66.7 %");
    await batch("report", "out", "--format", "html", "-o", "r.html");
    const page = Deno.readTextFileSync(join(outside, "r.html"));
    assertStringIncludes(page, "default-src 'none'");
    assertMatch(page, /<th scope="row" data-value="young">young<\/th><td data-value="1">1<\/td>/);
    assertEquals(page.match(/<table class="tasks">/g)?.length, 1, "sums are not filtered");
    // A page that is there is not written over.
    assertEquals((await batch("report", "out", "--format", "html", "-o", "r.html")).code, 2);
    assertEquals((await batch("report", "nowhere")).code, 2);
  }));

function out(top: string): string {
  return join(top, "out");
}

Deno.test("a limit on the cost of all ends a batch with 4, and holds when it is started again", () =>
  inWorkspace({ "a.txt": "one\n" }, async ({ home, outside }) => {
    Deno.writeTextFileSync(join(outside, "c.jsonl"), reply(1));
    const lines = [1, 2, 3, 4].map((at) =>
      JSON.stringify({ id: `t${at}`, workspace: "../ws", prompt: "go", model: "replay:c.jsonl" })
    );
    Deno.writeTextFileSync(join(outside, "tasks.jsonl"), lines.join("\n"));
    const batch = () =>
      run(BINARY, ["batch", "tasks.jsonl", "-o", "out", "--jobs", "1", "--limit-cost", "2.5"], {
        cwd: outside,
        env: { HOME: home },
      });
    const first = await batch();
    assertEquals(first.code, 4, first.stdout + first.stderr);
    // The third may cost half a dollar, costs one, and is cut short: that says nothing of its task.
    assertStringIncludes(first.stdout, "2 of 4 attempts have a result, 0 failed\nthe limit --limit-cost $2.50");
    assertStringIncludes(first.stderr, "t3 1: interrupted");
    const second = await batch();
    assertEquals(second.code, 4);
    assertStringIncludes(second.stdout, "this time: 0 passed, 0 failed");
  }));

Deno.test("what goes wrong with one attempt is that attempt's; a folder or claim of something else is refused", () =>
  inWorkspace({ "a.txt": "one\n" }, async ({ home, outside }) => {
    Deno.writeTextFileSync(join(outside, "c.jsonl"), reply(0));
    const waits = [{ calls: [{ name: "bash", args: { command: "sleep 300" } }] }, { text: "done" }];
    Deno.writeTextFileSync(join(outside, "w.jsonl"), waits.map((one) => JSON.stringify(one)).join("\n"));
    const task = (id: string, more = {}): string =>
      JSON.stringify({ id, workspace: "../ws", prompt: "go", model: "replay:c.jsonl", ...more });
    const write = (name: string, ...lines: readonly string[]): void =>
      Deno.writeTextFileSync(join(outside, name), lines.join("\n"));
    write(
      "tasks.jsonl",
      task("gone", { workspace: { git: "../no-repository" } }),
      task("fine"),
      task("killed", { model: "replay:w.jsonl" }),
    );
    const options = { cwd: outside, env: { HOME: home } };
    const child = start(BINARY, ["batch", "tasks.jsonl", "-o", "out", "--jobs", "1"], options);
    const output = child.output();
    const session = `--session-dir ${out(outside)}/running/killed.1.1/`;
    const pid = (): number => runningProcesses().find(({ args }) => args.includes(session))?.pid ?? 0;
    await until(() => pid() > 0);
    // Meanwhile another batch has something else of that name.
    write("other.jsonl", task("killed", { prompt: "another" }));
    const other = await run(BINARY, ["batch", "other.jsonl", "-o", "out"], options);
    assertEquals(other.code, 2, other.stdout);
    assertStringIncludes(other.stderr, "Another process runs killed.1");
    Deno.kill(pid(), "SIGKILL");
    const { code, stderr } = await output;
    const said = new TextDecoder().decode(stderr);
    assertEquals(code, 5, said);
    assertMatch(said, /^gone 1: failed \(2\), .*Cannot check out .*no-repository/m);
    assertMatch(said, /^fine 1: passed/m);
    assertMatch(said, /^killed 1: failed \(137\), .*its process was ended from outside \(SIGKILL\)/m);

    Deno.mkdirSync(join(outside, "elsewhere"));
    Deno.mkdirSync(join(outside, "led"));
    Deno.symlinkSync(join(outside, "elsewhere"), join(outside, "led", "results"));
    const led = await run(BINARY, ["batch", "other.jsonl", "-o", "led"], options);
    assertEquals([led.code, [...Deno.readDirSync(join(outside, "elsewhere"))].length], [2, 0], led.stderr);
    assertStringIncludes(led.stderr, "results in it is no folder");
  }));

/** In a mount namespace of its own: a small disk, and the same one with room. */
const SMALL_DISK = `
mount -t tmpfs -o size=100k none out || exit 90
"$@"; echo "first $?"
mount -o remount,size=64m out
"$@"; echo "second $?"
ls out/results/noisy/1
`;

Deno.test({
  name: "a full disk ends a batch with what to do about it, and with room it goes on",
  ignore: Deno.uid() !== 0, // who else may mount in a namespace is a matter of the machine
  fn: () =>
    inWorkspace({ "a.txt": "one\n" }, async ({ home, outside }) => {
      const noise = { calls: [{ name: "bash", args: { command: "head -c 90000 /dev/urandom | base64" } }] };
      Deno.writeTextFileSync(join(outside, "c.jsonl"), `${JSON.stringify(noise)}\n{"text":"done"}`);
      const task = { id: "noisy", workspace: "../ws", prompt: "go", model: "replay:c.jsonl" };
      Deno.writeTextFileSync(join(outside, "tasks.jsonl"), JSON.stringify(task));
      Deno.mkdirSync(out(outside));
      const unshare = { name: "unshare", command: ["unshare", "--mount", "sh", "-c", SMALL_DISK, "sh"] };
      const args = [...BINARY.command, "batch", "tasks.jsonl", "-o", "out"];
      const { stdout, stderr } = await run(unshare, args, { cwd: outside, env: { HOME: home } });
      assertStringIncludes(stderr, `error: The batch cannot go on in ${out(outside)}`);
      assertMatch(
        stdout,
        /^first 1$[\s\S]*1 of 1 attempt has a result, 0 failed$[\s\S]*^second 0$[\s\S]*^report\.json$/m,
      );
    }),
});

Deno.test("--timeout is for the whole: what runs then is no result, and the exit code is 4", () =>
  inWorkspace({ "a.txt": "one\n" }, async ({ home, outside }) => {
    const replies = [{ calls: [{ name: "bash", args: { command: "sleep 300" } }] }, { text: "done" }];
    Deno.writeTextFileSync(join(outside, "c.jsonl"), replies.map((one) => JSON.stringify(one)).join("\n"));
    const task = { id: "slow", workspace: "../ws", prompt: "go", model: "replay:c.jsonl" };
    Deno.writeTextFileSync(join(outside, "tasks.jsonl"), JSON.stringify(task));
    const args = ["batch", "tasks.jsonl", "-o", "out", "--timeout", "1s"];
    const { code, stdout } = await run(BINARY, args, { cwd: outside, env: { HOME: home } });
    assertEquals(code, 4, stdout);
    assertStringIncludes(
      stdout,
      "0 of 1 attempt has a result, 0 failed\nthe limit --timeout 1.0 s was reached",
    );
  }));
