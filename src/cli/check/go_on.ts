import type { NamedFiles } from "../../core/named_files.ts";
import { join, resolve } from "@std/path";
import type { Invocation } from "../../config/options/parse.ts";
import { UserError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { isThere } from "../../core/support/on_disk.ts";
import { counted, stripControls, visibleJson } from "../../core/support/text.ts";
import { PLAYED_FIRST } from "../../engine/model/open_model.ts";
import { oneLine } from "../../session/view/visible_text.ts";
import { dollars, duration } from "../batch/progress.ts";
import { modelOptionsOf } from "../batch/task_options.ts";
import { writeAll } from "../output/write_all.ts";
import { type Change, changeLines, compareSeen, placesOf, type RuleCounts } from "./compare.ts";
import { readRecording, readSeen, runAgain, untilSignal } from "./recording.ts";
import { ownerPrefix } from "../../sandbox/system/temporary_folder.ts";

/** What came of a recorded run that went on live. */
interface Continued {
  readonly file: string;
  /** Replies of the recording that were played, those of sub-agents among them. */
  readonly played: number;
  /** Replies of the model. */
  readonly live: number;
  /** What was not as recorded before the model was asked. */
  readonly changes: readonly Change[];
  readonly rules: Readonly<Record<string, number>>;
  /** As in the report; `crashed`: the run ended without one. */
  readonly outcome: string;
  readonly exitCode: number;
  readonly why?: string;
  readonly answer: string;
  /** Of what the model said; absent where its price is not known. */
  readonly costUsd?: number;
  readonly durationMs: number;
  /** As `git apply` takes it. */
  readonly patch: string;
}

/** `sandpiper check --from N --model ID FILE…`: plays the first N replies, goes on with a model, and tells what came of it. */
export async function goOn(
  { values, words }: Invocation,
  files: NamedFiles,
  root: string,
  cwd: string,
): Promise<number> {
  const count = Number(values["from"]);
  const misused = !Number.isInteger(count)
    ? "it takes a whole number of replies"
    : values["model"] === undefined
    ? "it asks a model, and none is named"
    : values["update"] === true
    ? "what a model says live is no recording, and --update accepts one"
    : undefined;
  if (misused !== undefined) {
    throw new UserError({
      what: `Cannot go on from ${values["from"]}`,
      why: misused,
      fix: "Write sandpiper check --from 2 --model ID runs/fix.jsonl",
    });
  }
  const going = { root, model: modelOptionsOf(values), given: values };
  const all = await untilSignal(
    words,
    (word, signal) => continued(resolve(cwd, word), count, { ...going, files, signal }),
    (one, word) => {
      if (!values["json"]) show(one, word, String(values["model"]), values["verbose"] === true);
    },
  );
  if (typeof all === "number") return all;
  if (values["json"]) writeAll(Deno.stdout, visibleJson(all, 2) + "\n");
  return all.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0;
}

interface Going {
  readonly files: NamedFiles;
  readonly root: string;
  readonly model: readonly string[];
  readonly given: Invocation["values"];
  readonly signal: AbortSignal;
}

async function continued(file: string, count: number, going: Going): Promise<Continued> {
  const { files } = going;
  const whole = readSeen(files, file);
  const before = readRecording(files, file, count);
  if (before.replies < count) {
    throw new UserError({
      what: `Cannot go on from ${count} in ${file}`,
      why: `it holds ${counted(before.replies, "reply", "replies")}`,
      fix: "Name a smaller number with --from",
    });
  }
  const folder = Deno.makeTempDirSync({ prefix: `${ownerPrefix()}check-` });
  const [first, again] = [join(folder, "first.jsonl"), join(folder, "again.jsonl")];
  try {
    Deno.writeTextFileSync(first, before.lines.join("\n"), { mode: 0o600 });
    const started = performance.now();
    const { code, said } = await runAgain(whole, { ...going, file, folder, again, env: { [PLAYED_FIRST]: first } });
    const durationMs = Math.round(performance.now() - started);
    const report = reportIn(join(folder, "report.json"));
    const { outcome, why, totals } = report ?? {};
    const after = isThere(again) ? readRecording(files, again) : undefined;
    const end = after?.seen.find((one) => one.kind === "end");
    const counts: RuleCounts = new Map();
    const changes = after ? compareSeen(before.seen, readRecording(files, again, count).seen, counts) : [];
    const played = Math.min(before.lines.length, after?.lines.length ?? 0);
    const reason = typeof why === "string" ? why : report ? undefined : said.join(" ");
    return {
      file,
      played,
      live: (after?.lines.length ?? 0) - played,
      changes: changes.filter(({ what }) => !what.endsWith("end")),
      rules: Object.fromEntries(counts),
      outcome: typeof outcome === "string" ? outcome : "crashed",
      exitCode: code,
      ...(reason ? { why: reason } : {}),
      answer: end?.answer ?? "",
      ...(isObject(totals) && typeof totals["cost"] === "number" ? { costUsd: totals["cost"] } : {}),
      durationMs,
      patch: isThere(join(folder, "patch")) ? Deno.readTextFileSync(join(folder, "patch")) : "",
    };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function reportIn(path: string): JsonObject | undefined {
  try {
    const read: unknown = JSON.parse(Deno.readTextFileSync(path));
    return isObject(read) ? read : undefined;
  } catch {
    return undefined; // it ended before there was something to report
  }
}

function show(one: Continued, word: string, model: string, isWhole: boolean): void {
  const { played, live, changes, rules, outcome, exitCode, why, answer, costUsd, durationMs, patch } = one;
  const cost = live === 0 ? "nothing was asked" : costUsd === undefined ? "cost not known" : dollars(costUsd);
  const differs = changes.length === 0 ? "as it was until then" : `${counted(changes.length, "change")} until then`;
  const places = placesOf(rules);
  const lines = [
    `${oneLine(word, 200)}: ${counted(played, "reply", "replies")} played, then ${live} of ${
      oneLine(model, 100)
    }; ${differs}`,
    ...changeLines(changes, isWhole),
    ...(changes.length > 0 && places ? [`  not compared, by rules: ${places}`] : []),
    `  ${oneLine(outcome, 50)}, exit code ${exitCode}, ${cost}, ${duration(durationMs)}`,
    ...(why === undefined ? [] : [`  ${oneLine(why, 300)}`]),
    ...(answer === "" ? [] : ["  answer", ...indented(answer)]),
    ...(patch === "" ? ["  no file changed"] : ["  patch", ...indented(patch)]),
  ];
  writeAll(Deno.stdout, lines.join("\n") + "\n");
}

function indented(text: string): string[] {
  return stripControls(text).trimEnd().split("\n").map((line) => line === "" ? "" : `    ${line}`);
}
