import { createHash, type Hash } from "node:crypto";
import { join } from "@std/path";
import { sharedSkillFolders } from "./files/ancestors.ts";
import { lookAt } from "./files/read_text.ts";

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
    for (const folder of sharedSkillFolders(root)) digestPath(folder, folder, state, 0);
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
  if (link.isSymlink) add(state.hash, `link ${label}`, Deno.readLinkSync(path));
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

/** Lengths stand before contents, so that no two different trees give the same bytes. */
function add(hash: Hash, label: string, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  hash.update(`${label.length}:${label}:${bytes.length}:`).update(bytes);
}
