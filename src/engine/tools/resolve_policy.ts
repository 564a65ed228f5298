import { resolve } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import type { Config } from "../../config/config.ts";
import { refuseWiderThanHost, withinHost } from "../../config/host_permissions.ts";
import { allowedBefore, policyEnvironment, requestOf } from "../../config/policy_request.ts";
import { rememberToolPlaces } from "../../config/tool_places.ts";
import { covers, type Policy } from "../../core/policy.ts";
import type { FoundBundled } from "../resources/bundled.ts";
import { skillFolders } from "../resources/skills.ts";
import { checkpointsFolder } from "../sessions/checkpoint_place.ts";
import { sessionPlaces } from "../sessions/session_choice.ts";
import type { SandboxChoice } from "../../sandbox/confine/choose.ts";
import { withOuterRepository } from "../../sandbox/git/outer_repository.ts";
import { type Grants, resolvePolicy } from "../../sandbox/policy/policy.ts";
import { glanceAtDisk } from "../../sandbox/system/disk.ts";

/** What of a session does not change when a grant makes a new policy of it. */
export interface PolicyBase {
  readonly sandbox: SandboxChoice;
  readonly folders: { readonly tmp: string; readonly cache: string };
  readonly bundled: FoundBundled;
  /** What this program is made of. */
  readonly program: readonly string[];
}

/**
 * The policy of a session: command line, settings and what was granted on the way; never wider than what this process
 * itself may do. Throws UserError for what cannot be had.
 */
export function policyOf(config: Config, { sandbox, folders, bundled, program }: PolicyBase, grants: Grants): Policy {
  const allowed = allowedBefore(config, sandbox);
  // Only the workspace is copied: what was allowed for good elsewhere is asked for again.
  const { write: _, ...others } = allowed;
  const { pack } = config.world;
  // Absent on another system, and in a process that may not read it.
  const mounts = attempt(() => Deno.readTextFileSync("/proc/self/mountinfo"));
  const policy = resolvePolicy({
    ...requestOf(config),
    allowed: config.trial === undefined ? allowed : { ...others, write: false },
    grants,
  }, {
    home: config.world.home,
    tmp: folders.tmp,
    cache: folders.cache,
    env: policyEnvironment(config),
    skills: skillFolders(config),
    readable: [..."problem" in bundled ? [] : bundled.readable, ...pack ? [pack.pack.folder()] : []],
    // From source that is the repository itself, on which people work.
    unpacked: [
      ...Deno.build.standalone && !("problem" in bundled) ? [bundled.folder] : [],
      ...pack ? [pack.pack.folder()] : [],
    ],
    program,
    kept: sessionPaths(config),
    level: sandbox.level,
    noHosts: sandbox.noHosts,
    ...(mounts === undefined ? {} : { mounts }),
    ...glanceAtDisk(),
  });
  rememberToolPlaces([policy.root, ...policy.write.list]);
  makeOwnFolder(config, policy);
  if (sandbox.level === "permissions") refuseWiderThanHost(config);
  return withinHost({
    ...(config.trial?.policy(policy, Object.keys(grants).length === 0) ?? withOuterRepository(policy)),
    ...(sandbox.level === "kernel" && sandbox.noHosts() === undefined ? { holdsHosts: true } : {}),
    ...(sandbox.bubblewrap === undefined ? {} : { bubblewrap: true }),
    ...(pack ? { packed: pack.pack.name } : {}),
    weaknesses: sandbox.weaknesses,
    notices: sandbox.notices,
  });
}

/**
 * Makes the user's folder where tools may write around it: what is there is closed to commands, what is not they could make,
 * and the next start would obey it.
 */
function makeOwnFolder({ stateFolder }: Config, { write }: Policy): void {
  if (stateFolder === undefined || !covers(write, stateFolder)) return;
  // Commands may not be able to either, and what they make is watched.
  attempt(() => Deno.mkdirSync(stateFolder, { recursive: true, mode: 0o700 }));
}

/** What this program keeps of sessions, which is not the tools' to touch, wherever the user wants it to be (R478). */
function sessionPaths(config: Config): readonly string[] {
  const { invocation: { values }, auditFolder, world } = config;
  const { folder } = sessionPlaces(config);
  const named = values["resume"];
  // A session that is named by its file goes on in that file.
  const file = typeof named === "string" && named.includes("/") ? resolve(world.cwd, named) : undefined;
  return [folder, auditFolder, checkpointsFolder(config), file].filter((path) => path !== undefined);
}

/**
 * Makes the folder of the sessions where nothing but its own denial keeps tools out of it: what is not there yet cannot
 * be covered by a mount, and the first session of a folder is there only after the first message.
 */
export function makeKeptFolder(config: Config, { denyRead }: Pick<Policy, "denyRead">): void {
  const { folder } = sessionPlaces(config);
  if (folder === undefined || !denyRead.includes(folder)) return;
  // The session itself tells why it cannot be kept.
  attempt(() => Deno.mkdirSync(folder, { recursive: true, mode: 0o700 }));
}
