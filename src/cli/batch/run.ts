import { counted, shellWord } from "../../core/support/text.ts";
import { programName } from "../../core/version.ts";
import { dirname, fromFileUrl, isAbsolute, join, resolve } from "@std/path";
import { readRecord, resultFolder } from "../../batch/results.ts";
import { inShard, shardOf } from "../../batch/shard.ts";
import { type Attempt, attemptsOf, type BatchTask } from "../../batch/task.ts";
import { readTaskFile } from "../../batch/task_file.ts";
import { namedFilesIn } from "../../config/named_files.ts";
import { findGitRoot } from "../../context/files/ancestors.ts";
import { gitFolders } from "../../context/git/branch.ts";
import { makeDirectories, type NamedFiles } from "../../core/named_files.ts";
import { readWorld } from "../../config/host_environment.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { UserError } from "../../core/error.ts";
import { isFolder } from "../../core/support/on_disk.ts";
import { writeAll } from "../output/write_all.ts";
import { dollars, duration, openProgress } from "./progress.ts";
import { defaultArgs, taskOptions } from "./task_options.ts";
import { isError, isFinished, Work } from "./work.ts";

/** What one run may need at once; the default number of jobs leaves room for it. */
const JOB_BYTES = 512 * 1024 ** 2;
/** What a batch makes in its folder. */
const FOLDERS = ["results", "running", "interrupted", "claims", "owners", "checkouts"];

/** `sandpiper batch FILE -o DIR`: runs every attempt that has no result yet; the exit code. */
export async function runBatch(invocation: Invocation): Promise<number> {
  const { values, words: [file, ...more] } = invocation;
  const world = readWorld();
  if (file === undefined || more.length > 0) throw misuse("it takes one file of tasks");
  const output = values["output"];
  if (typeof output !== "string" || output === "-") throw misuse("there is no folder for its results");
  const path = resolve(world.cwd, file);
  const files = namedFilesIn(world);
  const tasks = await readTaskFile(files, path, taskOptions, {
    args: defaultArgs(values),
    attempts: typeof values["attempts"] === "number" ? values["attempts"] : 1,
  });
  const shard = shardOf(typeof values["shard"] === "string" ? values["shard"] : undefined, world.env);
  const folder = makeDirectories(files, resolve(world.cwd, output), 0o777).real;
  refuseRepositories(tasks, files, world.cwd);
  refuseWorkspaces(tasks, folder);
  refuseOthers(folder);
  const mine = inShard(attemptsOf(tasks), shard);
  const again = values["retry"] === true ? isError : () => false;
  const begun = new Set(namesIn(join(folder, "results")));
  const waiting = mine.filter((attempt) => !begun.has(attempt.task.id) || !isFinished(folder, attempt, again));
  const known = mine.length - waiting.length;
  const failedBefore = known === 0 ? 0 : failures(folder, mine, new Set(waiting));
  const jobs = jobsOf(values["jobs"]);
  const progress = openProgress({ total: waiting.length, jobs, isQuiet: values["quiet"] === true });
  const part = shard ? ` of part ${shard.index + 1} of ${shard.count} (${shard.from})` : "";
  progress.say(
    `${attempts(waiting.length)} to run${part}${
      known > 0 ? `, ${known} ${known === 1 ? "has a result" : "have results"}` : ""
    }`,
  );
  const { exitCode, why, durationMs } = await new Work(folder, dirname(path), waiting, progress, {
    jobs,
    path: world.env["PATH"] ?? "",
    again,
    ...(typeof values["limit-cost"] === "number" ? { limitCostUsd: values["limit-cost"] } : {}),
    ...(typeof values["timeout"] === "number" ? { timeoutMs: values["timeout"] } : {}),
  }).toEnd();
  progress.close();
  const { passed, failed, elsewhere, costUsd } = progress.counts;
  const results = known + passed + failed;
  const has = results === 1 || mine.length === 1 ? "has" : "have";
  // A line each: none is longer than a terminal of 80 columns, where paths are short.
  const lines = [
    `${results} of ${attempts(mine.length)} ${has} a result, ${failedBefore + failed} failed`,
    ...(elsewhere > 0 ? [`${counted(elsewhere, "attempt is", "attempts are")} the work of other processes`] : []),
    ...(why === undefined ? [] : [why]),
    `this time: ${passed} passed, ${failed} failed, ${dollars(costUsd)}, ${duration(durationMs)}`,
    ...(results > 0 ? [`the numbers: ${programName()} batch report ${shellWord(output)}`] : []),
  ];
  writeAll(Deno.stdout, lines.join("\n") + "\n");
  return exitCode ?? (failedBefore + failed > 0 ? 5 : 0);
}

