import { PARALLEL_SUB_AGENTS, RETRY } from "../../src/config/run_settings.ts";
import { type Setting, SETTINGS } from "../../src/config/settings/settings_table.ts";
import type { Shape } from "../../src/config/settings/shape.ts";
import { CHECKPOINT_DEFAULTS } from "../../src/engine/sessions/checkpoint_place.ts";
import { WINDOW_DEFAULTS } from "../../src/history/window.ts";
import { MAX_REPLY_CHARACTERS } from "../../src/provider/reply/message.ts";
import { DEFAULT_LIMITS } from "../../src/sandbox/policy/limits.ts";
import { DEFAULT_TOOLS } from "../../tools/mod.ts";
import { table } from "./table.ts";

const { bashTimeoutMs, bashMaxTimeoutMs, ...tool } = DEFAULT_LIMITS;

/**
 * What applies if a setting is absent, by its path: values of the program's own constants, or words. A path that is not here
 * has no default: absent means "none".
 */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  "thinking": "off",
  "tools": DEFAULT_TOOLS,
  "agents.parallel": PARALLEL_SUB_AGENTS,
  "toolExecution": "sequential",
  "identity": "assistant",
  "persona": "sections",
  "persona.mode": "sections",
  "persona.defaults": false,
  "persona.withSystem": false,
  "memory": false,
  "toolRecoveryPolicy": false,
  "skills.mode": "on",
  "profile": "full",
  ...under("retry", RETRY),
  "history": "checkpoint",
  ...under("compaction", WINDOW_DEFAULTS),
  ...under("checkpoints", CHECKPOINT_DEFAULTS),
  "limits.maxReplyCharacters": MAX_REPLY_CHARACTERS,
  "sandbox": "auto",
  ...under("bash", { timeoutMs: bashTimeoutMs, maxTimeoutMs: bashMaxTimeoutMs, ...tool }),
  "userBash": "confined",
  "theme": "auto",
  "notify": "bell",
  "showThinking": false,
  "steeringMode": "one-at-a-time",
  "followUpMode": "one-at-a-time",
};

function under(key: string, values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${key}.${name}`, value]));
}

/** The page with every setting: its type, its default, what it means, and which files may set it. */
export function settingsPage(): string {
  const settings: readonly (readonly [string, Setting])[] = Object.entries(SETTINGS);
  const rows = settings.flatMap(([key, { shape, help, userOnly }]) => [
    [`\`${key}\``, typeOf(shape), defaultOf(key), cell(help), userOnly ? "user" : "user, project"],
    ...innerRows(key, shape),
  ]);
  const unknown = Object.keys(DEFAULTS).filter((path) => !rows.some(([name]) => name === `\`${path}\``));
  if (unknown.length > 0) throw new Error(`defaults of settings that do not exist: ${unknown.join(", ")}`);
  return [
    "# Settings",
    "",
    "<!-- made from the settings table by deno task docs; do not edit -->",
    "",
    "`settings.json` in the user's folder, then in the project's (when it is trusted), then the command line. A project may",
    "narrow scope and lower limits, never the other way round. Unknown keys warn; wrong values end the run with exit code 2.",
    "The JSON schema is `settings.schema.json` next to this page. `/reload` reads the settings again for the prompt,",
    "extensions and the next run. The model, queues, servers, keys and the policy stay as they were at the start.",
    "",
    "A `–` as the default means that the setting is absent unless you set it. Sizes of `budgets` are those of",
    "[prompt.md](prompt.md), keys of `keybindings` those of [tui.md](tui.md#keys).",
    "",
    ...table(["key", "type", "default", "meaning", "taken from"], rows),
    "",
  ].join("\n");
}

/** One row for each key of an object with its own names, one level deep. */
function innerRows(key: string, shape: Shape): string[][] {
  const object = "anyOf" in shape ? shape.anyOf.find((one) => "properties" in one) : shape;
  if (!object || !("properties" in object) || !object.properties) return [];
  return Object.entries(object.properties).map((
    [name, inner],
  ) => [`\`${key}.${name}\``, typeOf(inner), defaultOf(`${key}.${name}`), "", ""]);
}

function typeOf(shape: Shape): string {
  if ("anyOf" in shape) return [...new Set(shape.anyOf.map(typeOf))].join(" or ");
  switch (shape.type) {
    case "string":
      return shape.enum ? shape.enum.map((value) => `\`${value}\``).join(", ") : "string";
    case "array":
      return `list of ${plural(typeOf(shape.items))}`;
    case "object":
      return shape.properties ? "object" : "object by name";
    case "number":
    case "integer":
      return `${shape.type}${rangeOf(shape)}`;
    case "boolean":
      return "boolean";
  }
}

function plural(type: string): string {
  return type === "string" ? "strings" : type;
}

function rangeOf(
  { minimum, maximum, exclusiveMinimum }: {
    readonly minimum?: number;
    readonly maximum?: number;
    readonly exclusiveMinimum?: number;
  },
): string {
  if (exclusiveMinimum !== undefined) return ` > ${exclusiveMinimum}`;
  if (minimum === undefined) return "";
  return maximum === undefined ? ` ≥ ${minimum}` : ` ${minimum} to ${maximum}`;
}

function defaultOf(path: string): string {
  const value = DEFAULTS[path];
  return value === undefined ? "–" : `\`${JSON.stringify(value)}\``;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
