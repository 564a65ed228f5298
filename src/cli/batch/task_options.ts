import type { TaskOptions } from "../../batch/task_file.ts";
import type { Flag } from "../../config/options/flag.ts";
import { FLAGS } from "../../config/options/flags.ts";
import { parseCommandLine, scopeValue, type Values } from "../../config/options/parse.ts";

/** Where results go is the batch's business, and so is where a run begins. */
const GROUPS = ["Model", "Prompt", "Tools and their scope", "Limits"];
const MORE = ["trust", "no-trust", "require", "require-tries", "fail-on", "output-schema"];
const NOT = ["record"];
/** What demands more than that a run ends. */
const PROOF = ["--require=", "--fail-on=", "--output-schema="];

const flags = FLAGS.filter(({ group, name }) => (GROUPS.includes(group) || MORE.includes(name)) && !NOT.includes(name));

/** The options that a task may have: those of the command line, `--max-turns` as `maxTurns`. */
export const taskOptions: TaskOptions = {
  names: flags.map(({ name }) => camelCase(name)),
  args: (options) => {
    const args = flags.flatMap((flag) => {
      const value = options[camelCase(flag.name)];
      return value === undefined ? [] : argsOf(flag, value);
    });
    // Before anything runs, and not as what came of each attempt.
    parseCommandLine(args);
    return args;
  },
};

/** Arguments that say again what the command line of the batch says for all of its tasks. `--timeout` is the batch's own. */
export function defaultArgs(values: Values): string[] {
  return flags.flatMap((flag) => {
    if (values[flag.name] === undefined || flag.name === "timeout") return [];
    if (flag.kind === "scope") return argsOf(flag, scopeValue(values, flag.name) === "all" ? true : values[flag.name]);
    return argsOf(flag, flag.kind === "duration" ? `${values[flag.name]}ms` : values[flag.name]);
  });
}

/** As `defaultArgs`, without those that say who answers: what a recorded run is played with. */
export function optionsOf(values: Values): string[] {
  return defaultArgs(Object.fromEntries(Object.entries(values).filter(([name]) => !isOfModel(name))));
}

/** As `defaultArgs`, and only those that say who answers. */
export function modelOptionsOf(values: Values): string[] {
  return defaultArgs(Object.fromEntries(Object.entries(values).filter(([name]) => isOfModel(name))));
}

function isOfModel(name: string): boolean {
  return flags.some((flag) => flag.name === name && flag.group === "Model");
}

/** Whether a run that is recorded keeps an option of this name: all of a task's but those that say who answers. */
export function isRunOption(name: string): boolean {
  return flags.some((flag) => flag.name === name && flag.group !== "Model");
}

/** Whether arguments demand something of a run that can fail. */
export function isProving(args: readonly string[]): boolean {
  return args.some((arg) => PROOF.some((start) => arg.startsWith(start)));
}

function argsOf({ name, kind }: Flag, value: unknown): string[] {
  const option = `--${name}`;
  if (value === false && (kind === "boolean" || kind === "scope")) return [];
  if (value === true && (kind === "boolean" || kind === "scope")) return [option];
  if (kind === "boolean") throw new Error(`${camelCase(name)} is true or false`);
  const all = Array.isArray(value) ? value : [value];
  const texts = all.map((one: unknown) => {
    if (typeof one === "number" || (typeof one === "string" && one !== "" && !one.includes("\0"))) return String(one);
    throw new Error(`${camelCase(name)} has ${JSON.stringify(one)}`);
  });
  if (kind === "repeat") return texts.map((text) => `${option}=${text}`);
  if (kind === "list" || kind === "scope") {
    if (texts.length === 0) throw new Error(`${camelCase(name)} is an empty list`);
    // On the command line one text may be a list already; in a list each is one entry.
    const entries = Array.isArray(value) ? texts.map((text) => text.replaceAll(",", ",,")) : texts;
    return [`${option}=${entries.join(",")}`];
  }
  if (texts.length !== 1) throw new Error(`${camelCase(name)} has ${texts.length} values, and takes one`);
  return [`${option}=${texts[0]}`];
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
