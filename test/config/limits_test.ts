import { assertEquals } from "@std/assert";
import { toolLimitsOf } from "../../src/config/policy_request.ts";
import type { Settings } from "../../src/config/settings/settings_table.ts";
import { DEFAULT_LIMITS } from "../../src/sandbox/policy/limits.ts";

type Bash = NonNullable<Settings["bash"]>;

const MIB = 2 ** 20;

/** Below every default, so that a project may set them, too. */
const LOW = {
  timeoutMs: 1000,
  maxTimeoutMs: 2000,
  outputBytes: 3000,
  outputLines: 40,
  fileBytes: 5 * MIB,
  openFiles: 600,
  processes: 70,
  memoryBytes: 800 * MIB,
} as const;

const LOW_LIMITS = {
  bashTimeoutMs: 1000,
  bashMaxTimeoutMs: 2000,
  outputBytes: 3000,
  outputLines: 40,
  fileBytes: 5 * MIB,
  openFiles: 600,
  processes: 70,
  memoryBytes: 800 * MIB,
};

const HIGH: Bash = Object.fromEntries(Object.keys(LOW).map((name) => [name, 2 ** 40]));
const HIGH_LIMITS = Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((name) => [name, 2 ** 40]));

const CASES: readonly (readonly [claim: string, user: Bash, project: Bash, limits: object])[] = [
  ["are the defaults where nobody says anything", {}, {}, DEFAULT_LIMITS],
  ["are all the user's to lower", LOW, {}, LOW_LIMITS],
  ["are all the user's to raise", HIGH, {}, HIGH_LIMITS],
  ["are all the project's to lower below the defaults", {}, LOW, LOW_LIMITS],
  ["are all the project's to lower below the user's", HIGH, LOW, LOW_LIMITS],
  ["are none of them the project's to raise above the defaults", {}, HIGH, DEFAULT_LIMITS],
  ["are none of them the project's to raise above the user's", LOW, HIGH, LOW_LIMITS],
];

for (const [claim, user, project, limits] of CASES) {
  Deno.test(`toolLimitsOf() says that the limits ${claim}`, () => {
    assertEquals(toolLimitsOf({ user: { bash: user }, project: { bash: project } }), limits);
  });
}

Deno.test("toolLimitsOf() puts what an embedding program sets before all files", () => {
  const config = { user: { bash: { processes: 900 } }, project: { bash: LOW }, given: { bash: { processes: 900 } } };
  assertEquals(toolLimitsOf(config), { ...DEFAULT_LIMITS, processes: 900 });
  assertEquals(toolLimitsOf({ ...config, given: {} }), LOW_LIMITS);
});
