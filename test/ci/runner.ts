// Jobs of GitHub Actions as its runner goes through them: steps in order, scripts by the shell that it uses, outputs and
// summaries by files. Actions of others are what they come to: a checkout is there already, an upload is a copy.
import { assert } from "@std/assert";
import { basename, dirname, fromFileUrl, join } from "@std/path";
import { parse } from "@std/yaml";
import { environment, FULL_PROGRAM } from "../helpers/program.ts";
import { type Contexts, filled, holds } from "./expressions.ts";

const root = fromFileUrl(new URL("../../", import.meta.url)).replace(/\/$/, "");

/** A step as its file has it. */
interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly run?: string;
  readonly "continue-on-error"?: boolean;
}

/** The action's metadata, as far as the runner goes by it. */
export interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: unknown }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly (Step & { readonly env: Readonly<Record<string, string>> })[] };
}

/** The action of this repository. */
export const ACTION = parse(Deno.readTextFileSync(join(root, "action.yml"))) as unknown as Action;

/** Where a job runs. */
export interface Place {
  readonly ws: string;
  /** A folder of the test's own, for what the runner keeps. */
  readonly home: string;
}

/** What stands around a job. */
export interface Machine extends Place {
  readonly github?: Readonly<Record<string, unknown>>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** Variables of the machine itself. */
  readonly env?: Readonly<Record<string, string>>;
  /** Takes something away from what a script sees. */
  readonly lack?: (command: readonly string[]) => readonly string[];
  /** Whether the program is installed; else the action brings its own source. */
  readonly isInstalled?: boolean;
}

/** What became of a step. */
export interface StepEnd {
  readonly code: number;
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
}

