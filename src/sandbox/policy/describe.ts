import { basename } from "@std/path";
import type { Denial } from "../../core/event.ts";
import { describeDenial, visibleName } from "../../core/grant_option.ts";
import type { JsonObject } from "../../core/json.ts";
import { hasRealShell, isInside, type Policy, type SandboxLevel, type Scope } from "../../core/policy.ts";
import { privateFolders } from "./private_folders.ts";
import { secretsOfHome, SYSTEM_SECRETS } from "./secrets.ts";
import { hasOwnLoopback } from "./program_scopes.ts";

const ENFORCERS: Readonly<Record<SandboxLevel, string>> = {
  "kernel+": "Enforced by the kernel.",
  "kernel": "Enforced by the kernel.",
  "seatbelt": "Enforced by the macOS kernel.",
  "permissions": "Enforced by Deno's permissions; no kernel sandbox is active.",
  "off": "Nothing is enforced: the user switched the sandbox off.",
};

/** Built-in tools by what they use of a policy. */
const RUNNING = new Set(["bash"]);
const WRITING = new Set([...RUNNING, "edit", "write"]);
const READING = new Set([...WRITING, "read", "grep", "find", "ls"]);
const CONNECTING = new Set([...RUNNING, "fetch", "web_search"]);
const BUILT_IN = new Set([
  ...READING,
  ...CONNECTING,
  ...["read_skill", "todo", "bash_output", "bash_stop"],
]);

/**
 * A policy as short sentences, for the prompt's environment section and for `sandpiper policy`.
 *
 * System paths, toolchains and secrets are summed up: the reader wants to know what is special here. `granted` is what a
 * person allowed on the way; it is part of the policy already. `tools`: names of the active tools; what none of them can do
 * is not mentioned.
 */
export function describePolicy(
  policy: Policy,
  granted: readonly Denial[] = [],
  tools?: readonly string[],
): string[] {
  // Tools of servers and extensions can do anything that the policy allows.
  const can = (uses: ReadonlySet<string>): boolean =>
    tools === undefined || tools.some((tool) => uses.has(tool) || !BUILT_IN.has(tool));
  if (tools !== undefined && !can(new Set([...READING, ...WRITING, ...CONNECTING]))) return [];
  return [
    ...(policy.copyOf === undefined ? [] : [
      `This is a trial: the workspace is a private copy, ${visibleName(policy.root)}, of ${
        visibleName(policy.copyOf)
      }, which ` +
      "can be read and not be written. Work in the copy: the user gets what changes in it as a patch, without commits.",
    ]),
    `Read: ${policy.read.all ? "everything but secrets" : readList(policy)}.`,
    ...(can(WRITING) ? [`Write: ${writeList(policy)}${protectedList(policy)}.`] : []),
    ...ownDenials(policy),
    ...(can(RUNNING) ? [`Programs: ${runSentence(policy)}.`] : []),
    ...(can(CONNECTING) ? [`Network: ${networkSentence(policy)}.`] : []),
    ...(granted.length > 0
      ? [`Allowed by the user in this session: ${granted.map((one) => describeDenial(one).allows).join("; ")}.`]
      : []),
    ENFORCERS[policy.sandbox],
  ];
}

function readList(policy: Policy): string {
  if (policy.read.list.length === 0) return "nothing";
  const system = /^\/(?:usr|bin|sbin|lib\w*|opt|nix|gnu|snap|etc|var|run)(?:\/|$)/;
  // What an option, a setting or the user allowed is always named, wherever it is.
  const builtIn = new Set(policy.builtInRead);
  const isSummed = (path: string): boolean =>
    isPrivate(path, policy) || (builtIn.has(path) && (system.test(path) || isInside(path, policy.home)));
  const shown = policy.read.list.filter((path) => isInside(path, policy.root) || !isSummed(path));
  // In a process that may not read them itself, the tools cannot either.
  const isSmall = policy.sandbox === "permissions" && !policy.read.list.some((path) => system.test(path));
  return [...shown.map((path) => name(path, policy)), ...(isSmall ? [] : ["system, toolchains"])].join(", ");
}

function writeList(policy: Policy): string {
  const { write } = policy;
  const own = write.all
    ? ["everything but secrets and protected paths"]
    : write.list.filter((path) => !isPrivate(path, policy)).map((path) => name(path, policy));
  // Not the folder's path: that differs from session to session, and the prompt keeps its bytes.
  const isOwn = privateFolders(policy).includes("/tmp");
  const temporary = isOwn ? "$TMPDIR (/tmp)" : write.all ? "$TMPDIR" : "$TMPDIR (not /tmp)";
  return [...own, ...(grantsAny(write) || hasRealShell(policy) ? [temporary] : [])].join(", ") || "nothing";
}

function isPrivate(path: string, policy: Policy): boolean {
  return path === policy.tmp || path === policy.cache;
}

