// What git keeps of something half done. A later git of the user goes on with it and runs what it says, so each file has a grammar
// without programs and places, and of one operation all files are taken or none. git-rebase(1), git-bisect(1), git-am(1)
import { Buffer } from "node:buffer";
import { readConfigText } from "../git/config_text.ts";
import { programsInStrategy, programsInTodo } from "../git/sequencer_check.ts";
import { printableBytes } from "../git/terminal_text.ts";
import { isObjectName, isRefName } from "./refs.ts";

/** Whether a file's text may be taken; `own` is what the user's own file says. */
type Grammar = (text: string, own: string) => boolean;

const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");
const each = (form: RegExp): Grammar => (text) => !text.includes("\0") && lines(text).every((line) => form.test(line));

const text: Grammar = (text) => !text.includes("\0");
const objects: Grammar = (text) => lines(text).every(isObjectName);
const number: Grammar = (text) => /^\d{1,9}\s*$/.test(text);
const mark: Grammar = (text) => /^(?:yes|t|true|no-ff|autostash)?\s*$/.test(text);
const place: Grammar = (text) => {
  const name = text.trim();
  return isObjectName(name) || name === "detached HEAD" || isRefName(name) || isRefName(`refs/heads/${name}`);
};
const pairs = each(/^[0-9a-f]{40,64}(?: [0-9a-f]{40,64})?$/);
/** Commands of a list, of which none runs anything that the user's own did not. */
const todo: Grammar = (text, own) => {
  const usual = new Set(programsInTodo(own));
  return !text.includes("\0") && programsInTodo(text).every((line) => usual.has(line)) &&
    lines(text).every((line) => isBranchOf(/^\s*(?:u|update-ref)\b\s*(.*)$/.exec(line)?.[1]));
};
const isBranchOf = (name: string | undefined): boolean =>
  name === undefined || (name.startsWith("refs/heads/") && isRefName(name.trim()));
/** Branches that follow at the end: a name, what it was, what it becomes. git sets whatever stands here. */
const updates: Grammar = (text) => {
  const all = text.split("\n");
  return all.pop() === "" && all.length % 3 === 0 &&
    all.every((line, at) => at % 3 === 0 ? line.startsWith("refs/heads/") && isRefName(line) : isObjectName(line));
};
const rewritten: Grammar = (text) =>
  lines(text).every((line) => line.startsWith("refs/rewritten/") && isRefName(line.replace("rewritten", "heads")));
const author = each(/^GIT_AUTHOR_(?:NAME|EMAIL|DATE)='(?:[^'\n]|'\\'')*'$/);
const options: Grammar = (text) => {
  const { settings, isWhole } = readConfigText(text);
  return isWhole &&
    settings.every(([name, value = ""]) =>
      name === "options.strategy"
        ? programsInStrategy(value).length === 0
        : SEQUENCER.test(name) && /^[\w.-]*$/.test(value)
    );
};
const SEQUENCER = new RegExp(
  "^options\\.(?:no-commit|edit|allow-empty|allow-empty-message|drop-redundant-commits|keep-redundant-commits|signoff|" +
    "record-origin|allow-ff|mainline|allow-rerere-auto|default-msg-cleanup|commit-use-reference)$",
);

interface Operation {
  readonly name: string;
  readonly files: Readonly<Record<string, Grammar>>;
}

const inFolder = (folder: string, files: Readonly<Record<string, Grammar>>): Record<string, Grammar> =>
  Object.fromEntries(Object.entries(files).map(([name, grammar]) => [`${folder}/${name}`, grammar]));

const alike = (names: string, grammar: Grammar): Record<string, Grammar> =>
  Object.fromEntries(names.split(" ").map((name) => [name, grammar]));

const REBASE: Readonly<Record<string, Grammar>> = {
  ...alike(
    "interactive drop_redundant_commits keep_redundant_commits no-reschedule-failed-exec reschedule-failed-exec quiet " +
      "verbose signoff ignore_date cdate_is_adate allow_rerere_autoupdate force-rewrite",
    mark,
  ),
  ...alike("onto orig-head stopped-sha amend squash-onto autostash", objects),
  ...alike("done message patch message-squash message-fixup current-fixups git-rebase-todo.backup dropped", text),
  "git-rebase-todo": todo,
  "update-refs": updates,
  "refs-to-delete": rewritten,
  "head-name": place,
  "msgnum": number,
  "end": number,
  "author-script": author,
  "rewritten-list": pairs,
  "rewritten-pending": pairs,
  "strategy": (text) => programsInStrategy(text).length === 0,
};

