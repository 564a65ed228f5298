import { isAbsolute } from "@std/path";
import type { Policy, Scope } from "../../core/policy.ts";
import { harmlessSettings, settingsIn, withSettings } from "../git/config_variables.ts";
import { ADDRESS_WITH_PASSWORD, SECRET_VARIABLE } from "./secrets.ts";

const PASSES = new RegExp(
  "^(?:" + [
    "PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z_]+|TZ|TERM|COLORTERM|CI|FORCE_COLOR|NO_COLOR",
    "JAVA_HOME|MAVEN_HOME|GRADLE_HOME|GOPATH|GOROOT|GOFLAGS|CARGO_HOME|RUSTUP_HOME|RUSTUP_TOOLCHAIN|PYENV_ROOT",
    "NVM_DIR|NVM_BIN|VOLTA_HOME|DENO_INSTALL|BUN_INSTALL|SDKMAN_DIR|RBENV_ROOT|VIRTUAL_ENV|CONDA_PREFIX|NODE_ENV",
    "SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|SOURCE_DATE_EPOCH",
  ].join("|") + ")$",
);

/** Variables that make a loader or interpreter run something else: never from outside. */
const STEERS =
  /^(?:LD_|DYLD_|BASH_ENV$|ENV$|BASH_FUNC_|GIT_(?:SSH|EXEC|CONFIG|ASKPASS|PROXY|DIR$|WORK_TREE$)|SSH_ASKPASS)/;

/** Who makes commits; `AUTHOR` only looks like a secret's name. */
const IDENTITY = /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$/;

/** Where a session's private places are. */
export interface PrivatePlaces {
  readonly home: string;
  readonly root: string;
  readonly tmp: string;
  readonly cache: string;
  /** Git's global settings for tools; absent where nothing keeps them from the home's own. */
  readonly gitConfig?: string;
}

/**
 * The complete environment of tools: a list of names that pass, what was granted besides, and the private places.
 *
 * A grant of everything still leaves out names that look like secrets, and addresses with a password; named one by one,
 * they pass.
 */
export function toolEnvironment(
  env: Readonly<Record<string, string>>,
  grant: { readonly allow: Scope; readonly deny: Scope },
  places: PrivatePlaces,
): Record<string, string> {
  const passes = (name: string, value: string): boolean => {
    if (grant.deny.all || grant.deny.list.includes(name)) return false;
    if (grant.allow.list.includes(name) || IDENTITY.test(name)) return true;
    if (isOnlyNamed(name, value)) return false;
    return PASSES.test(name) || grant.allow.all;
  };
  const kept = Object.entries(env).filter(([name, value]) => passes(name, value) && !value.includes("\0"));
  const own = { ...Object.fromEntries(kept), ...privateVariables(env, places) };
  // By name the user grants all of them; a part of them would make git fail.
  const isNamed = grant.allow.list.includes("GIT_CONFIG_COUNT");
  const isDenied = grant.deny.all || grant.deny.list.includes("GIT_CONFIG_COUNT");
  const settings = isDenied ? [] : settingsIn(env);
  return withSettings(own, isNamed ? settings : harmlessSettings(settings));
}

/** Whether a variable passes only where it is named: a grant of everything does not stand for it. */
function isOnlyNamed(name: string, value: string): boolean {
  return SECRET_VARIABLE.test(name) || STEERS.test(name) || ADDRESS_WITH_PASSWORD.test(value);
}

/** What both scopes of variables cover; `env`: the host's own environment. */
export function intersectVariables(a: Scope, b: Scope, env: Readonly<Record<string, string>>): Scope {
  if (a.all && b.all) return a;
  const [list, other] = a.all ? [b.list, a] : [a.list, b];
  const isCovered = (name: string): boolean =>
    other.all ? !isOnlyNamed(name, env[name] ?? "") : other.list.includes(name);
  return { all: false, list: list.filter(isCovered) };
}

/**
 * An environment of tools for other private folders: variables that name the old ones name the new ones, and nothing
 * else changes. Git's private settings keep their name below `tmp`.
 */
