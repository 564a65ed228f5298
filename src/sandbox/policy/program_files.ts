// Which file a listed program is. Whoever could change the file, or a link on the way to it, would decide what runs: so no
// part of the way may lie where tools write.
import { basename, dirname, isAbsolute, join, resolve } from "@std/path";
import * as fs from "node:fs";
import { covers, type Policy } from "../../core/policy.ts";

/** Links that are followed on the way to a program. */
const MOST_LINKS = 40;

/** A program's file: `path` as it is called by, `real` as it is; or why there is none to run. */
export type ProgramFile = { readonly path: string; readonly real: string } | { readonly why: string };

type Wanted = Pick<Policy, "write" | "env">;

/** The file of a listed program: an absolute path, or a name that is looked up in the PATH of the policy's environment. */
export function programFile(listed: string, policy: Wanted): ProgramFile {
  if (listed.includes("/") && !isAbsolute(listed)) {
    return { why: "a program is listed by its name or by an absolute path" };
  }
  const folders = (policy.env["PATH"] ?? "").split(":").filter(isAbsolute);
  const paths = isAbsolute(listed) ? [listed] : folders.map((folder) => join(folder, listed));
  let writable: string | undefined;
  for (const path of paths) {
    const way = wayTo(path, policy);
    if (way === undefined) continue;
    if (!way.isSafe) writable ??= path;
    else if (isProgram(way.real)) return { path, real: way.real };
  }
  return {
    why: writable === undefined
      ? `there is no such program in ${isAbsolute(listed) ? dirname(listed) : "PATH"}`
      : `${writable} lies where tools may write, so that it could be replaced`,
  };
}

/** The folders of PATH in which tools can put no program. */
export function foldersOutOfReach(policy: Wanted): readonly string[] {
  return (policy.env["PATH"] ?? "").split(":").filter(isAbsolute).filter((folder) => {
    const way = wayTo(folder, policy);
    return way !== undefined && way.isSafe && !mayWrite(way.real, policy);
  });
}

/** Follows the links one by one; undefined where a path leads nowhere. */
function wayTo(path: string, policy: Wanted): { readonly real: string; readonly isSafe: boolean } | undefined {
  let at = path;
  let isSafe = true;
  try {
    for (let links = 0; links < MOST_LINKS; links++) {
      const folder = Deno.realPathSync(dirname(at));
      const place = join(folder, basename(at));
      isSafe &&= !mayWrite(place, policy);
      if (!Deno.lstatSync(place).isSymlink) return { real: place, isSafe };
      at = resolve(folder, Deno.readLinkSync(place));
    }
  } catch {
    // Missing, or out of sight.
  }
  return undefined;
}

/** A scope of everything says nothing: the system decides then. */
function mayWrite(place: string, { write }: Wanted): boolean {
  if (!write.all) return covers(write, place);
  return [place, dirname(place)].some((path) => {
    try {
      fs.accessSync(path, fs.constants.W_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function isProgram(real: string): boolean {
  const { isFile, mode } = Deno.lstatSync(real);
  return isFile && ((mode ?? 0) & 0o111) !== 0;
}
