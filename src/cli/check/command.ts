import { basename, dirname, join, resolve } from "@std/path";
import { configure } from "../../config/config.ts";
import { readWorld } from "../../config/host_environment.ts";
import type { Invocation, Values } from "../../config/options/parse.ts";
import { messageOf, UserError } from "../../core/error.ts";
import { type Seen, seenIn } from "../../provider/replay/seen.ts";
import { thisProgram } from "../../sandbox/confine/self.ts";
import { oneLine } from "../../session/view/visible_text.ts";
import { stripControls } from "../../core/support/text.ts";
import { onSignals } from "../output/signals.ts";
import { writeAll } from "../output/write_all.ts";
import { recordedOptions } from "./recorded_options.ts";
import { type Change, compareSeen, type RuleCounts } from "./compare.ts";

/** What is shown of one change, without -v. */
const MOST_LINES = 20;

/** Longer tasks do not fit into an argument of a process everywhere; characters. */
const LONGEST_WORD = 30_000;

/** What became of one recording. */
interface Checked {
  readonly file: string;
  readonly changes: readonly Change[];
  readonly rules: Readonly<Record<string, number>>;
  readonly isUpdated: boolean;
}

/**
 * `sandpiper check FILE…`: plays recorded runs against today's prompt files, skills, extensions and policy, on copies of the
 * workspace, without key and network, and tells what is not the same any more; 5 where something is not.
 */
export async function checkCommand(invocation: Invocation): Promise<number> {
  const { values, words } = invocation;
  const world = readWorld();
  if (words.length === 0) {
    throw new UserError({
      what: "There is nothing to check",
      why: "no recording is named",
      fix: "Write sandpiper check runs/*.jsonl; a recording is made by sandpiper -p --record FILE",
    });
  }
  const { root } = configure(invocation, world);
  const stop = new AbortController();
  let signalled: number | undefined;
  const stopWatching = onSignals((code) => {
    signalled = code;
    stop.abort();
  });
  const all: Checked[] = [];
  try {
    for (const word of words) {
      const file = resolve(world.cwd, word);
      const before = readSeen(file);
      const checked = await play(file, before, {
        root,
        given: values,
        signal: stop.signal,
        keeps: values["update"] === true,
      });
      if (signalled !== undefined) return signalled;
      all.push(checked);
      if (!values["json"]) show(checked, word, values["verbose"] === true);
    }
  } finally {
    stopWatching();
  }
  const changed = all.filter(({ changes, isUpdated }) => changes.length > 0 && !isUpdated).length;
  if (values["json"]) writeAll(Deno.stdout, JSON.stringify(all, null, 2) + "\n");
  else writeAll(Deno.stdout, `${all.length - changed} of ${all.length} recordings are as they were\n`);
  return changed > 0 ? 5 : 0;
}

function readSeen(file: string): Seen[] {
  const cannot = (why: string): UserError =>
    new UserError({
      what: `Cannot check ${file}`,
      why,
      fix: "Record it again: sandpiper -p --record FILE TASK",
    });
  let text: string;
  try {
    text = Deno.readTextFileSync(file);
  } catch (error) {
    throw cannot(error instanceof Deno.errors.NotFound ? "there is no such file" : messageOf(error));
  }
  const seen = text.split("\n").flatMap((line) => {
    try {
      return seenIn(JSON.parse(line)) ?? [];
    } catch {
      return [];
    }
  });
  if (!seen.some(({ kind }) => kind === "run")) throw cannot("it has replies alone, and nothing of what the run saw");
  if (!seen.some(({ kind }) => kind === "end")) throw cannot("its run was cut off");
  return seen;
}

interface Playing {
  readonly root: string;
  /** The command line of the check. */
  readonly given: Values;
  readonly signal: AbortSignal;
  readonly keeps: boolean;
}

async function play(
  file: string,
  before: readonly Seen[],
  { root, given, signal, keeps }: Playing,
): Promise<Checked> {
  const run = before.find((one) => one.kind === "run");
  const { args, isReadOnly } = recordedOptions(file, run?.options ?? [], given, root);
  const folder = Deno.makeTempDirSync({ prefix: "sandpiper-check-" });
  const again = join(folder, "again.jsonl");
  try {
    const self = thisProgram();
    const { task = "", channel = "stdin" } = run ?? {};
    // A word that begins so would be read as a file.
    const isWord = channel === "text" && task.length < LONGEST_WORD && !task.startsWith("@");
    const child = new Deno.Command(self.program, {
      args: [
        ...self.args,
        ...(channel === "json" ? ["--mode", "json"] : ["-p"]),
        ...["-C", root, "--session-dir", folder, "-m", `replay:${file}`, "--record", again],
        ...(isReadOnly ? [] : ["--trial", "--patch", join(folder, "patch")]),
        ...args,
        ...(isWord ? ["--", task] : []),
      ],
      stdin: "piped",
      stdout: "null",
      stderr: "piped",
      signal,
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(isWord ? "" : task)).then(() => writer.close()).catch(() => {});
    const { stderr } = await child.output();
    const counts: RuleCounts = new Map();
    let after: Seen[];
    try {
      after = readSeen(again);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const said = stripControls(new TextDecoder().decode(stderr)).trim().split("\n").slice(0, 3).map((line) =>
        `+${line}`
      );
      return { file, changes: [{ what: "the run", lines: said }], rules: {}, isUpdated: false };
    }
    const changes = compareSeen(before, after, counts);
    const isUpdated = keeps && changes.length > 0;
    if (isUpdated) replace(file, again);
    return { file, changes, rules: Object.fromEntries(counts), isUpdated };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Puts a new recording in the place of the old one, whole. */
function replace(file: string, again: string): void {
  const beside = join(dirname(Deno.realPathSync(file)), `.${basename(file)}.${crypto.randomUUID()}`);
  try {
    Deno.copyFileSync(again, beside);
    Deno.renameSync(beside, Deno.realPathSync(file));
  } catch (error) {
    try {
      Deno.removeSync(beside);
    } catch {
      // It was never made.
    }
    throw new UserError({ what: `Cannot update ${file}`, why: messageOf(error), fix: "Make its folder writable" });
  }
}

function show({ changes, rules, isUpdated }: Checked, word: string, isWhole: boolean): void {
  const state = changes.length === 0 ? "as it was" : `${changes.length} changes${isUpdated ? ", accepted" : ""}`;
  const places = Object.entries(rules).map(([name, count]) => `<${name}> ${count}`).join(", ");
  const lines = [`${oneLine(word, 200)}: ${state}${places && isWhole ? ` (by rules: ${places})` : ""}`];
  for (const change of changes) {
    lines.push(`  ${oneLine(change.what, 200)}`);
    const shown = isWhole ? change.lines : change.lines.slice(0, MOST_LINES);
    lines.push(...shown.map((line) => `    ${oneLine(line, 300)}`));
    if (shown.length < change.lines.length) lines.push(`    … ${change.lines.length - shown.length} more lines: -v`);
  }
  if (changes.length > 0 && places && !isWhole) lines.push(`  not compared, by rules: ${places}`);
  writeAll(Deno.stdout, lines.join("\n") + "\n");
}