export function movedVariables(
  env: Readonly<Record<string, string>>,
  from: Omit<PrivatePlaces, "gitConfig">,
  to: Omit<PrivatePlaces, "gitConfig">,
): Record<string, string> {
  const config = env["GIT_CONFIG_GLOBAL"];
  const places = (of: Omit<PrivatePlaces, "gitConfig">): PrivatePlaces => ({
    ...of,
    ...(config?.startsWith(`${from.tmp}/`) ? { gitConfig: of.tmp + config.slice(from.tmp.length) } : {}),
  });
  const [old, moved] = [privateVariables(env, places(from)), privateVariables(env, places(to))];
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, old[name] === value ? moved[name] ?? value : value]),
  );
}

function privateVariables(env: Readonly<Record<string, string>>, places: PrivatePlaces): Record<string, string> {
  const { home, root, tmp, cache, gitConfig } = places;
  return {
    PATH: searchPath(env["PATH"]),
    HOME: home,
    PWD: root,
    TMPDIR: tmp,
    TMP: tmp,
    TEMP: tmp,
    // Package managers write here and never into the user's caches, which other programs trust.
    XDG_CACHE_HOME: cache,
    npm_config_cache: `${cache}/npm`,
    npm_config_update_notifier: "false",
    // The user's own holds tokens and is not readable, which npm takes for an error.
    npm_config_userconfig: `${cache}/npmrc`,
    YARN_CACHE_FOLDER: `${cache}/yarn`,
    PIP_CACHE_DIR: `${cache}/pip`,
    UV_CACHE_DIR: `${cache}/uv`,
    GOCACHE: `${cache}/go-build`,
    DENO_DIR: `${cache}/deno`,
    JAVA_TOOL_OPTIONS: `-Djava.io.tmpdir=${tmp} -XX:-UsePerfData`,
    ...(gitConfig === undefined ? {} : { GIT_CONFIG_GLOBAL: gitConfig }),
    ...WITHOUT_TERMINAL,
    SANDPIPER_SANDBOX: "1",
  };
}

const NO_EDITOR =
  "No editor can run here: there is no terminal. Give the text with an option (git: -m, -F, --no-edit), " +
  "or set GIT_EDITOR=true to keep it.";
/** A command, since a program of a file could be changed by commands. Programs hand it to a shell, as git does. */
const EDITOR = `sh -c 'echo "${NO_EDITOR}" >&2; exit 1'`;

/** No command has a terminal: what would ask, page or edit ends at once and says so. The user's own values never hold here. */
const WITHOUT_TERMINAL: Readonly<Record<string, string>> = {
  EDITOR,
  VISUAL: EDITOR,
  GIT_EDITOR: EDITOR,
  GIT_SEQUENCE_EDITOR: EDITOR,
  // Without a terminal vim waits for keys from standard error, which never come. A script that ends by itself is left alone.
  VIMINIT: `au VimEnter * if !has("ttyin")|call writefile(["","${NO_EDITOR}"],"/dev/stderr","a")|cq|endif`,
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  GH_PAGER: "cat",
  AWS_PAGER: "",
  GIT_TERMINAL_PROMPT: "0",
  SSH_ASKPASS_REQUIRE: "never",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
};

/** Absolute entries only: a relative one would take programs from wherever a command stands. */
function searchPath(path: string | undefined): string {
  const entries = (path ?? "").split(":").filter((entry) => isAbsolute(entry));
  return entries.length > 0 ? entries.join(":") : "/usr/local/bin:/usr/bin:/bin";
}

/**
 * What programs get where there is no network: no second attempt. A refusal is as final the first time, and package
 * managers try for minutes before they say what is wrong.
 */
const ONCE: Readonly<Record<string, string>> = {
  RES_OPTIONS: "attempts:1 timeout:1",
  npm_config_fetch_retries: "0",
  // With none it does not say why it found nothing.
  PIP_RETRIES: "1",
  UV_HTTP_RETRIES: "0",
  CARGO_NET_RETRY: "0",
  BUNDLE_RETRY: "0",
  YARN_HTTP_RETRY: "0",
};

/** The environment of tools under a network scope; one that was closed before loses what it had for that. */
export function netEnvironment(
  env: Readonly<Record<string, string>>,
  { net, sandbox }: Pick<Policy, "net" | "sandbox">,
): Record<string, string> {
  if (!net.all && net.list.length === 0 && sandbox !== "off") return { ...env, ...ONCE };
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => ONCE[name] !== value));
}
