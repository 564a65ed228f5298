// Settings of git in the environment: GIT_CONFIG_COUNT, GIT_CONFIG_KEY_n and GIT_CONFIG_VALUE_n. A count without all of its keys and
// values makes every git fail, so they are always passed together. git-config(1), Environment
import { siftConfig } from "./harmless_config.ts";
import { isGlobalSetting } from "./private_config.ts";

/** A setting; its name in full. */
export type GitSetting = readonly [name: string, value: string];

type Environment = Readonly<Record<string, string>>;

const COUNT = "GIT_CONFIG_COUNT";
const PART = /^GIT_CONFIG_(?:COUNT|KEY_\d+|VALUE_\d+)$/;
/** git takes any number; each is two variables. */
const MOST = 256;

/** The settings in an environment; none if git would reject them. */
export function settingsIn(env: Environment): readonly GitSetting[] {
  const count = /^\d{1,4}$/.test(env[COUNT] ?? "") ? Number(env[COUNT]) : 0;
  if (count > MOST) return [];
  const settings: GitSetting[] = [];
  for (let at = 0; at < count; at++) {
    const [name, value] = [env[`GIT_CONFIG_KEY_${at}`], env[`GIT_CONFIG_VALUE_${at}`]];
    if (name === undefined || value === undefined) return [];
    settings.push([name, value]);
  }
  return settings;
}

/** An environment with these settings and no others. */
export function withSettings(env: Environment, settings: readonly GitSetting[]): Record<string, string> {
  const others = Object.entries(env).filter(([name]) => !PART.test(name));
  if (settings.length === 0) return Object.fromEntries(others);
  const parts = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return Object.fromEntries([...others, [COUNT, `${settings.length}`], ...parts]);
}

/** Those of some settings that start no program, name no other place and hold no key. Pure. */
export function harmlessSettings(settings: readonly GitSetting[]): readonly GitSetting[] {
  return settings.filter(([name, value]) => {
    const [, section, sub, key] = /^([A-Za-z0-9-]+)\.(?:([^"\\\n]*)\.)?([A-Za-z][A-Za-z0-9-]*)$/.exec(name) ?? [];
    if (section === undefined || key === undefined || /[\n\r\0]/.test(value)) return false;
    if (`${section}.${key}`.toLowerCase() === "safe.directory") return /^[\w./*~+-]+$/.test(value);
    const head = sub === undefined ? `[${section}]` : `[${section} "${sub}"]`;
    const { risky } = siftConfig(`${head}\n\t${key} = ${value}\n`);
    return risky.length === 0 && isGlobalSetting(section, `\t${key} = ${value}`);
  });
}
