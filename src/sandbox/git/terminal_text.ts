// Texts in a repository that git prints as they are, to the user's terminal: what steers a terminal in them would be a command's.
import { Buffer } from "node:buffer";

/** C0 and C1 controls but tab and newline, DEL, and what makes a text read differently from what it is. */
// deno-lint-ignore no-control-regex
const STEERING = /(?:\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069])/g;

/** Files in a repository's directory that git prints, or parts of them. */
export const PRINTED_FILES: readonly string[] = [
  ..."MERGE_MSG SQUASH_MSG FETCH_HEAD BISECT_LOG BISECT_TERMS BISECT_NAMES BISECT_START COMMIT_EDITMSG TAG_EDITMSG"
    .split(" "),
  ..."NOTES_EDITMSG description logs/HEAD logs/refs/stash rebase-merge/head-name rebase-apply/head-name".split(" "),
  ...[
    "message",
    "done",
    "git-rebase-todo",
    "patch",
    "author-script",
    "message-squash",
    "message-fixup",
    "current-fixups",
  ]
    .map((name) => `rebase-merge/${name}`),
  ...["patch", "msg-clean", "final-commit", "info", "author-script", "original-commit"].map((name) =>
    `rebase-apply/${name}`
  ),
  ...["todo", "head", "opts"].map((name) => `sequencer/${name}`),
];

/** Why a path among a repository's references is not a reference that git may show, as the subject of a sentence. */
const REPLACES = "what it puts in the place of a commit";
const STEERS = "characters in its name that would control your terminal";

/**
 * Why git of the user may not have a reference, as the subject of a sentence: its name steers a terminal, or git reads
 * another object through it. Undefined for all others. `path`: of a file or directory, a name, or a line of `packed-refs`. Pure.
 */
export function refusedReference(path: string): string | undefined {
  const name = /(?:^|[ /])(refs\/[^]*)$/.exec(path)?.[1];
  if (name === undefined) return undefined;
  if (/(?:^|\/)refs\/replace\/./.test(name)) return REPLACES;
  return isSteeringText(name) ? STEERS : undefined;
}

/** The list of packed references without those that git may not show and that are not in `own`. Pure. */
export function packedWithout(text: string, own: readonly string[]): string {
  const kept: string[] = [];
  let isLeftOut = false;
  for (const line of text.split("\n")) {
    // What an annotated tag leads to stands behind it.
    if (!line.startsWith("^")) isLeftOut = refusedReference(line) !== undefined && !own.includes(line);
    if (!isLeftOut) kept.push(line);
  }
  return kept.join("\n");
}

/** The lines of a text that would steer a terminal; pure. */
export function steeringLines(text: string): string[] {
  return text.split(/\n/).filter((line) => isSteeringText(`${line}\n`));
}

/** Whether a text would steer a terminal; pure. */
export function isSteeringText(text: string): boolean {
  STEERING.lastIndex = 0;
  return STEERING.test(text);
}

/** Characters as UTF-8 has them, of bytes that are a character each; any other byte is one by itself. */
const CHARACTER = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|\r\n|[^]/g;

/**
 * A text, a character for each byte, as it may be printed: with a question mark for what would steer a terminal, in UTF-8 or in
 * an encoding of single bytes. The same text if there is nothing of it. Pure.
 */
export function printableBytes(raw: string): string {
  return raw.replaceAll(
    CHARACTER,
    (one) => isSteeringText(one.length === 1 ? one : Buffer.from(one, "latin1").toString()) ? "?" : one,
  );
}
