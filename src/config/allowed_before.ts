import type { SandboxChoice } from "../sandbox/confine/choose.ts";
import { disk } from "../sandbox/system/disk.ts";
import { realOf } from "../sandbox/policy/path_entry.ts";
import type { Grants } from "../sandbox/policy/policy.ts";
import type { Config } from "./config.ts";

/**
 * What the user's settings allow for this workspace beside everything else (`projects`).
 *
 * Left out is what would not mean what was shown when it was granted: a path that has become a link to elsewhere, and
 * what this sandbox level cannot limit to a list. A project's settings have no say in it.
 */
export function allowedBefore(
  config: Pick<Config, "root" | "user">,
  { level, noHosts }: Pick<SandboxChoice, "level" | "noHosts">,
): Grants {
  // The settings table lets no other shape through; read as unknown, so that a wrong one allows nothing.
  const projects = fieldsOf((config.user as Readonly<Record<string, unknown>>)["projects"]);
  const permissions = fieldsOf(fieldsOf(projects[config.root])["permissions"]);
  // A slash at the end names a folder that is made where it is missing.
  const isReal = (written: string): boolean => {
    const path = written.replace(/(?<=.)\/$/, "");
    return path.startsWith("/") && realOf(path, disk.realPath) === path;
  };
  const confines = level === "kernel" || level === "kernel+";
  return {
    ...given("read", permissions["read"], isReal),
    ...given("write", permissions["write"], isReal),
    ...given("run", permissions["run"], () => confines),
    ...given("net", permissions["net"], () => noHosts() === undefined),
  };
}

function given(
  kind: keyof Grants,
  written: unknown,
  isKept: (entry: string) => boolean,
): Grants {
  if (written === true) return { [kind]: true };
  if (!Array.isArray(written)) return {};
  const list = written.filter((entry): entry is string => typeof entry === "string" && isKept(entry));
  return list.length === 0 ? {} : { [kind]: list };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  // Asked first whether it is an object; nothing is believed of its fields.
  return typeof value === "object" && value !== null ? value as Readonly<Record<string, unknown>> : {};
}
