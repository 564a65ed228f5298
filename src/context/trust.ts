import { createHash, type Hash } from "node:crypto";
import { dirname, join } from "@std/path";
import type { TrustDecision } from "../core/compiled_prompt.ts";
import { messageOf } from "../core/error.ts";
import { isObject } from "../core/json.ts";
import { replaceFile } from "../core/support/replace_file.ts";
import { sharedSkillFolders } from "./files/ancestors.ts";
import { lookAt } from "./files/read_text.ts";

/** One recorded answer: this folder, with exactly this content, is or is not trusted. */
export interface TrustRecord {
  readonly folder: string;
  readonly digest: string;
  readonly trusted: boolean;
}

/** What the decision is made from. */
export interface TrustQuestion {
  /** `--trust` or `--no-trust`, when one was given. */
  readonly flag?: boolean | undefined;
  readonly folder: string;
  /** Of what the project would load; undefined when it has nothing of the kind, null when it cannot be digested. */
  readonly digest: string | null | undefined;
  readonly records: readonly TrustRecord[];
}

/**
 * Decides about trust: the flag, else an answer recorded for this folder and this very content, else no.
 *
 * Content that changed since the answer is as unknown as if nobody had looked at it.
 */
export function decideTrust(question: TrustQuestion): TrustDecision {
  const { flag, folder, digest, records } = question;
  if (flag !== undefined) return { trusted: flag, reason: "flag" };
  if (digest === undefined) return { trusted: false, reason: "nothing_to_trust" };
  const record = records.findLast((one) => one.folder === folder);
  if (!record) return { trusted: false, reason: "unknown" };
  if (digest === null || record.digest !== digest) return { trusted: false, reason: "changed" };
  return { trusted: record.trusted, reason: "recorded" };
}