/** What became of a job. */
export interface JobEnd {
  /** Whether every step that counts ended well. */
  readonly isGood: boolean;
  /** By id or name, in order. */
  readonly steps: Readonly<Record<string, StepEnd>>;
  /** Contents of what was uploaded, by path in the artifact. */
  readonly artifacts: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** Runs one job of a workflow. */
export async function runJob(workflow: string, machine: Machine): Promise<JobEnd> {
  const { jobs } = parse(workflow) as unknown as { jobs: Readonly<Record<string, { steps: readonly Step[] }>> };
  const [job, ...others] = Object.values(jobs);
  assert(job && others.length === 0, "one job");
  const files = openFiles(machine);
  const steps: Record<string, StepEnd> = {};
  const artifacts: Record<string, string> = {};
  let hasFailed = false;
  const contexts = (): Contexts => ({
    github: { ...machine.github, workspace: machine.ws, action_path: root },
    runner: { temp: files.temp },
    secrets: machine.secrets ?? {},
    steps: Object.fromEntries(Object.entries(steps).map(([id, { outputs }]) => [id, { outputs }])),
  });
  for (const [at, step] of job.steps.entries()) {
    const name = step.id ?? step.name ?? `step ${at}`;
    if (!holds(step.if, contexts(), hasFailed)) continue;
    if (step.uses?.startsWith("OWNER/sandpiper@")) steps[name] = await runAction(step, contexts(), machine, files);
    else if (step.run !== undefined) {
      const env = filledAll(step.env, contexts());
      steps[name] = await shell(filled(step.run, contexts()), env, machine, files);
    } else if (/^actions\/upload-artifact@v\d+$/.test(step.uses ?? "")) {
      Object.assign(artifacts, uploaded(filledAll(step.with, contexts()), machine.ws));
    } else assert(/^actions\/(?:checkout|setup-node)@v\d+$/.test(step.uses ?? ""), `nobody knows ${step.uses}`);
    if ((steps[name]?.code ?? 0) !== 0 && step["continue-on-error"] !== true) hasFailed = true;
  }
  return { isGood: !hasFailed, steps, artifacts, summary: Deno.readTextFileSync(files.summary) };
}

/** Runs the action alone, with inputs and the environment of its step. */
export async function runActionAlone(
  inputs: Readonly<Record<string, string>>,
  machine: Machine,
  env: Readonly<Record<string, string>> = {},
  began: (child: Deno.ChildProcess) => void = () => {},
): Promise<StepEnd & { readonly summary: string }> {
  const files = openFiles(machine);
  const contexts = { github: { action_path: root }, runner: { temp: files.temp } };
  const end = await runAction({ with: inputs, env }, contexts, machine, files, began);
  return { ...end, summary: Deno.readTextFileSync(files.summary) };
}

interface Files {
  readonly temp: string;
  readonly summary: string;
  readonly bin: string;
}

function openFiles({ home, isInstalled = true }: Machine): Files {
  const [temp, bin] = [join(home, "temp"), join(home, "bin")];
  for (const folder of [temp, bin]) Deno.mkdirSync(folder, { recursive: true });
  if (isInstalled) installed(bin);
  const summary = join(temp, "summary.md");
  Deno.writeTextFileSync(summary, "");
  return { temp, summary, bin };
}

/** Puts the program from source into a folder of a PATH, by the name that it has when it is installed. */
export function installed(bin: string): void {
  const words = FULL_PROGRAM.command.map((word) => `'${word}'`).join(" ");
  Deno.writeTextFileSync(join(bin, "sandpiper"), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
}

async function runAction(
  step: Step,
  contexts: Contexts,
  machine: Machine,
  files: Files,
  began?: (child: Deno.ChildProcess) => void,
): Promise<StepEnd> {
  const given = filledAll(step.with, contexts);
  for (const name of Object.keys(given)) assert(ACTION.inputs[name], `the action has no input ${name}`);
  const inputs = Object.fromEntries(
    Object.entries(ACTION.inputs).map(([name, one]) => [name, given[name] ?? String(one.default ?? "")]),
  );
  const [inner, ...others] = ACTION.runs.steps;
  assert(inner?.run !== undefined && others.length === 0, "one script");
  // Expressions in the script itself would put what others wrote into it.
  assert(!inner.run.includes("${{"), "an expression in the script");
  const env = { ...filledAll(step.env, contexts), ...filledAll(inner.env, { ...contexts, inputs }) };
  const end = await shell(inner.run, env, machine, files, began);
  const outputs = Object.entries(ACTION.outputs).map(([name, { value }]) => [
    name,
    filled(value, { steps: { [inner.id ?? ""]: { outputs: end.outputs } } }),
  ]);
  return { ...end, outputs: Object.fromEntries(outputs) };
}

/** A script as the runner starts it. */
async function shell(
  script: string,
  env: Readonly<Record<string, string>>,
  machine: Machine,
  { temp, summary, bin }: Files,
  began: (child: Deno.ChildProcess) => void = () => {},
): Promise<StepEnd> {
  const [file, output] = ["step.sh", "output"].map((name) => join(temp, name)) as [string, string];
  Deno.writeTextFileSync(file, script);
  Deno.writeTextFileSync(output, "");
  const command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", file];
  // One stream, as the runner reads it.
  const args = ["-c", 'exec "$@" 2>&1', "sh", ...machine.lack?.(command) ?? command];
  const own = environment(machine.env);
  const child = new Deno.Command("sh", {
    args,
    cwd: machine.ws,
    clearEnv: true,
    env: {
      ...own,
      PATH: `${bin}:${own["PATH"]}:/usr/sbin`,
      HOME: machine.home,
      CI: "true",
      GITHUB_ACTIONS: "true",
      GITHUB_WORKSPACE: machine.ws,
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      RUNNER_TEMP: temp,
      ...env,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  began(child);
  const [{ code }, log] = await Promise.all([child.status, new Response(child.stdout).text()]);
  return { code, log, outputs: outputsOf(Deno.readTextFileSync(output)) };
}

/** `name=value` and `name<<END`, lines, `END`, as GITHUB_OUTPUT has them. */
function outputsOf(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  const lines = text.split("\n");
  for (let at = 0; at < lines.length - 1; at++) {
    const line = lines[at] ?? "";
    const [, name, end] = /^([\w-]+)<<(.+)$/.exec(line) ?? [];
    if (name !== undefined) {
      const last = lines.indexOf(end ?? "", at + 1);
      assert(last > at, `no end of ${name}`);
      outputs[name] = lines.slice(at + 1, last).join("\n");
      at = last;
    } else {
      const equals = line.indexOf("=");
      assert(equals > 0, `no output: ${line}`);
      outputs[line.slice(0, equals)] = line.slice(equals + 1);
    }
  }
  return outputs;
}

function filledAll(
  values: Readonly<Record<string, unknown>> | undefined,
  contexts: Contexts,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values ?? {}).map(([name, one]) => [name, filled(String(one), contexts)]));
}

/** What `path` names, by its name. */
function uploaded({ path = "", ...options }: Readonly<Record<string, string>>, ws: string): Record<string, string> {
  const files = path.split("\n").map((line) => line.trim()).filter((line) => line !== "")
    .map((line) => line.startsWith("/") ? line : join(ws, line));
  const found = files.filter((file) => {
    try {
      return Deno.lstatSync(file).isFile;
    } catch {
      return false;
    }
  });
  assert(found.length > 0 || options["if-no-files-found"] === "ignore", `nothing to upload at ${path}`);
  return Object.fromEntries(found.map((file) => [basename(file), Deno.readTextFileSync(file)]));
}

/** The workflows of a page, by name. */
export function workflowsOf(page: string): Readonly<Record<string, string>> {
  const text = Deno.readTextFileSync(join(root, page));
  return Object.fromEntries(
    [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, workflow = ""]) => [
      String((parse(workflow) as { name?: unknown }).name),
      workflow,
    ]),
  );
}

/** A repository with one commit on `main` and what `work` makes on top; `origin/main` is the first. */
export async function repository(
  ws: string,
  first: Readonly<Record<string, string>>,
  second: Readonly<Record<string, string>>,
): Promise<void> {
  const git = async (...args: string[]): Promise<void> => {
    const { success, stderr } = await new Deno.Command("git", {
      args: ["-C", ws, "-c", "user.name=t", "-c", "user.email=t@t", ...args],
    }).output();
    assert(success, new TextDecoder().decode(stderr));
  };
  const write = (files: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(files)) {
      Deno.mkdirSync(dirname(join(ws, name)), { recursive: true });
      Deno.writeTextFileSync(join(ws, name), text);
    }
  };
  await git("init", "--quiet", "--initial-branch=main");
  write(first);
  await git("add", "--all");
  await git("commit", "--quiet", "--message=first");
  await git("update-ref", "refs/remotes/origin/main", "HEAD");
  write(second);
  await git("add", "--all");
  await git("commit", "--quiet", "--allow-empty", "--message=second");
}
