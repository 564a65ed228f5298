import { dirname, isAbsolute, resolve } from "@std/path";
import { sha256 } from "../core/support/digest.ts";
import { messageOf, UserError } from "../core/error.ts";
import type { NamedFile, NamedFiles } from "../core/named_files.ts";
import { isObject } from "../core/json.ts";
import { nearest } from "../core/support/nearest.ts";
import type { BatchTask, TaskWorkspace } from "./task.ts";

/** What a task may say besides its options. */
const FIELDS = ["id", "group", "workspace", "prompt", "promptFile", "attempts"];
/** An id is a folder's name on every system, and never one that means something else. */
const ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$/;
/** More results than a folder should hold. */
const MOST_ATTEMPTS = 1000;

/** How options of a task become arguments of the command line. */
export interface TaskOptions {
  /** Names that a task may use, as in the settings: `maxTurns`. */
  readonly names: readonly string[];
  /** Arguments of the options that a task gives. Throws an Error that says what is wrong with a value. */
  readonly args: (options: Readonly<Record<string, unknown>>) => string[];
}

/** What holds for each task that does not say otherwise. */
export interface TaskDefaults {
  /** Arguments that stand before a task's own. */
  readonly args: readonly string[];
  readonly attempts: number;
}

/**
 * The tasks of a file: JSON lines (`.jsonl`, `.ndjson`), else YAML or JSON: a list of tasks, or `{ defaults, tasks }`.
 *
 * Paths are relative to the file. Throws UserError that names the task and the field.
 */
export async function readTaskFile(
  files: NamedFiles,
  path: string,
  options: TaskOptions,
  defaults: TaskDefaults,
): Promise<BatchTask[]> {
  const file = files.find(path, { access: "read", typed: true });
  const text = readText(files, file, `Cannot read the tasks in ${path}`);
  /** A file that tools cannot write names prompts as the user does. */
  const readPrompt = (named: string): string => {
    const prompt = files.find(named, { access: "read", typed: file.root === undefined });
    return readText(files, prompt, "Cannot read the prompt of a task");
  };
  const { common, tasks } = /\.(?:jsonl|ndjson)$/i.test(path)
    ? { common: {}, tasks: lines(text, path) }
    : await document(text, path);
  if (tasks.length === 0) throw wrong(path, "the file", "it has no task", "Write one task a line, or a list of them");
  const seen = new Map<string, string>();
  return tasks.map(({ where, value }) => {
    const task = taskOf(path, where, { ...common, ...fieldsOf(path, where, value) }, options, defaults, readPrompt);
    if (task.workspace.kind === "folder") files.find(task.workspace.path, { access: "read", typed: true });
    const folded = task.id.toLowerCase();
    const other = seen.get(folded);
    if (other !== undefined) {
      throw wrong(path, where, `its id ${task.id} is that of ${other}, too`, "Give each task an id of its own");
    }
    seen.set(folded, where);
    return task;
  });
}

interface Found {
  /** How a person finds it in the file. */
  readonly where: string;
  readonly value: unknown;
}

function lines(text: string, path: string): Found[] {
  return text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    const where = `line ${at + 1}`;
    try {
      return [{ where, value: JSON.parse(line) as unknown }];
    } catch (error) {
      throw wrong(path, where, `it is no JSON: ${messageOf(error)}`, "Write one task as JSON on each line");
    }
  });
}

async function document(text: string, path: string): Promise<{ common: Record<string, unknown>; tasks: Found[] }> {
  const { parse } = await import("@std/yaml");
  let read: unknown;
  try {
    read = parse(text);
  } catch (error) {
    const kind = /\.json$/i.test(path) ? "neither JSON nor YAML" : "no YAML";
    const [why = ""] = messageOf(error).split("\n");
    throw wrong(
      path,
      "the file",
      `it is ${kind}: ${why.replace(/:$/, "")}`,
      "Write a list of tasks, or name it .jsonl",
    );
  }
  const parts: Record<string, unknown> = isObject(read) ? { ...read } : { tasks: read };
  const { defaults = {}, tasks, ...more } = parts;
  const other = Object.keys(more)[0];
  if (!Array.isArray(tasks) || other !== undefined || !isObject(defaults)) {
    const why = other === undefined ? "it has no list of tasks" : `it has "${other}" beside defaults and tasks`;
    throw wrong(path, "the file", why, "Write a list of tasks, or { defaults: {…}, tasks: […] }");
  }
  return { common: defaults, tasks: tasks.map((value, at) => ({ where: `task ${at + 1}`, value })) };
}

function fieldsOf(path: string, where: string, value: unknown): Record<string, unknown> {
  if (isObject(value)) return value;
  throw wrong(path, where, "it is no object", 'For example {"id": "a", "workspace": ".", "prompt": "…"}');
}

