/**
 * The main job with no key and no network: a recorded conversation drives the real program on a small project.
 *
 * `--program FILE` runs a compiled binary instead of the source.
 */
import { join, resolve } from "@std/path";
import { parseArgs } from "@std/cli";

const here = import.meta.dirname ?? ".";
const args = parseArgs(Deno.args, { string: ["program"] });
const program = typeof args.program === "string"
  ? [resolve(args.program)]
  : [Deno.execPath(), "run", "-A", "--no-prompt", join(here, "..", "main.ts")];

const project = await Deno.makeTempDir({ prefix: "sandpiper-demo-" });
const home = await Deno.makeTempDir({ prefix: "sandpiper-demo-home-" });
let code = 1;
try {
  await copy(join(here, "demo", "project"), project);
  console.log(`A small project in ${project}; its test fails. The task: "Make the test pass."\n`);
  code = await show();
  const verdict = await new Deno.Command("sh", { args: ["test/run.sh"], cwd: project }).output();
  console.log(`\nThe project's own test, run outside the agent: ${verdict.success ? "passes" : "fails"}`);
  if (!verdict.success) code = 1;
} finally {
  await Deno.remove(project, { recursive: true });
  await Deno.remove(home, { recursive: true });
}
Deno.exit(code);

/** Runs the program in json mode and prints its events as a person would tell them. */
async function show(): Promise<number> {
  const cassette = join(here, "demo", "cassette.jsonl");
  const child = new Deno.Command(program[0] ?? "", {
    args: [
      ...program.slice(1),
      "--mode",
      "json",
      "--model",
      `replay:${cassette}`,
      "-C",
      project,
      "Make the test pass.",
    ],
    env: { HOME: home, SANDPIPER_HOME: join(home, ".sandpiper", "agent") },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let rest = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) tell(JSON.parse(line));
  }
  return (await child.status).code;
}

// deno-lint-ignore no-explicit-any -- events are read as documented in docs/cli.md, and only printed
function tell(event: any): void {
  switch (event.type) {
    case "prompt_compiled":
      if (event.manifest.round === 1) {
        console.log(`sandbox: ${event.manifest.policy.sandbox}, enforced on every tool call below\n`);
      }
      return;
    case "message_end":
      if (event.message.role === "assistant") console.log(`model  ${textOf(event.message)}`);
      return;
    case "tool_execution_start":
      console.log(`  ${event.toolName}  ${event.args.command ?? event.args.path}`);
      return;
    case "tool_execution_end":
      console.log(`    ${textOf(event.result).trim().replaceAll("\n", "\n    ")}`);
      console.log(`    (${event.isError ? "error" : "ok"}, ${Math.round(event.durationMs)} ms)`);
  }
}

function textOf(message: { content: { type: string; text?: string }[] }): string {
  return message.content.map((part) => part.text ?? "").join("");
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const entry of Deno.readDir(from)) {
    if (entry.isDirectory) await copy(join(from, entry.name), join(to, entry.name));
    else await Deno.copyFile(join(from, entry.name), join(to, entry.name));
  }
}
