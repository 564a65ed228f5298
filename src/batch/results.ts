import { join } from "@std/path";
import { isObject, type JsonObject } from "../core/json.ts";
import { attempt } from "../core/support/attempt.ts";
import type { Attempt } from "./task.ts";

/** What became of one attempt, in numbers: `attempt.json` in its folder of results. Its `report.json` has the whole. */
export interface AttemptRecord {
  readonly type: "attempt";
  readonly version: 1;
  readonly task: string;
  readonly attempt: number;
  readonly group?: string;
  /** Of the task, as it was asked. */
  readonly digest: string;
  /** As in the report; `crashed`: the process ended without one. */
  readonly outcome: string;
  readonly exitCode: number;
  readonly why?: string;
  /** The exit code is 0. */
  readonly passed: boolean;
  /** Whether something was demanded that had to hold: without checks a model's word is all there is. */
  readonly proven: boolean;
  readonly model?: string;
  /** Fingerprint of the whole prompt. */
  readonly prompt?: string;
  readonly turns: number;
  readonly toolCalls: number;
  readonly deniedCalls: number;
  readonly failedCalls: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  /** Of the process, from its start to its end. */
  readonly durationMs: number;
  readonly files: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
}

/** How the process of an attempt ended. */
export interface AttemptEnd {
  readonly exitCode: number;
  readonly durationMs: number;
  readonly startedAt: Date;
  /** Whether the task demanded more than an end: checks, conditions, a schema. */
  readonly proven: boolean;
  /** The last that it said on standard error; for one without a report. */
  readonly lastWords?: string;
}

/** The record of an attempt. `report`: what the process wrote, absent where it wrote none. */
export function recordOf({ task, number }: Attempt, report: JsonObject | undefined, end: AttemptEnd): AttemptRecord {
  const { totals, changes, model, prompt, outcome, why } = report ?? {};
  const sums = isObject(totals) ? totals : {};
  const changed = isObject(changes) ? changes : {};
  const said = typeof why === "string" ? why : report === undefined ? end.lastWords : undefined;
  return {
    type: "attempt",
    version: 1,
    task: task.id,
    attempt: number,
    ...(task.group === undefined ? {} : { group: task.group }),
    digest: task.digest,
    outcome: typeof outcome === "string" ? outcome : "crashed",
    exitCode: end.exitCode,
    ...(said === undefined ? {} : { why: said }),
    passed: end.exitCode === 0 && report !== undefined,
    proven: end.proven,
    ...(isObject(model) ? { model: `${model["provider"]}/${model["id"]}` } : {}),
    ...(isObject(prompt) && typeof prompt["full"] === "string" ? { prompt: prompt["full"] } : {}),
    turns: numberOf(sums["turns"]),
    toolCalls: numberOf(sums["toolCalls"]),
    deniedCalls: numberOf(report?.["deniedCalls"]),
    failedCalls: numberOf(report?.["failedCalls"]),
    inputTokens: numberOf(sums["input"]) + numberOf(sums["cacheWrite"]),
    cachedTokens: numberOf(sums["cacheRead"]),
    outputTokens: numberOf(sums["output"]),
    costUsd: numberOf(sums["cost"]),
    durationMs: end.durationMs,
    files: Array.isArray(changed["files"]) ? changed["files"].length : 0,
    linesAdded: numberOf(changed["linesAdded"]),
    linesRemoved: numberOf(changed["linesRemoved"]),
    startedAt: end.startedAt.toISOString(),
  };
}

/** More than any record has. */
const MOST_BYTES = 1024 * 1024;

/** Where the results of an attempt lie once it has ended. */
export function resultFolder(folder: string, { task, number }: Attempt): string {
  return join(folder, "results", task.id, String(number));
}

/** The record in a folder of results; undefined where there is none that can be read. */
export function readRecord(folder: string): AttemptRecord | undefined {
  const path = join(folder, "attempt.json");
  const read: unknown = attempt(() => {
    const { isFile, size } = Deno.lstatSync(path);
    // A pipe would be waited for.
    return isFile && size <= MOST_BYTES ? JSON.parse(Deno.readTextFileSync(path)) : undefined;
  });
  return isRecord(read) ? read : undefined;
}

/** All records below a batch's folder, in the order of their names, and how many folders of results have none. */
export function readRecords(folder: string): { readonly records: AttemptRecord[]; readonly unread: number } {
  const records: AttemptRecord[] = [];
  let unread = 0;
  const results = join(folder, "results");
  for (const task of namesIn(results)) {
    for (const attempt of namesIn(join(results, task))) {
      const record = readRecord(join(results, task, attempt));
      if (record) records.push(record);
      else unread++;
    }
  }
  return { records, unread };
}

function namesIn(folder: string): string[] {
  const names = [...Deno.readDirSync(folder)].filter(({ isDirectory }) => isDirectory).map(({ name }) => name);
  return names.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

const NUMBERS = [
  "attempt",
  "exitCode",
  "turns",
  "toolCalls",
  "deniedCalls",
  "failedCalls",
  "inputTokens",
  "cachedTokens",
  "outputTokens",
  "costUsd",
  "durationMs",
  "files",
  "linesAdded",
  "linesRemoved",
] as const;

function isRecord(value: unknown): value is AttemptRecord {
  return isObject(value) && value["type"] === "attempt" && value["version"] === 1 &&
    ["task", "digest", "outcome"].every((name) => typeof value[name] === "string") &&
    ["passed", "proven"].every((name) => typeof value[name] === "boolean") &&
    ["group", "why", "model", "prompt"].every((name) => ["string", "undefined"].includes(typeof value[name])) &&
    NUMBERS.every((name) => Number.isFinite(value[name]));
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
