import { assertEquals, assertThrows } from "@std/assert";
import { type PackLayer, packLayer } from "../../../src/config/options/packed.ts";
import { parseCommandLine, type Values } from "../../../src/config/options/parse.ts";
import { mergeSettings } from "../../../src/config/settings/settings.ts";
import { SETTINGS, type Settings } from "../../../src/config/settings/settings_table.ts";
import { UserError } from "../../../src/core/error.ts";
import { chooseModel } from "../../../src/engine/model/model.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Pack } from "../../../src/core/pack.ts";

function layer(settings: JsonObject, flags = "", more: Partial<Pack> = {}): PackLayer {
  return packLayer({
    ...{ name: "acme", fingerprint: "0".repeat(64), isOpen: false, settings, prompt: ["You are Acme."] },
    flags: parseCommandLine(flags === "" ? [] : flags.split(" ")).values as JsonObject,
    ...{ extensions: [], files: [], folder: () => "/pack" },
    ...more,
  });
}

const given = (line: string): Values => parseCommandLine(line === "" ? [] : line.split(" ")).values;

/** The settings of a run, whatever the user and a trusted project say. */
function settled(pack: PackLayer, user: Settings, project: Settings): Settings {
  return mergeSettings(pack.user(user), pack.project(project));
}

/** A value of each setting that a pack may have, and another one. Those that are compared are in the test below. */
const FIXED: Readonly<Record<string, readonly [JsonObject[string], JsonObject[string]]>> = {
  model: ["a/one", "b/two"],
  baseUrl: ["https://a.test", "https://b.test"],
  api: ["chat", "responses"],
  apiKeyEnv: ["A", "B"],
  thinking: ["low", "high"],
  appendSystemPrompt: [["a"], ["b"]],
  builtInSections: [false, true],
  agents: [{ parallel: 1 }, { parallel: 16 }],
  toolExecution: ["sequential", "parallel"],
  identity: ["assistant", "compiler"],
  persona: ["sections", "replace"],
  memory: [false, true],
  toolRecoveryPolicy: [true, false],
  skills: [{ load: ["a"] }, { mode: "off" }],
  budgets: [{ context: { total: 9 } }, { context: { total: 1 } }],
  profile: ["full", "minimal"],
  retry: [{ maxRetries: 1 }, { maxRetries: 9 }],
  history: ["checkpoint", "rolling"],
  compaction: [{ enabled: true }, { enabled: false }],
  summaryModel: ["a", "b"],
  checkpoints: [true, false],
  userBash: ["confined", "unconfined"],
  theme: ["light", "dark"],
  notify: ["bell", "off"],
  showThinking: [true, false],
  updateUrl: ["https://a.test/latest.json", "https://b.test/latest.json"],
  webSearch: ["https://a.test/{query}", "https://b.test/{query}"],
  steeringMode: ["all", "one-at-a-time"],
  followUpMode: ["all", "one-at-a-time"],
};

/** Settings that are compared value by value, and one that no pack has. */
const COMPARED = [
  ...[
    "providers",
    "models",
    "mcpServers",
    "keybindings",
    "limits",
    "bash",
    "permissions",
    "checks",
    "tools",
    "sandbox",
  ],
  ...["extensions", "projects"],
];

Deno.test("a setting of a pack holds, whatever the user and a project say: all that there are", () => {
  assertEquals([...Object.keys(FIXED), ...COMPARED].sort(), Object.keys(SETTINGS).sort());
  for (const [key, [packed, other]] of Object.entries(FIXED)) {
    const own = settled(layer({ [key]: packed }), { [key]: other }, { [key]: other });
    assertEquals((own as Record<string, unknown>)[key], packed, key);
  }
  // Commands after `!` would leave the scopes of the pack.
  assertEquals(settled(layer({}), { userBash: "unconfined" }, {}).userBash, "confined");
});

Deno.test("what is compared: the lower limit, the tools of both, the stricter level, and names beside each other", () => {
  const pack = layer({
    ...{ limits: { maxTurns: 5 }, bash: { timeoutMs: 100 }, tools: ["read", "bash"], sandbox: "kernel" },
    ...{ checks: ["a"], providers: { mine: { baseUrl: "https://a.test" } }, permissions: { net: ["a.test"] } },
    extensions: { grants: { h1: { net: ["a.test"] } } },
  });
  const user: Settings = {
    ...{ limits: { maxTurns: 9, timeoutMs: 1 }, bash: { timeoutMs: 10 }, tools: ["write", "read"], sandbox: "off" },
    ...{ checks: ["b"], providers: { mine: { baseUrl: "https://b.test" }, other: {} }, permissions: { net: true } },
    extensions: { grants: { h1: { net: ["b.test"] }, h2: {} } },
  };
  assertEquals(settled(pack, user, { tools: ["bash", "write"], limits: { maxTurns: 4 } }), {
    limits: { maxTurns: 4, timeoutMs: 1 },
    bash: { timeoutMs: 10 },
    tools: ["bash"],
    sandbox: "kernel",
    checks: ["a", "b"],
    providers: { mine: { baseUrl: "https://a.test" }, other: {} },
    permissions: { net: true }, // the pack's are the ceiling of the policy
    extensions: { grants: { h1: { net: ["a.test"] }, h2: {} }, shadow: [] },
    userBash: "confined",
  });
  assertEquals(pack.user({}).sandbox, "kernel");
  assertEquals(layer({}).user({ sandbox: "off" }).sandbox, "auto");
  assertEquals(layer({}).user({ sandbox: "kernel" }).sandbox, "kernel");
});

