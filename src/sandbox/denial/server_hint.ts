import { dirname, isAbsolute, join } from "@std/path";
import { grantOption } from "../../core/grant_option.ts";
import { covers, isInside, type Policy, whyNoGrant } from "../../core/policy.ts";
import { disk } from "../system/disk.ts";
import { denialHints, hintToTell } from "./hint.ts";

/** Files by which the folder of a whole package is known: one file of it would not run without the others. */
const PACKAGE = ["package.json", "pyproject.toml", "pyvenv.cfg", "Cargo.toml", "go.mod"];

/**
 * Why a server of this command most likely could not work under the policy, with the option that mends it; undefined where
 * nothing of the policy explains it. Asked once it has failed: `output` is what it said.
 */
export function serverHint(argv: readonly string[], output: string, policy: Policy): string | undefined {
  const hidden = [programPath(argv[0] ?? "", policy), ...argv.slice(1)].find((path) => isHidden(path, policy));
  if (hidden !== undefined) {
    const path = disk.realPath(hidden) ?? hidden;
    const why = whyNoGrant("read", path, policy);
    if (why !== undefined) return `${path}: ${why}`;
    return `${path} is outside the read scope. Only the user can allow it, with ${
      grantOption("read", packageFolder(path))
    }`;
  }
  const hint = hintToTell(denialHints(output, "failed", policy, disk.realPath));
  return hint?.note?.replace(/^Sandbox: /, "").replace(/\.$/, "");
}

/** Where a program lies that is given by its name. */
function programPath(command: string, { env }: Policy): string {
  if (command.includes("/")) return command;
  const folders = (env["PATH"] ?? "").split(":").filter(isAbsolute);
  return folders.map((folder) => join(folder, command)).find((path) => disk.realPath(path) !== undefined) ?? command;
}

/** Whether something that is there is out of the tools' sight. What belongs to the system is in sight in any case. */
function isHidden(path: string, { read, tmp, cache }: Policy): boolean {
  if (!isAbsolute(path) || read.all) return false;
  const real = disk.realPath(path);
  if (real === undefined || [tmp, cache].some((folder) => isInside(real, folder))) return false;
  return !covers(read, real) && !/^\/(?:usr|bin|sbin|lib\w*|opt|etc|nix|snap|dev|proc|sys)(?:\/|$)/.test(real);
}

function packageFolder(path: string): string {
  const start = disk.listFolder(path) === undefined ? dirname(path) : path;
  for (let folder = start; dirname(dirname(folder)) !== folder && dirname(folder) !== "/"; folder = dirname(folder)) {
    if (disk.listFolder(folder)?.some((name) => PACKAGE.includes(name))) return folder;
  }
  return start;
}
