import { join, resolve } from "@std/path";
import { configure } from "../../config/config.ts";
import { namedFilesOf } from "../../config/named_files.ts";
import { readWorld } from "../../config/host_environment.ts";
import type { Invocation, Values } from "../../config/options/parse.ts";
import { messageOf, UserError } from "../../core/error.ts";
import type { NamedFile, NamedFiles } from "../../core/named_files.ts";
import { entryAt } from "../../core/support/on_disk.ts";
import { counted, visibleJson } from "../../core/support/text.ts";
import { type Seen } from "../../provider/replay/seen.ts";
import { oneLine } from "../../session/view/visible_text.ts";
import { writeAll } from "../output/write_all.ts";
import { type Change, changeLines, compareSeen, placesOf, type RuleCounts } from "./compare.ts";
import { readSeen, runAgain, untilSignal } from "./recording.ts";
import { ownerPrefix } from "../../sandbox/system/temporary_folder.ts";

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
  const config = configure(invocation, world);
  const { root } = config;
  const files = namedFilesOf(config);
  if (values["from"] !== undefined) return (await import("./go_on.ts")).goOn(invocation, files, root, world.cwd);
  const all = await untilSignal(words, async (word, signal) => {
    const file = resolve(world.cwd, word);
    const named = values["update"] ? files.find(file, { access: "write", typed: true }) : undefined;
    return await play(files, file, readSeen(files, file), {
      root,
      given: values,
      signal,
      ...(named === undefined ? {} : { update: (again: string) => replace(files, named, again) }),
    });
  }, (checked, word) => {
    if (!values["json"]) show(checked, word, values["verbose"] === true);
  });
  if (typeof all === "number") return all;
  const changed = all.filter(({ changes, isUpdated }) => changes.length > 0 && !isUpdated).length;
  const same = counted(all.length, "recording is as it was", "recordings are as they were");
  if (values["json"]) writeAll(Deno.stdout, visibleJson(all, 2) + "\n");
  else writeAll(Deno.stdout, `${all.length - changed} of ${same}\n`);
  return changed > 0 ? 5 : 0;
}

interface Playing {
  readonly root: string;
  /** The command line of the check. */
  readonly given: Values;
  readonly signal: AbortSignal;
  /** Accepts a new recording, by its path. Undefined if it is only compared. */
  readonly update?: (again: string) => void;
}

async function play(
  files: NamedFiles,
  file: string,
  before: readonly Seen[],
  { root, given, signal, update }: Playing,
): Promise<Checked> {
  const folder = Deno.makeTempDirSync({ prefix: `${ownerPrefix()}check-` });
  const again = join(folder, "again.jsonl");
  try {
    const { said } = await runAgain(before, {
      file,
      root,
      folder,
      again,
      signal,
      given,
      model: ["-m", `replay:${file}`],
    });
    const counts: RuleCounts = new Map();
    let after: Seen[];
    try {
      after = readSeen(files, again);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return {
        file,
        changes: [{ what: "the run", lines: said.map((line) => `+${line}`) }],
        rules: {},
        isUpdated: false,
      };
    }
    const changes = compareSeen(before, after, counts);
    const isUpdated = update !== undefined && changes.length > 0;
    if (isUpdated) update(again);
    return { file, changes, rules: Object.fromEntries(counts), isUpdated };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Puts a new recording in the place of the old one, whole. `file`: checked before commands ran that could move it. */
function replace(files: NamedFiles, file: NamedFile, again: string): void {
  const cannot = (why: string): UserError =>
    new UserError({
      what: `Cannot update ${file.path}`,
      why,
      fix: "Check that path, or make its directory writable",
    });
  try {
    if (entryAt(file.path)?.isSymlink || !files.status(file)?.isFile) throw cannot("it is a link");
    files.replace(file, Deno.readFileSync(again));
  } catch (error) {
    throw error instanceof UserError ? error : cannot(messageOf(error));
  }
}

function show({ changes, rules, isUpdated }: Checked, word: string, isWhole: boolean): void {
  const state = changes.length === 0 ? "as it was" : `${changes.length} changes${isUpdated ? ", accepted" : ""}`;
  const places = placesOf(rules);
  const lines = [
    `${oneLine(word, 200)}: ${state}${places && isWhole ? ` (by rules: ${places})` : ""}`,
    ...changeLines(changes, isWhole),
  ];
  if (changes.length > 0 && places && !isWhole) lines.push(`  not compared, by rules: ${places}`);
  writeAll(Deno.stdout, lines.join("\n") + "\n");
}
