import { programName } from "../../core/version.ts";
import { UserError } from "../../core/error.ts";
import { stripControls } from "../../core/support/text.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { complete } from "../completion/candidates.ts";
import { lookupsHere } from "../completion/lookups.ts";
import { completionScript, type Shell, SHELLS } from "../completion/scripts.ts";
import { writeAll } from "../output/write_all.ts";

/** `sandpiper completions SHELL`: the shell's script; `completions words -- WORD …`, which that script calls: what fits. */
export async function completionsCommand({ words, values }: Invocation): Promise<number> {
  const [what = "", ...rest] = words;
  if (what === "words") {
    writeAll(Deno.stdout, await answer(rest, values));
    return 0;
  }
  const shell = SHELLS.find((name) => name === what);
  if (shell === undefined || rest.length > 0) {
    throw new UserError({
      what: `Cannot complete words for "${words.join(" ")}"`,
      why: `it is none of ${SHELLS.join(", ")}`,
      fix: 'For example, in ~/.bashrc: eval "$(sandpiper completions bash)"',
    });
  }
  writeAll(Deno.stdout, completionScript(shell satisfies Shell, programName()));
  return 0;
}

async function answer(words: readonly string[], values: Invocation["values"]): Promise<string> {
  // The line that is being written may name another folder.
  const at = words.findLastIndex((word) => word === "-C" || word === "--cwd");
  const folder = at >= 0 && at + 2 < words.length ? { cwd: words[at + 1] } : {};
  const { candidates, paths } = await complete(words, lookupsHere({ ...values, ...folder }));
  const oneLine = (text: string): string => stripControls(text).replace(/\s+/g, " ").trim();
  return [
    // A word that is not one line as it stands could not be typed either.
    ...candidates.filter(({ value }) => oneLine(value) === value).map(({ value, meaning }) =>
      meaning ? `${value}\t${oneLine(meaning)}` : value
    ),
    ...(paths === undefined ? [] : [`:${paths}`]),
    "",
  ].join("\n");
}
