import { resolve } from "@std/path";
import { TOOLS } from "../../../tools/mod.ts";
import { UserError } from "../../core/error.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Config, configure } from "../../config/config.ts";
import { firstModel } from "../../engine/model/first_model.ts";
import { keyVariableOf, type ModelChoice } from "../../engine/model/model.ts";
import { nearest } from "../../core/support/nearest.ts";
import type { Values } from "../../config/options/parse.ts";
import { type Setting, SETTINGS, type Settings } from "../../config/settings/settings_table.ts";
import { misfit } from "../../config/settings/shape.ts";
import { readVariable, readWorld } from "../../config/host_environment.ts";
import type { AgentOptions, AgentPermissions } from "./options.ts";

/** What an engine is opened with. */
export interface AgentConfig {
  readonly config: Config;
  readonly choice: ModelChoice;
  /** Variables of the environment, a key that the program gave among them. */
  readonly variable: (name: string) => string | undefined;
}

/**
 * What the command line would have said: one way to make a session, whoever asks for it (R55).
 *
 * Throws UserError as the command line does.
 */
export async function resolveConfig(options: AgentOptions): Promise<AgentConfig> {
  refuseReadOnlyScopes(options.permissions ?? {});
  const here = readWorld();
  const { env } = options;
  const world = env ? { ...here, env, home: env["HOME"] ?? "/nonexistent" } : here;
  const made = configure({ values: valuesOf(options, world.cwd), words: [] }, world);
  const { auditFolder, ...rest } = made;
  const ownSettings = checked(options.settings ?? {});
  const user = { ...made.user, ...ownSettings };
  const config = await withAgent({
    ...rest,
    ...(options.audit && auditFolder ? { auditFolder } : {}),
    user,
    given: ownSettings,
    settings: { ...made.settings, ...ownSettings },
  });
  const { apiKey } = options;
  const own = (name: string): string | undefined => env ? env[name] : readVariable(name);
  // A key that the program gives stands in the variable of the model's provider, and in no other one's.
  const facts = { cwd: config.world.cwd, variable: own };
  const keyName = apiKey === undefined ? undefined : keyVariableOf(config.invocation.values, config.settings, facts);
  const variable = (name: string): string | undefined => name === keyName ? apiKey : own(name);
  const { model: asked, contextWindow } = options;
  if (typeof asked === "object") {
    const size = contextWindow === undefined ? {} : { contextWindow };
    return { config, choice: { kind: "given", provider: asked, model: asked.model, ...size }, variable };
  }
  return { config, choice: await firstModel(config, variable), variable };
}

/** Agents are looked for only where one is named. */
async function withAgent(config: Config): Promise<Config> {
  if (config.invocation.values["agent"] === undefined) return config;
  return await (await import("../../engine/resources/agents.ts")).withNamedAgent(config);
}

/** As the command line does: whoever asks for both expects something that will not be. */
function refuseReadOnlyScopes({ readOnly, write, run }: AgentPermissions): void {
  const asks = (scope: "all" | readonly string[] | undefined): boolean => scope !== undefined && scope.length > 0;
  const given = !readOnly ? undefined : asks(write) ? "write" : asks(run) ? "run" : undefined;
  if (given === undefined) return;
  throw new UserError({
    what: `permissions.readOnly and permissions.${given} contradict each other`,
    why: "readOnly takes writing and running away whatever is allowed",
    fix: "Leave one of them out",
  });
}

function valuesOf(options: AgentOptions, cwd: string): Values {
  const { session = "memory", permissions = {}, contextFiles = true, limits = {} } = options;
  const scope = (value: "all" | readonly string[] | undefined) => value === "all" ? ["\u0000all"] : value;
  const paths = (value: "all" | readonly string[] | undefined) =>
    value === "all" ? scope(value) : value?.map((path) => resolve(cwd, path));
  // The sign that adds and the slash that makes a folder stay.
  const granted = (value: "all" | readonly string[] | undefined) =>
    value === "all" ? scope(value) : value?.map((entry) => {
      const [, sign = "", path = entry] = /^(\+?)(.*)$/s.exec(entry) ?? [];
      return sign + resolve(cwd, path) + (/[^/]\/+$/.test(path) ? "/" : "");
    });
  const off = (isOff: boolean) => isOff ? true : undefined;
  const values: Values = {
    cwd: options.cwd,
    model: typeof options.model === "string" ? options.model : undefined,
    "base-url": options.baseUrl,
    api: options.api,
    "api-key-env": options.apiKeyEnv,
    thinking: options.thinking,
    agent: options.agent,
    tools: options.tools && toolNames(options.tools),
    "allow-read": granted(permissions.read),
    "allow-write": granted(permissions.write),
    "allow-run": scope(permissions.run),
    "allow-net": scope(permissions.net),
    "allow-env": permissions.env,
    "deny-read": paths(permissions.denyRead),
    "deny-write": paths(permissions.denyWrite),
    "read-only": off(permissions.readOnly ?? false),
    sandbox: options.sandbox,
    plan: off(options.plan ?? false),
    "no-session": off(session === "memory"),
    continue: off(session === "continue"),
    resume: typeof session === "object" && "resume" in session ? session.resume : undefined,
    fork: typeof session === "object" && "fork" in session ? session.fork : undefined,
    "session-dir": options.sessionDir,
    trial: off(options.trial !== undefined && options.trial !== false),
    patch: typeof options.trial === "object" ? options.trial.patch : undefined,
    "max-turns": limits.maxTurns,
    timeout: limits.timeoutMs,
    "max-tokens-total": limits.maxTokensTotal,
    "max-cost": limits.maxCostUsd,
    "system-prompt": options.systemPrompt,
    "append-system-prompt": options.appendSystemPrompt,
    profile: options.profile,
    "no-context-files": off(!contextFiles),
    "no-skills": off(!contextFiles),
    "no-templates": off(!contextFiles),
    "no-extensions": off(!options.extensionFiles),
    trust: off(options.trust ?? false),
    "no-trust": off(!options.trust),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Settings of a program are checked as those of a file are, only that nothing of them is passed over. */
function checked(settings: JsonObject): Settings {
  const table: Readonly<Record<string, Setting>> = SETTINGS;
  for (const [key, value] of Object.entries(settings)) {
    const shape = Object.hasOwn(table, key) ? table[key]?.shape : undefined;
    const meant = nearest(key, Object.keys(table));
    const wrong = shape
      ? misfit(value, shape, key)
      : `there is no such key${meant ? `; did you mean "${meant}"?` : ""}`;
    if (wrong === undefined) continue;
    throw new UserError({ what: `Cannot use the setting "${key}"`, why: wrong, fix: "docs/settings.md has them all" });
  }
  return settings as Settings; // every key fits its shape in the table
}

function toolNames(names: readonly string[]): readonly string[] {
  const known = TOOLS.map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    throw new UserError({
      what: `There is no built-in tool "${name}"`,
      why: `they are ${known.join(", ")}`,
      fix: meant ? `Did you mean ${meant}?` : "Tools of your own go into customTools, and are active from the start",
    });
  }
  return names;
}
