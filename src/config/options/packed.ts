// What was packed into the program is a layer of its own: what it says holds, and whoever runs it can only take away.
import { UserError } from "../../core/error.ts";
import type { Pack } from "../../core/pack.ts";
import { providerTable } from "../../provider/table/table.ts";
import { checkSettings, lowerOf } from "../settings/settings.ts";
import type { Settings } from "../settings/settings_table.ts";
import type { ProviderEntry } from "../../provider/table/entry.ts";
import type { Flag } from "./flag.ts";
import { FLAGS } from "./flags.ts";
import type { Values } from "./parse.ts";

/** The layer of a pack: its part in settings and options. */
export interface PackLayer {
  readonly pack: Pack;
  /** Checked against the table, with the limits of `--policy`. */
  readonly settings: Settings;
  /** Options that were given with `--policy`. */
  readonly flags: Values;
  /**
   * The options of the command line under the pack's. Throws UserError for one that asks for more than the pack has, or for
   * something else; scopes of paths, programs and hosts are compared where they are resolved.
   */
  readonly values: (given: Values) => Values;
  /** The user's settings under the pack's. */
  readonly user: (settings: Settings) => Settings;
  /** What a project's settings may still say. */
  readonly project: (settings: Settings) => Settings;
  /** What of the runner's environment does not count, for people. */
  readonly warnings: (env: Readonly<Record<string, string>>) => readonly string[];
}

/** Options that `--policy` takes beside the scopes. */
export const POLICY_GROUPS: readonly Flag["group"][] = ["Tools and their scope", "Limits"];

/** Levels by what they demand; the runner may only demand more. */
const LEVELS = ["off", "permissions", "auto", "kernel"] as const;

/** Options that take a pack's prompt away, or stand in for what is in it. */
const REPLACING = ["system-prompt", "extension"] as const;

const LIMITS = {
  "max-turns": "maxTurns",
  timeout: "timeoutMs",
  "max-tokens-total": "maxTokensTotal",
  "max-cost": "maxCostUsd",
} as const;

/** Settings that are lists of named things: the pack's own stay as they are, others may stand beside them. */
const NAMED = ["providers", "models", "mcpServers", "keybindings"] as const;
/** Settings that are compared value by value below, and are not simply the pack's. */
const COMPARED: readonly string[] = [
  ...NAMED,
  ...["limits", "bash", "permissions", "checks", "tools", "sandbox", "extensions"],
];

/** Makes the layer of a pack. Throws UserError for settings that are none. */
export function packLayer(pack: Pack): PackLayer {
  const { settings: written, warnings } = checkSettings(`the settings in ${pack.name}`, pack.settings, "user");
  const [odd] = warnings;
  if (odd !== undefined) throw new UserError({ what: `Cannot use ${pack.name}`, why: odd, fix: "Pack it anew" });
  const flags = pack.flags as Values; // as the parser left them; the archive's digest holds them
  const bounds = Object.entries(LIMITS).filter(([option]) => flags[option] !== undefined)
    .map(([option, key]) => [key, numberOf(flags[option])]);
  const limits = lowerOf(written.limits ?? {}, Object.fromEntries(bounds));
  const settings = limits ? { ...written, limits } : written;
  const layer = { pack, settings, flags };
  return {
    ...layer,
    values: (given) => packedValues(given, layer),
    user: (user) => withProfile(underPack(user, settings), pack),
    project: (project) => withProfile(projectUnderPack(project, settings), pack),
    warnings: (env) =>
      ignoredVariables(settings).filter((name) => (env[name] ?? "").trim() !== "")
        .map((name) => `${name} does not count: ${pack.name} settles the model, and where it is asked`),
  };
}

/** Whether a pack says who answers: its address is then the pack's, or the one that this program knows. */
function settlesModel({ model }: Settings): boolean {
  return model !== undefined && !model.startsWith("replay:");
}

/** The built-in providers but those of the runner's own machine. */
function hosted(): readonly ProviderEntry[] {
  return [...providerTable().values()].filter(({ isLocal }) => isLocal !== true);
}

/** Variables that lead elsewhere where no pack settles the model. */
function ignoredVariables(settings: Settings): readonly string[] {
  if (!settlesModel(settings)) return [];
  const { model = "", providers = {} } = settings;
  const asked = model.split(",").map((name) => name.trim());
  return hosted().flatMap(({ name, baseUrlEnv = [] }) =>
    asked.some((one) => one.startsWith(`${name}/`) || !one.includes("/"))
      ? baseUrlEnv.filter((variable) => !providers[name]?.baseUrl?.includes(variable))
      : []
  );
}

/** The user's providers, without other addresses for those that are built in. */
function withOwnAddresses(user: Settings["providers"] = {}): NonNullable<Settings["providers"]> {
  const settled = hosted().flatMap(({ name, baseUrl, baseUrlEnv }) =>
    baseUrlEnv || user[name] ? [[name, { ...user[name], baseUrl }] as const] : []
  );
  return { ...user, ...Object.fromEntries(settled) };
}

/** The level that a pack demands. */
function levelOf({ settings, flags }: Pick<PackLayer, "settings" | "flags">): typeof LEVELS[number] {
  return LEVELS.find((level) => level === (flags["sandbox"] ?? settings.sandbox)) ?? "auto";
}

/** The stricter of two levels. */
function stricter<T extends string | undefined>(one: T, other: T): T {
  return rankOf(one) >= rankOf(other) ? one : other;
}

function rankOf(level: string | undefined): number {
  return LEVELS.findIndex((known) => known === (level ?? "auto"));
}

