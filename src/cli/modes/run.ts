import { UserError } from "../../core/error.ts";
import { type Config, configure } from "../../config/config.ts";
import { assembleMessage } from "../input/message.ts";
import { firstModel } from "../../engine/model/first_model.ts";
import type { ModelChoice } from "../../engine/model/model.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { readVariable, readWorld } from "../../config/host_environment.ts";

/** Runs the program in the mode that was asked for; the exit code. Each mode's code is loaded only here. */
export async function run(invocation: Invocation): Promise<number> {
  let config = configure(invocation, readWorld());
  const { values } = invocation;
  if (modeOf(config) === "interactive") {
    const { chosenSession, firstStartMode, interactiveMode, trustedConfig } = await import("./interactive.ts");
    const trusted = await trustedConfig(config);
    if (typeof trusted === "number") return trusted;
    const chosen = await chosenSession(trusted);
    if (typeof chosen === "number") return chosen;
    config = await withAgent(chosen);
    const { words } = invocation;
    const message = words.length === 0 ? "" : await messageOf(config);
    let choice: ModelChoice;
    try {
      choice = await firstModel(config, readVariable);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      await refuseInput(config);
      if (values["model"] !== undefined) throw error;
      // Nothing is configured yet: one screen says what is missing.
      return await firstStartMode(config, error, async (model, now) => {
        const named: Config = { ...now, invocation: { ...invocation, values: { ...config.invocation.values, model } } };
        return await interactiveMode(named, await firstModel(named, readVariable), message);
      });
    }
    return await interactiveMode(config, choice, message);
  }
  if (values["resume"] === "") throw await (await import("../interactive/session_lines.ts")).whichSession(config);
  config = await withAgent(config);
  let choice: ModelChoice;
  try {
    choice = await firstModel(config, readVariable);
  } catch (error) {
    if (error instanceof UserError) await refuseInput(config);
    throw error;
  }
  if (values["mode"] === "rpc") return await (await import("../rpc/run.ts")).runRpc(config, choice);
  return await (await import("./run_task.ts")).runTask(config, choice);
}

/** Nobody can answer: whatever else is wrong is said before that. Throws UserError. */
async function refuseInput(config: Config): Promise<void> {
  const isTask = ["text", "json"].includes(modeOf(config));
  if (isTask) await (await import("./run_task.ts")).refuseTask(config);
  await (await import("./refuse_input.ts")).refuseInput(config);
}

/** The first message. What opens its files is loaded for it alone: the first frame of the screen waits for nothing else. */
async function messageOf(config: Config): Promise<string> {
  const { invocation: { words }, world: { cwd, home } } = config;
  const { namedFilesOf } = await import("../../config/named_files.ts");
  return assembleMessage({ words, cwd, home, files: namedFilesOf(config) });
}

/** Most runs name none, and load nothing for it. */
async function withAgent(config: Config): Promise<Config> {
  if (config.invocation.values["agent"] === undefined) return config;
  return await (await import("../../engine/resources/agents.ts")).withNamedAgent(config);
}

/** `sandpiper demo`: the recorded conversation in the mode that was asked for, in text mode with all that happens. */
export async function runDemo(invocation: Invocation): Promise<number> {
  const { command: _, ...rest } = invocation;
  const verbose = { ...rest.values, verbose: true };
  const given = configure({ ...rest, values: verbose }, readWorld());
  const mode = modeOf(given);
  if (mode === "rpc" || invocation.words.length > 0) {
    const why = mode === "rpc"
      ? "in RPC mode the other program writes the prompts"
      : "its task is part of the recording";
    const fix = "Write sandpiper demo, with -p, --plain or --mode json if you like";
    throw new UserError({ what: "The demo cannot run so", why, fix });
  }
  const { makeDemo } = await import("../interactive/demo.ts");
  const demo = makeDemo(given);
  try {
    if (mode !== "interactive") return await (await import("./run_task.ts")).runTask(demo.config, demo.choice);
    const { interactiveMode } = await import("./interactive.ts");
    return await interactiveMode(demo.config, demo.choice, demo.message);
  } finally {
    demo.remove();
  }
}

/** `--mode`, else text for `-p` and wherever input or output is no terminal, else the terminal UI (docs/cli.md, Modes). */
function modeOf({ invocation: { values }, world }: Config): string {
  if (typeof values["mode"] === "string") return values["mode"];
  return !values["print"] && world.stdinIsTerminal && world.stdoutIsTerminal ? "interactive" : "text";
}