function name(path: string, policy: Policy): string {
  return path === policy.root ? "the workspace" : path;
}

function ownDenials(policy: Policy): string[] {
  const inside = (list: readonly string[]): string[] =>
    list.filter((path) => isInside(path, policy.root) && !policy.protected.includes(path));
  const [read, write] = [inside(policy.denyRead), inside(policy.denyWrite)];
  return [
    ...(read.length > 0 ? [`Never readable: ${read.join(", ")}.`] : []),
    ...(write.length > 0 ? [`Never writable: ${write.join(", ")}.`] : []),
  ];
}

function protectedList(policy: Policy): string {
  if (!grantsAny(policy.write) || policy.protected.length === 0) return "";
  const names = policy.protected.filter((path) => isInside(path, policy.root)).map((path) =>
    path.slice(policy.root.length + 1)
  );
  // Under a layer a new remote is taken with its address (git_layer/settings.ts).
  const isLayered = policy.sandbox === "kernel+" && !policy.bubblewrap;
  const settings = isLayered ? ".git config but remotes" : ".git settings";
  const top = [...new Set(names.map((path) => path.startsWith(".git/") ? settings : path))];
  return `; never ${top.slice(0, 12).join(", ")}${top.length > 12 ? " and more" : ""}`;
}

function runSentence(policy: Policy): string {
  if (hasRealShell(policy)) return "any, confined";
  const own = grantsAny(policy.read)
    ? "; bash is an interpreter with its own grep, sed, awk, find, jq and the like"
    : "";
  const list = policy.run.all ? [] : policy.run.list;
  return (list.length > 0 ? `only ${list.join(", ")}, each in the same confinement` : "none") + own;
}

function networkSentence(policy: Policy): string {
  const { net } = policy;
  if (net.all) return "allowed";
  const own = hasOwnLoopback(policy) ? "; each command has its own 127.0.0.1" : "";
  if (net.list.length === 0) return `none${own}`;
  return `only ${net.list.join(", ")}, for commands, through the HTTP proxy in http_proxy and https_proxy${own}`;
}

function grantsAny(scope: Scope): boolean {
  return scope.all || scope.list.length > 0;
}

/**
 * A policy for the manifest (R359): scopes, limits, denied paths (of the built-in table of secret places only how many), names of
 * variables without their values, what its level cannot do here, and what the user is warned of (R468).
 */
export function policyRecord(policy: Policy): JsonObject {
  const scope = (of: Scope): JsonObject => ({ all: of.all, list: of.list });
  // Hundreds of places in every manifest would make a session mostly a copy of the table of secret places.
  const table = new Set([...SYSTEM_SECRETS, ...secretsOfHome(policy.home)]);
  const unlisted = (paths: readonly string[]): readonly string[] => paths.filter((path) => !table.has(path));
  return {
    sandbox: policy.sandbox,
    weaknesses: policy.weaknesses ?? [],
    notices: [...policy.notices ?? [], ...runNotices(policy)],
    root: policy.root,
    ...(policy.copyOf === undefined ? {} : { copyOf: policy.copyOf }),
    read: scope(policy.read),
    write: scope(policy.write),
    run: scope(policy.run),
    net: scope(policy.net),
    env: Object.keys(policy.env).sort(),
    denyRead: unlisted(policy.denyRead),
    denyWrite: unlisted(policy.denyWrite),
    secretPlaces: policy.denyRead.filter((path) => table.has(path)).length,
    protected: policy.protected,
    limits: { ...policy.limits },
  };
}

/** Programs that start whatever they are told to. */
const INTERPRETERS = new RegExp(
  "^(?:(?:ba|da|a|k|z|c|tc|fi)?sh|busybox|env|xargs|find|parallel|make|nice|nohup|setsid|time|timeout|sudo|su|ssh|vim?|awk|gawk|" +
    "git|node|deno|bun|npm|npx|pnpm|yarn|(?:python|perl|ruby|php|lua)[\\d.]*|uv|uvx|pip\\d*|cargo|go|java|gdb|docker)$",
);

/**
 * What the run scope means that its words do not say (R468): a listed interpreter starts others, so that from there on the
 * sandbox alone decides what is touched; where there is none, nothing does.
 */
export function runNotices(policy: Policy): string[] {
  const { all, list } = policy.run;
  if (all && !hasRealShell(policy)) {
    return ["No program is started at the sandbox level permissions: bash interprets scripts itself."];
  }
  if (all && policy.sandbox === "off") {
    return ["A real shell without a sandbox voids the read and write scope: commands may touch whatever you may."];
  }
  const interpreters = all ? [] : list.filter((name) => INTERPRETERS.test(basename(name)));
  if (interpreters.length === 0) return [];
  return [`${interpreters.join(", ")} can start other programs: the list does not bound those, only the sandbox does.`];
}