function packedValues(given: Values, layer: Pick<PackLayer, "pack" | "settings" | "flags">): Values {
  const { pack, settings, flags } = layer;
  const own: Record<string, Values[string]> = {};
  const refuse = (option: string, why: string): UserError =>
    new UserError({
      what: `Cannot use --${option} with ${pack.name}`,
      why,
      fix: `Leave it out: whoever runs ${pack.name} can only narrow what is packed into it`,
      exitCode: 3,
    });
  for (const option of pack.isOpen ? [] : REPLACING) {
    if (given[option] !== undefined) throw refuse(option, "it would stand in for what is packed into it");
  }
  if (given["profile"] === "none" && hidesPrompt(pack)) throw refuse("profile", "its prompt would be left out");
  // What the pack's settings say, options would override.
  for (const { name, setting } of FLAGS) {
    if (setting === undefined) continue;
    const fixed = (settings as Readonly<Record<string, unknown>>)[setting];
    if (fixed === undefined || COMPARED.includes(setting)) continue;
    if (given[name] !== undefined && given[name] !== fixed) throw refuse(name, `${setting} is settled in it`);
    own[name] = fixed as Values[string]; // the table's shapes of these settings are those of the options
  }
  if (settlesModel(settings) && settings.baseUrl === undefined && given["base-url"] !== undefined) {
    throw refuse("base-url", "the model is settled in it, and where it is asked");
  }
  for (const [option, key] of Object.entries(LIMITS)) {
    const most = settings.limits?.[key] ?? Infinity;
    if (numberOf(given[option], 0) > most) throw refuse(option, `the limit in it is ${most}`);
  }
  const level = levelOf(layer);
  const wanted = given["sandbox"];
  if (typeof wanted === "string" && rankOf(wanted) < rankOf(level)) throw refuse("sandbox", `it demands ${level}`);
  if (wanted === undefined && level !== "auto") own["sandbox"] = level;
  const tools = flags["no-tools"] === true ? [] : listOf(flags["tools"]) ?? settings.tools;
  if (tools !== undefined) {
    const more = listOf(given["tools"])?.find((name) => !tools.includes(name));
    if (more !== undefined) throw refuse("tools", `it has no tool ${more}`);
    if (given["tools"] === undefined) own["tools"] = tools;
  }
  if (flags["no-tools"] === true) own["no-tools"] = true;
  if (flags["read-only"] === true) {
    const more = ["allow-write", "allow-run"].find((option) => given[option] !== undefined);
    if (more !== undefined) throw refuse(more, "it only reads");
    own["read-only"] = true;
  }
  return { ...given, ...own };
}

function underPack(given: Settings, pack: Settings): Settings {
  const { permissions: _, ...fixed } = pack; // a bound of its own: see resolve_policy.ts
  const { baseUrl: __, ...rest } = given;
  const user = settlesModel(pack) ? { ...rest, providers: withOwnAddresses(given.providers) } : given;
  const merged: Record<string, unknown> = { ...user, ...fixed };
  for (const name of NAMED) {
    if (user[name] !== undefined && pack[name] !== undefined) merged[name] = { ...user[name], ...pack[name] };
  }
  const limits = lowerOf(user.limits ?? {}, pack.limits ?? {});
  const bash = lowerOf(user.bash ?? {}, pack.bash ?? {});
  const checks = [...pack.checks ?? [], ...user.checks ?? []];
  const grants = { ...user.extensions?.grants, ...pack.extensions?.grants };
  const shadow = [...pack.extensions?.shadow ?? [], ...user.extensions?.shadow ?? []];
  const tools = user.tools !== undefined && pack.tools !== undefined
    ? user.tools.filter((name) => pack.tools?.includes(name))
    : pack.tools ?? user.tools;
  const some = (list: readonly unknown[]) => list.length > 0;
  const compared = {
    ...(limits ? { limits } : {}),
    ...(bash ? { bash } : {}),
    ...(some(checks) ? { checks } : {}),
    ...(tools ? { tools } : {}),
    ...(some(Object.keys(grants)) || some(shadow) ? { extensions: { grants, shadow } } : {}),
    ...(user.sandbox ?? pack.sandbox ? { sandbox: stricter(user.sandbox, pack.sandbox) ?? "auto" } : {}),
    // Commands after `!` have the scope of the tools, unless the pack says otherwise.
    userBash: pack.userBash ?? "confined",
  };
  return { ...merged, ...compared } as Settings; // each value is one of either layer
}

function projectUnderPack(project: Settings, pack: Settings): Settings {
  const fixed = new Set(Object.keys(pack).filter((key) => !COMPARED.includes(key)));
  const left = Object.fromEntries(Object.entries(project).filter(([key]) => !fixed.has(key))) as Settings;
  const { tools, ...rest } = left;
  if (tools === undefined) return rest;
  return { ...rest, tools: pack.tools === undefined ? tools : tools.filter((name) => pack.tools?.includes(name)) };
}

/** The profile `none` has no room for a packed prompt. */
function withProfile({ profile, ...rest }: Settings, pack: Pack): Settings {
  return profile === undefined || (profile === "none" && hidesPrompt(pack)) ? rest : { ...rest, profile };
}

function hidesPrompt({ isOpen, prompt }: Pack): boolean {
  return !isOpen && prompt.length > 0;
}

function numberOf(value: Values[string], without = Infinity): number {
  return typeof value === "number" ? value : without;
}

function listOf(value: Values[string]): readonly string[] | undefined {
  return Array.isArray(value) ? value : undefined;
}
