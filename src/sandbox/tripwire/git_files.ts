// Files of git's own data by which it writes to places that they name, an index and a list of conflicts, or runs what they
// name, when something half done is continued.
import { join } from "@std/path";
import { hashBytesIn } from "../git/config_text.ts";
import { packedWithout, PRINTED_FILES, refusedReference, steeringLines } from "../git/terminal_text.ts";
import { checkIndex, isSoundMergeList, seenIndex, unseenByIndex } from "../git/index_check.ts";
import { SEQUENCER_CHECKS } from "../git/sequencer_check.ts";
import { disk, isFresh } from "../system/disk.ts";
import { readRegular } from "../system/regular_file.ts";
import { statusOf } from "../system/statx.ts";

/** The largest repositories of the world have a quarter of it. */
const LONGEST = 256 * 1024 * 1024;
const NAMES = [
  ...new Set(["index", "HEAD", "packed-refs", "MERGE_RR", ...Object.keys(SEQUENCER_CHECKS), ...PRINTED_FILES]),
];

interface Judged {
  readonly isSound: boolean;
  /** The rest of a split index. */
  readonly shared?: string;
  /** What git would run. */
  readonly programs?: readonly string[];
  /** Lines that would steer the user's terminal when git prints them. */
  readonly steering?: readonly string[];
  /** What would keep git from seeing files or commits as they are. */
  readonly hiding?: readonly string[];
  /** The file without what is not in `own`; undefined where it is to be as it was before. */
  readonly without?: (own: readonly string[]) => Uint8Array<ArrayBuffer>;
  /** Of a file that is put back as it was. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

/** What git would obey in a file, as the subject of a sentence, and what the file should have in it; undefined: no file. */
export interface Unsound {
  readonly what: string;
  readonly instead?: Uint8Array<ArrayBuffer> | undefined;
}

interface Known extends Judged {
  readonly stamp: string;
  readonly isFresh: boolean;
  /** Of what git would run the user's own. */
  readonly own: readonly string[];
}

/**
 * Paths, each with what git would obey there, as the subject of a sentence. `isOwn`: whether all that is found is the user's
 * own, as it is when the first look finds it.
 */
type GitFilesLook = (folders: readonly string[], isOwn?: boolean) => ReadonlyMap<string, Unsound>;

const ELSEWHERE = "paths in it that lead elsewhere";
const STEERED = "characters in it that would control your terminal";
const RUN = "what it would run when it is continued";
const UNSEEN = "flags in it by which git does not see changes of files";
const REFERENCES = "references in it that show other commits or control your terminal";

/**
 * A look at the files of some repositories: those by which git would write where it should not, or run what is not the
 * user's own. Read when they changed.
 */
export function openGitFiles(): GitFilesLook {
  let known: ReadonlyMap<string, Known> | undefined;
  /** The user's own: a repository that a command makes may have an index of its kind. */
  const ownFolders = new Set<string>();
  return (folders, isOwn = known === undefined) => {
    const seen = new Map<string, Known>();
    const unsound = new Map<string, Unsound>();
    if (isOwn) folders.forEach((folder) => ownFolders.add(folder));
    const look = (folder: string, name: string, depth: number): void => {
      const path = nameIn(folder, name);
      const status = statusOf(path);
      // What is no file is found as that.
      if (status?.kind !== "file" || seen.has(path)) return;
      const last = known?.get(path);
      const config = isIndex(name) ? resolveConfig(folder) : undefined;
      const settings = config === undefined ? undefined : statusOf(config);
      const stamp = `${status.stamp} ${config} ${settings?.stamp}`;
      const isJustChanged = isFresh(status.changedMs) || (settings !== undefined && isFresh(settings.changedMs));
      const now = last?.stamp === stamp && !last.isFresh
        ? last
        : judge(path, name, settings === undefined ? undefined : config);
      const { isSound, programs = [], steering = [], hiding = [], without } = now;
      const own = isOwn ? [...programs, ...steering, ...hiding] : last?.own ?? [];
      const isAdded = (one: string): boolean => !own.includes(one);
      const isHead = name === "HEAD";
      // What is put back when a name in it steers a terminal.
      const bytes = isHead && !isOwn && steering.some(isAdded) ? last?.bytes : now.bytes;
      seen.set(path, { ...now, ...(bytes && { bytes }), stamp, isFresh: isJustChanged, own });
      if (programs.some(isAdded)) unsound.set(path, { what: RUN });
      else if (steering.some(isAdded)) unsound.set(path, { what: STEERED, instead: isHead ? bytes : undefined });
      else if (!isSound) unsound.set(path, { what: Object.hasOwn(SEQUENCER_CHECKS, name) ? RUN : ELSEWHERE });
      else if (ownFolders.has(folder) && hiding.some(isAdded)) {
        unsound.set(path, { what: name === "packed-refs" ? REFERENCES : UNSEEN, instead: without?.(own) });
      }
      if (now.shared !== undefined && depth > 0) look(folder, now.shared, depth - 1);
    };
    for (const folder of folders) for (const name of NAMES) look(folder, name, 1);
    known = seen;
    return unsound;
  };
}

/** An index, or the shared rest of one. */
function isIndex(name: string): boolean {
  return name === "index" || name.startsWith("sharedindex.");
}

/** `config`: the settings of an index's repository, if there are any. */
function judge(path: string, name: string, config: string | undefined): Judged {
  let bytes: Uint8Array | undefined;
  try {
    bytes = readRegular(path, LONGEST);
  } catch {
    // Nobody with the user's rights can read it.
    return { isSound: true };
  }
  if (bytes === undefined) return { isSound: false };
  if (name === "packed-refs") return judgePacked(bytes);
  if (name === "HEAD") {
    return { isSound: true, steering: steeringLines(new TextDecoder().decode(bytes)), bytes: new Uint8Array(bytes) };
  }
  if (name === "MERGE_RR") return { isSound: isSoundMergeList(bytes) };
  const text = isIndex(name) ? "" : new TextDecoder().decode(bytes);
  const steering = PRINTED_FILES.includes(name) ? steeringLines(text) : [];
  const programs = SEQUENCER_CHECKS[name]?.(text);
  if (programs || PRINTED_FILES.includes(name)) return { isSound: true, programs: programs ?? [], steering };
  // git takes an empty file for an index without entries.
  if (bytes.length === 0) return { isSound: true };
  const settings = config === undefined ? "" : disk.readText(config);
  const hashBytes = settings === undefined ? undefined : hashBytesIn(settings);
  const verdict = hashBytes === undefined ? undefined : checkIndex(bytes, hashBytes);
  if (hashBytes === undefined || !verdict?.isSound) return { isSound: false };
  const hiding = unseenByIndex(bytes, hashBytes);
  // Read again where it is needed: an index may be large.
  const without = (own: readonly string[]): Uint8Array<ArrayBuffer> =>
    seenIndex(readRegular(path, LONGEST) ?? new Uint8Array(), hashBytes, own);
  return hiding.length === 0 ? verdict : { ...verdict, hiding, without };
}

/** A list of packed references: those in it that git of the user may not have. */
function judgePacked(bytes: Uint8Array): Judged {
  const text = new TextDecoder().decode(bytes);
  const hiding = text.split("\n").filter((line) => refusedReference(line) !== undefined);
  if (hiding.length === 0) return { isSound: true };
  return { isSound: true, hiding, without: (own) => new TextEncoder().encode(packedWithout(text, own)) };
}

/** The settings that say how long names of objects are: of a linked working folder those of the one that it shares. */
function resolveConfig(folder: string): string {
  const pointing = nameIn(folder, "commondir");
  // Looked at first, since a failed attempt to read costs ten looks.
  const text = statusOf(pointing) && disk.readText(pointing);
  if (text === undefined) return nameIn(folder, "config");
  const shared = text.replace(/[\r\n]+$/, "").split("\0", 1)[0] ?? ".";
  return join(shared.startsWith("/") ? shared : join(folder, shared), "config");
}

/** A name that needs no tidying up, in a folder by its tidy path: this is asked for at each look. */
function nameIn(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}