/** The recorded answers, and why they could not be read. A file that makes no sense grants nothing. */
export function readTrust(path: string): { readonly records: readonly TrustRecord[]; readonly problem?: string } {
  try {
    const value: unknown = JSON.parse(Deno.readTextFileSync(path));
    const list = isObject(value) ? value.records : undefined;
    if (!Array.isArray(list) || !list.every(isRecord)) {
      return { records: [], problem: "it does not hold trust records" };
    }
    return { records: list.map(({ folder, digest, trusted }) => ({ folder, digest, trusted })) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { records: [] };
    return { records: [], problem: messageOf(error) };
  }
}

/**
 * Records an answer in place of an earlier one for the same folder; written whole or not at all, for the user's eyes
 * only (folder 0700, file 0600). Throws what the disk throws.
 */
export function recordTrust(path: string, record: TrustRecord): void {
  const kept = readTrust(path).records.filter((one) => one.folder !== record.folder);
  Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  replaceFile(path, JSON.stringify({ version: 1, records: [...kept, record] }, null, 2) + "\n", "private");
}

function isRecord(value: unknown): value is TrustRecord {
  return isObject(value) && typeof value.folder === "string" && typeof value.digest === "string" &&
    typeof value.trusted === "boolean";
}

/** What of a project's configuration folder loads only with trust (docs/cli.md, Files). */
const GUARDED = [
  "APPEND_SYSTEM.md",
  "IDENTITY.md",
  "SCRIPTS.md",
  "SOUL.md",
  "SYSTEM.md",
  "USER.md",
  "agents",
  "extensions",
  "prompts",
  "settings.json",
  "skills",
] as const;

/** What of the workspace's root loads only with trust: the servers that a project brings. */
const GUARDED_SERVERS = ".mcp.json";

/** Files of the workspace's root that may stand in the identity's place, where the user wants that (K11). */
const GUARDED_ROOT = ["IDENTITY.md", "SOUL.md"] as const;

/** More than this is not digested, and so never trusted by a record: a person cannot have looked at it. */
const DIGEST_LIMITS = { bytes: 32 * 1024 * 1024, entries: 10_000 } as const;

/** A file that a trusted project would load. */
export interface ProjectFile {
  /** Absolute, as it is found and not as links lead. */
  readonly path: string;
  readonly bytes: number;
  /** Where it leads, if it is a link. */
  readonly target?: string;
}

/**
 * The digest together with the files that it is made of: what a person is shown is what an answer is recorded for.
 *
 * SHA-256 over all that a trusted project would load: names, kinds and contents, links by where they point and by what they
 * hold. Undefined when there is nothing of the kind; the digest is null when there is too much, or something that cannot be
 * read or is a device: the files are those found until then.
 */
export function lookAtProject(
  root: string,
  projectFolder: string | undefined,
  limits: { readonly bytes: number; readonly entries: number } = DIGEST_LIMITS,
): { readonly digest: string | null; readonly files: readonly ProjectFile[] } | undefined {
  const state: State = { hash: createHash("sha256"), entries: 0, bytes: 0, files: [], limits };
  try {
    if (projectFolder) { for (const name of GUARDED) digestPath(join(projectFolder, name), name, state, 0); }
    for (const folder of sharedSkillFolders(root)) {
      if (lookAt(folder)) noteLink(dirname(folder), state);
      digestPath(folder, folder, state, 0);
    }
    if (projectFolder && state.entries > 0) noteLink(projectFolder, state);
    digestPath(join(root, GUARDED_SERVERS), `root ${GUARDED_SERVERS}`, state, 0);
    // On their own they ask for no trust: beside the built-in identity they are text like AGENTS.md.
    if (state.entries === 0) return undefined;
    for (const name of GUARDED_ROOT) digestPath(join(root, name), `root ${name}`, state, 0);
  } catch {
    return { digest: null, files: state.files };
  }
  return { digest: state.hash.digest("hex"), files: state.files };
}

/** Whether a trusted project would load anything: what is there is looked at, and nothing of it opened. */
export function bringsSomething(root: string, projectFolder: string | undefined): boolean {
  return [
    ...projectFolder ? GUARDED.map((name) => join(projectFolder, name)) : [],
    join(root, GUARDED_SERVERS),
    ...sharedSkillFolders(root),
  ].some((path) => lookAt(path) !== undefined);
}

interface State {
  readonly hash: Hash;
  readonly limits: { readonly bytes: number; readonly entries: number };
  entries: number;
  bytes: number;
  readonly files: ProjectFile[];
}

function digestPath(path: string, label: string, state: State, depth: number): void {
  const link = lookAt(path);
  if (!link) return;
  if (++state.entries > state.limits.entries || depth > 32) throw new Error("too much to digest");
  if (link.isSymlink) {
    const target = Deno.readLinkSync(path);
    add(state.hash, `link ${label}`, target);
    state.files.push({ path, bytes: 0, target });
  }
  const info = link.isSymlink ? Deno.statSync(path) : link;
  if (info.isDirectory) {
    add(state.hash, `folder ${label}`, "");
    const names = [...Deno.readDirSync(path)].map((entry) => entry.name).sort();
    for (const name of names) digestPath(join(path, name), `${label}/${name}`, state, depth + 1);
  } else if (info.isFile) {
    state.bytes += info.size;
    if (state.bytes > state.limits.bytes) throw new Error("too much to digest");
    add(state.hash, `file ${label}`, Deno.readFileSync(path));
    state.files.push({ path, bytes: info.size });
  } else {
    throw new Error("neither a file nor a folder");
  }
}

/** A directory on the way to what would be loaded: the person is told if it is a link. */
function noteLink(path: string, state: State): void {
  if (!lookAt(path)?.isSymlink) return;
  const target = Deno.readLinkSync(path);
  add(state.hash, `way ${path}`, target);
  state.files.push({ path, bytes: 0, target });
}

/** Lengths stand before contents, so that no two different trees give the same bytes. */
function add(hash: Hash, label: string, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  hash.update(`${label.length}:${label}:${bytes.length}:`).update(bytes);
}
