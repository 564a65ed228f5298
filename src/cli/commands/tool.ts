import { messageOf, UserError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { attempt } from "../../core/support/attempt.ts";
import { textOf } from "../../core/message.ts";
import { readSkillAt, TOOLS } from "../../../tools/mod.ts";
import { refuseUnknown } from "../../engine/tools/active_tools.ts";
import { type Config, configure } from "../../config/config.ts";
import { writeAll } from "../output/write_all.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { watchSignals } from "../output/signals.ts";
import { findSkills } from "../../engine/resources/skills.ts";
import { openTools, type ToolsHost } from "../../engine/tools/tools_host.ts";
import { readWorld } from "../../config/host_environment.ts";
import { untoldText } from "../../core/grant_option.ts";
import { linesOf } from "../output/denial_lines.ts";
import { warner } from "../output/report.ts";
import { nearest } from "../../core/support/nearest.ts";
import { shellWord } from "../../core/support/text.ts";

/** `sandpiper tool NAME …`: one call through the same boundary that a model's call goes through; for trying a policy. */
export async function toolCommand(invocation: Invocation): Promise<number> {
  const [name = "", ...rest] = invocation.words;
  const args = argumentsOf(name, rest);
  // The tool that is asked for is active, whatever the default set is.
  const config = configure({ ...invocation, values: { ...invocation.values, tools: [name] } }, readWorld());
  const watch = watchSignals();
  const warn = warner(invocation);
  for (const warning of config.warnings) warn(warning);
  const tools = openTools(config, true, undefined, true, warn);
  try {
    refuseUnknown(tools.foreign, TOOLS.map((tool) => tool.name), false);
    const tool = tools.active[0];
    if (!tool) {
      throw new UserError({
        what: `Cannot run the tool ${name}`,
        why: tools.notices.join("; "),
        fix: "Widen its scope (sandpiper help all); sandpiper policy shows what tools may touch",
      });
    }
    for (const notice of tools.notices) warn(notice);
    const given = tool.name === "read_skill" ? await skillOf(args, config, tools) : args;
    const result = await tools.run(tool, given, "cli", { signal: watch.signal, onUpdate: () => {} });
    // The result names one grant for the model; a person is told of everything that was denied, and on one screen once.
    const isScreen = Deno.stdout.isTerminal() && Deno.stderr.isTerminal() && !invocation.values["quiet"];
    const text = isScreen ? untoldText(result) : textOf(result.content);
    if (text !== "" || !isScreen) writeAll(Deno.stdout, text.replace(/\n*$/, "\n"));
    for (const line of linesOf({ toolName: tool.name, result, isError: result.isError === true })) warn(line);
    const exitCode = result.details?.["exitCode"];
    return watch.exitCode() ?? (typeof exitCode === "number" ? exitCode : result.isError ? 1 : 0);
  } finally {
    await tools.close();
    watch.stop();
  }
}

/** The arguments of `read_skill` with the file of the skill, of those that a session here would have. */
async function skillOf(args: JsonObject, config: Config, { bundled, policy }: ToolsHost): Promise<JsonObject> {
  const { found } = await findSkills(config, bundled, policy);
  const places = new Map(found.skills.map(({ slug, path }) => [slug, path]));
  try {
    return await readSkillAt(() => places).prepare?.(args) ?? args;
  } catch (error) {
    throw new UserError({
      what: "Cannot read the skill",
      why: messageOf(error),
      fix: `Name one by its slug: sandpiper tool read_skill '{"slug":"${[...places.keys()][0] ?? "SLUG"}"}'`,
    });
  }
}

function argumentsOf(name: string, rest: readonly string[]): JsonObject {
  const usage = {
    what: "Cannot run the tool",
    fix: `Write sandpiper tool read '{"path":"a.txt"}' or sandpiper tool bash -- ls -la`,
  };
  if (name === "") throw new UserError({ ...usage, why: "no tool is named" });
  const known = TOOLS.map((tool) => tool.name);
  if (!known.includes(name)) {
    const near = nearest(name, known);
    throw new UserError({
      what: `There is no built-in tool "${name}"`,
      why: `they are ${known.join(", ")}`,
      fix: near === undefined ? usage.fix : `Did you mean sandpiper tool ${near}?`,
    });
  }
  if (name === "bash" && !rest[0]?.trimStart().startsWith("{")) {
    if (rest.length === 0) throw new UserError({ ...usage, why: "there is no command" });
    return { command: rest.length === 1 ? rest[0] ?? "" : rest.map(shellWord).join(" ") };
  }
  const value: unknown = attempt(() => JSON.parse(rest.join(" ")));
  if (isObject(value)) return value;
  throw new UserError({ ...usage, why: "its arguments are not one JSON object" });
}