const attempts = (count: number): string => counted(count, "attempt");

function namesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** How many of the results that were there before failed. */
function failures(folder: string, all: readonly Attempt[], waiting: ReadonlySet<Attempt>): number {
  return all.filter((one) => !waiting.has(one) && readRecord(resultFolder(folder, one))?.passed !== true).length;
}

function misuse(why: string): UserError {
  return new UserError({
    what: "Cannot run the batch",
    why,
    fix: "Write sandpiper batch tasks.jsonl -o results, or sandpiper batch report results",
  });
}

function jobsOf(given: unknown): number {
  if (typeof given === "number") return Math.max(1, Math.floor(given));
  const room = Math.floor(Deno.systemMemoryInfo().available / JOB_BYTES);
  return Math.max(1, Math.min(navigator.hardwareConcurrency, room));
}

/** Folders of the batch that are something else would lead elsewhere, or be found in the middle of it. Throws UserError. */
function refuseOthers(folder: string): void {
  const entries = [...Deno.readDirSync(folder)].filter(({ name }) => FOLDERS.includes(name));
  const inner = entries.filter(({ isDirectory }) => isDirectory).flatMap(({ name: around }) =>
    [...Deno.readDirSync(join(folder, around))].map((entry) => ({ ...entry, name: `${around}/${entry.name}` }))
  );
  for (const { name, isDirectory, isSymlink } of [...entries, ...inner]) {
    if (isDirectory || (name.includes("/") && !isSymlink)) continue;
    throw new UserError({
      what: `The results cannot lie in ${folder}`,
      why: `${name} in it is no folder, or a link to one`,
      fix: "Name another folder with -o",
    });
  }
}

/**
 * git obeys the settings of a repository on this machine and follows its links, and tools can have made both. Only the
 * repository around the current directory is protected from them. Throws UserError for any other that tools can write.
 */
function refuseRepositories(tasks: readonly BatchTask[], files: NamedFiles, cwd: string): void {
  const top = findGitRoot(cwd);
  const own = top !== undefined && gitFolders(top) !== undefined ? Deno.realPathSync(top) : undefined;
  for (const { workspace } of tasks) {
    if (workspace.kind !== "git") continue;
    const { repository } = workspace;
    const path = /^file:/i.test(repository) ? fromFileUrl(repository) : repository;
    if (!isAbsolute(path)) continue;
    const { real, root } = files.find(path, { access: "read", typed: true });
    if (root === undefined || real === own || (own !== undefined && real === join(own, ".git"))) continue;
    throw new UserError({
      what: `Cannot clone ${repository}`,
      why: `tools can write in ${root}: settings and links of this repository can lead git anywhere`,
      fix: "Name the folder itself as the workspace, or a clone of it outside",
    });
  }
}

/** Copies of a workspace would hold all results so far, and tools would read them. Throws UserError. */
function refuseWorkspaces(tasks: readonly BatchTask[], folder: string): void {
  const places = new Set(tasks.flatMap(({ workspace }) => workspace.kind === "folder" ? [workspace.path] : []));
  for (const place of places) {
    if (!isFolder(place)) {
      throw new UserError({
        what: `There is no folder ${place}`,
        why: "a task names it as its workspace",
        fix: "Paths are relative to the file of tasks",
      });
    }
    if (`${folder}/`.startsWith(`${Deno.realPathSync(place)}/`)) {
      throw new UserError({
        what: `The results cannot lie in ${folder}`,
        why: `it is inside the workspace ${place}, of which every attempt has a copy`,
        fix: "Name a folder outside with -o",
      });
    }
  }
}
