import { resolve } from "@std/path";
import { isInside } from "../core/policy.ts";
import type { ContextFile, Diagnostic, Persona } from "../core/prompt.ts";

/** What gathering found that a person may have to act on. */
export interface FoundFiles {
  /** Files that were looked for. */
  readonly files: readonly (ContextFile | undefined)[];
  readonly persona: Persona | undefined;
  readonly skills: readonly Diagnostic[];
  readonly templates: readonly Diagnostic[];
  /** Paths that `--skill` and extensions name, as they were written. */
  readonly named: readonly string[];
  readonly root: string;
}

/**
 * What a person should be told at the start, one sentence each: files that are there and cannot be read, skills that
 * they or their extensions named and do not get, templates. The rest is for the manifest: a skill of somebody else's may well be odd.
 */
export function baseNotices({ files, persona, skills, templates, named, root }: FoundFiles): readonly string[] {
  const wanted = named.map((path) => resolve(root, path));
  const isNamed = (path: string): boolean => wanted.some((one) => isInside(path, one));
  return [
    ...[...files, persona?.soul, persona?.identity, persona?.user].flatMap((file) =>
      file?.status === "read_error" ? [`${file.path} is left out. ${file.message ?? "It cannot be read"}`] : []
    ),
    ...skills.flatMap(({ file, message }) =>
      file === undefined ? [message] : isNamed(file) ? [`${file}: ${message}`] : []
    ),
    ...templates.map(({ file, message }) => file === undefined ? message : `${file}: ${message}`),
  ];
}