/** [settings, model and address that are asked]. The user, and the environment, say others for all of them. */
const ADDRESSES: readonly (readonly [JsonObject, string])[] = [
  [{}, "https://env.test/v1"],
  [{ model: "openai/m" }, "https://api.openai.com/v1"],
  [{ model: "gpt-m" }, "https://api.openai.com/v1"],
  [{ model: "anthropic/m" }, "https://api.anthropic.com/v1"],
  [{ model: "openai/m", baseUrl: "https://a.test" }, "https://a.test"],
  [{ model: "openai/m", providers: { openai: { baseUrl: "https://a.test" } } }, "https://a.test"],
  [{ model: "openai/m", providers: { openai: { baseUrl: "{OPENAI_BASE_URL}" } } }, "https://env.test/v1"],
  [{ model: "mine/m" }, "https://mine.test"],
  [{ model: "ollama/m" }, "https://user.test"],
];

Deno.test("a pack that settles the model settles where it is asked, whatever the environment and the user say", () => {
  const env: Readonly<Record<string, string>> = { OPENAI_BASE_URL: "https://env.test/v1" };
  const variable = (name: string): string => env[name] ?? "key";
  const elsewhere = { baseUrl: "https://user.test" };
  const user: Settings = {
    ...{ model: "openai/u", baseUrl: "https://user.test" },
    providers: { openai: elsewhere, anthropic: elsewhere, ollama: elsewhere, mine: { baseUrl: "https://mine.test" } },
  };
  for (const [settings, wanted] of ADDRESSES) {
    const pack = layer(settings);
    const own: Settings = settings["model"] === undefined ? { model: "openai/u" } : user;
    const choice = chooseModel(pack.values({}), settled(pack, own, {}), { cwd: "/", variable });
    assertEquals(choice.kind === "server" ? choice.endpoint.baseUrl : "", wanted, JSON.stringify(settings));
    const isIgnored = /^(openai|gpt)/.test(String(settings["model"])) && !wanted.includes("env.test");
    assertEquals(pack.warnings(env).length, isIgnored ? 1 : 0);
  }
});

/** [settings, --policy, command line, what holds of it or the option that is refused]. */
const LINES: readonly (readonly [JsonObject, string, string, Values | string])[] = [
  [{ thinking: "low", model: "a/b" }, "", "", { thinking: "low", model: "a/b" }],
  [{ model: "a/b" }, "", "--model a/b", { model: "a/b" }],
  [{ model: "a/b" }, "", "--model c/d", "--model"],
  [{ baseUrl: "https://a.test" }, "", "--base-url https://b.test", "--base-url"],
  [{ model: "openai/b" }, "", "--base-url https://b.test", "--base-url"],
  [{ profile: "full" }, "", "--profile minimal", "--profile"],
  [{}, "", "--profile none", "--profile"],
  [{ limits: { maxTurns: 5 } }, "--max-turns 3", "--max-turns 4", "--max-turns"],
  [{ limits: { maxTurns: 5 } }, "", "--max-turns 5", { "max-turns": 5 }],
  [{ limits: { maxTurns: 5 } }, "", "--max-turns 6", "--max-turns"],
  [{ limits: { maxCostUsd: 1 } }, "--timeout 1m", "--timeout 2m", "--timeout"],
  [{}, "--sandbox kernel", "", { sandbox: "kernel" }],
  [{}, "--sandbox kernel", "--sandbox auto", "--sandbox"],
  [{}, "", "--sandbox permissions", "--sandbox"],
  [{}, "", "--sandbox kernel", { sandbox: "kernel" }],
  [{ sandbox: "off" }, "", "--sandbox permissions", { sandbox: "permissions" }],
  [{ tools: ["read"] }, "", "", { tools: ["read"] }],
  [{ tools: ["read", "ls"] }, "--tools read,bash", "--tools ls", "--tools"],
  [{}, "--tools read,bash", "--tools bash", { tools: ["bash"] }],
  [{}, "--no-tools", "--tools read", "--tools"],
  [{}, "--no-tools", "", { tools: [], "no-tools": true }],
  [{}, "--read-only", "--allow-write=src", "--allow-write"],
  [{}, "--read-only", "", { "read-only": true }],
  [{}, "", "--system-prompt x", "--system-prompt"],
  [{}, "", "-e x.ts", "--extension"],
  [{}, "", "--append-system-prompt x", { "append-system-prompt": ["x"] }],
];

Deno.test("options under a pack: what narrows holds, what widens is refused with exit code 3", () => {
  for (const [settings, flags, line, wanted] of LINES) {
    const work = () => layer(settings, flags).values(given(line));
    if (typeof wanted === "object") assertEquals(work(), wanted, line);
    else assertEquals(assertThrows(work, UserError, `Cannot use ${wanted} with acme`).exitCode, 3, line);
  }
  const limits = layer({ limits: { maxTurns: 5, timeoutMs: 1 } }, "--max-turns 3 --max-cost 1");
  assertEquals(limits.user({ limits: { maxTurns: 4 } }).limits, { maxTurns: 3, timeoutMs: 1, maxCostUsd: 1 });
  const open = layer({}, "", { isOpen: true });
  assertEquals(open.values(given("--system-prompt x")), { "system-prompt": "x" });
  assertThrows(() => open.values(given("--sandbox off")), UserError, "--sandbox");
  assertThrows(() => layer({ thinking: "loud" }), UserError, "thinking");
});