function taskOf(
  path: string,
  where: string,
  fields: Readonly<Record<string, unknown>>,
  options: TaskOptions,
  defaults: TaskDefaults,
  readPrompt: (path: string) => string,
): BatchTask {
  const { id, group, workspace, prompt, promptFile, attempts, ...given } = fields;
  if (typeof id !== "string" || !ID.test(id)) {
    const why = id === undefined ? "it has no id" : `its id ${JSON.stringify(id)} cannot name a folder`;
    throw wrong(path, where, why, "Write at most 100 letters, digits, dots, dashes and underscores");
  }
  const bad = (why: string, fix: string): UserError => wrong(path, `${where} (${id})`, why, fix);
  const unknown = Object.keys(given).find((name) => !options.names.includes(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, [...FIELDS, ...options.names]);
    const fix = meant ? `Did you mean ${meant}?` : `Fields are ${[...FIELDS, ...options.names].join(", ")}`;
    throw bad(`"${unknown}" is no field of a task`, fix);
  }
  if (group !== undefined && (typeof group !== "string" || group === "")) {
    throw bad("its group is no text", 'For example "group": "bugs"');
  }
  const count = attempts === undefined ? defaults.attempts : attempts;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1 || count > MOST_ATTEMPTS) {
    throw bad(`attempts is ${JSON.stringify(count)}`, `Write a number from 1 to ${MOST_ATTEMPTS}`);
  }
  let own: string[];
  try {
    own = options.args(given);
  } catch (error) {
    throw bad(messageOf(error), "Write values as on the command line: true, a number, a text or a list of texts");
  }
  const args = [...defaults.args, ...own];
  const place = workspaceOf(workspace, dirname(path), bad);
  const words = promptOf(prompt, promptFile, (name) => readPrompt(resolve(dirname(path), name)), bad);
  const cost = args.findLast((arg) => arg.startsWith("--max-cost="))?.slice("--max-cost=".length);
  return {
    id,
    ...(group === undefined ? {} : { group }),
    workspace: place,
    prompt: words,
    attempts: count,
    args,
    isReadOnly: args.includes("--read-only"),
    ...(cost === undefined ? {} : { maxCostUsd: Number(cost) }),
    digest: sha256(JSON.stringify([place, words, args])),
  };
}

type Refuse = (why: string, fix: string) => UserError;

function workspaceOf(value: unknown, base: string, bad: Refuse): TaskWorkspace {
  const fix = 'Write a folder, or { git: "https://host/repository", revision: "v1.2" }';
  if (typeof value === "string" && value !== "") return { kind: "folder", path: resolve(base, value) };
  if (!isObject(value)) throw bad(value === undefined ? "it has no workspace" : "its workspace is no text", fix);
  const { git, revision, ...more } = value;
  const isWhole = typeof git === "string" && git !== "" && Object.keys(more).length === 0 &&
    (revision === undefined || (typeof revision === "string" && revision !== ""));
  if (!isWhole) throw bad("its workspace is neither a folder nor a repository", fix);
  // git would take it for an option, or for a program that it starts.
  if (git.startsWith("-") || revision?.toString().startsWith("-") || /^[a-z][\w+.-]*::/i.test(git)) {
    throw bad("its repository or revision begins like an option or a helper of git", fix);
  }
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/]*:[^/]*@/i.test(git)) {
    throw bad("the address of its repository has a password", "Leave it out: git's credential helper or ssh knows it");
  }
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(git) || /^[^/\\]+@[^/\\]+:/.test(git);
  return {
    kind: "git",
    repository: isAddress || isAbsolute(git) ? git : resolve(base, git),
    ...(typeof revision === "string" ? { revision } : {}),
  };
}

function promptOf(
  prompt: unknown,
  promptFile: unknown,
  read: (name: string) => string,
  bad: Refuse,
): string {
  if ((prompt === undefined) === (promptFile === undefined)) {
    throw bad(prompt === undefined ? "it has no prompt" : "it has prompt and promptFile", "Write one of the two");
  }
  const text = typeof promptFile === "string" && promptFile !== "" ? read(promptFile) : prompt;
  if (typeof text !== "string" || text.trim() === "") throw bad("its prompt is no text", "Write what is to be done");
  return text;
}

/** Larger files are no tasks, bytes. */
const MAX_BYTES = 64 * 1024 ** 2;

function readText(files: NamedFiles, file: NamedFile, what: string): string {
  try {
    return new TextDecoder().decode(files.read(file, MAX_BYTES));
  } catch (error) {
    throw new UserError({ what, why: messageOf(error), fix: "Name a file that can be read" });
  }
}

function wrong(path: string, where: string, why: string, fix: string): UserError {
  return new UserError({ what: `Cannot use ${where} of ${path}`, why, fix });
}