/** Operations by the files that they consist of, and files that are none of one. */
const OPERATIONS: readonly Operation[] = [
  {
    name: "merge",
    files: {
      MERGE_HEAD: objects,
      MERGE_MODE: mark,
      MERGE_MSG: text,
      AUTO_MERGE: objects,
      SQUASH_MSG: text,
      MERGE_AUTOSTASH: objects,
    },
  },
  { name: "rebase", files: { REBASE_HEAD: objects, ...inFolder("rebase-merge", REBASE) } },
  {
    name: "cherry-pick or revert",
    files: {
      CHERRY_PICK_HEAD: objects,
      REVERT_HEAD: objects,
      ...inFolder("sequencer", { todo, head: objects, "abort-safety": objects, opts: options }),
    },
  },
  {
    name: "bisect",
    files: {
      BISECT_START: place,
      BISECT_TERMS: each(/^[a-z][a-z0-9-]*$/),
      // A list of paths, which versions of git hand to a shell.
      BISECT_NAMES: (text) => text.trim() === "",
      // What was said; git obeys it where a person has it replayed, by name.
      BISECT_LOG: text,
      BISECT_EXPECTED_REV: objects,
      BISECT_ANCESTORS_OK: mark,
      BISECT_FIRST_PARENT: mark,
      BISECT_HEAD: objects,
      BISECT_RUN: text,
    },
  },
];
const ALONE: Readonly<Record<string, Grammar>> = {
  ORIG_HEAD: objects,
  COMMIT_EDITMSG: text,
  TAG_EDITMSG: text,
  NOTES_EDITMSG: text,
  // Why a linked working folder is to stay.
  locked: (text) => !/[^\P{Cc}\n]/u.test(text),
  FETCH_HEAD: each(/^[0-9a-f]{40,64}\t(?:not-for-merge)?\t/),
};
const LONGEST = 1024 * 1024;
/** Folders that something half done has to itself. */
export const OPERATION_FOLDERS = ["rebase-merge", "rebase-apply", "sequencer"];

/** Whether a path of a repository's folder is of something half done. */
export function isOperation(path: string): boolean {
  return Object.hasOwn(ALONE, path) || OPERATION_FOLDERS.includes(path.split("/")[0] as string) ||
    OPERATIONS.some(({ files }) => Object.hasOwn(files, path));
}

/** Whether it is part of an operation, and not what is left of one that has ended. */
export function isUnfinished(path: string): boolean {
  return isOperation(path) && !Object.hasOwn(ALONE, path);
}

/** What to do with the files of something half done. */
export interface OperationPlan {
  /** New texts by path; undefined for a file to be removed. */
  readonly writes: ReadonlyMap<string, string | undefined>;
  /** Those of them that had characters which control a terminal. */
  readonly cleaned: readonly string[];
  /** The name of each operation that is not taken, with its files. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
}

/**
 * Judges what a command changed of it. `changed`: paths, false for those that it removed. Pure but for `read`, which gives a
 * file of the layer, and `own`, which gives the user's. Both give undefined where there is none.
 */
export function planOperations(
  changed: ReadonlyMap<string, boolean>,
  read: (path: string, most: number) => string | undefined,
  own: (path: string) => string | undefined,
): OperationPlan {
  const writes = new Map<string, string | undefined>();
  const cleaned: string[] = [];
  const refused = new Map<string, string[]>();
  const groups = new Map<string, string[]>();
  for (const path of changed.keys()) {
    const name = nameOf(path);
    groups.set(name, [...groups.get(name) ?? [], path]);
  }
  for (const [name, paths] of groups) {
    const texts = paths.map((path): readonly [string, string | undefined, boolean] => {
      if (!changed.get(path)) return [path, undefined, true];
      const raw = read(path, LONGEST);
      const text = raw === undefined || raw.includes("\0") ? undefined : printableBytes(raw);
      if (text !== undefined && text !== raw) cleaned.push(path);
      const grammar = grammarOf(path);
      // A grammar knows names as text.
      const isGood = text !== undefined && grammar?.(asText(text), asText(own(path) ?? "")) === true;
      return [path, text, isGood];
    });
    if (texts.every(([, , isGood]) => isGood)) { for (const [path, text] of texts) writes.set(path, text); }
    else refused.set(name, paths);
  }
  return { writes, cleaned: cleaned.filter((path) => writes.has(path)), refused };
}

function asText(raw: string): string {
  return Buffer.from(raw, "latin1").toString();
}

function nameOf(path: string): string {
  if (Object.hasOwn(ALONE, path)) return path;
  const folder = path.split("/")[0];
  if (folder === "rebase-apply") return "rebase or am";
  if (folder === "rebase-merge") return "rebase";
  return OPERATIONS.find(({ files }) => Object.hasOwn(files, path))?.name ?? "cherry-pick or revert";
}

function grammarOf(path: string): Grammar | undefined {
  if (Object.hasOwn(ALONE, path)) return ALONE[path];
  return OPERATIONS.find(({ files }) => Object.hasOwn(files, path))?.files[path];
}
