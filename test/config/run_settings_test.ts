import { assertEquals } from "@std/assert";
import type { Config } from "../../src/config/config.ts";
import { retryOf } from "../../src/config/run_settings.ts";

const CASES = [
  { name: "has three attempts unless told otherwise", retry: undefined, isOn: undefined, attempts: 3 },
  { name: "follows the settings", retry: { maxRetries: 5 }, isOn: undefined, attempts: 5 },
  { name: "is off where the settings say so", retry: { maxRetries: 0 }, isOn: undefined, attempts: 0 },
  { name: "is off when that was said", retry: { maxRetries: 5 }, isOn: false, attempts: 0 },
  { name: "is on again with the settings' number", retry: { maxRetries: 5 }, isOn: true, attempts: 5 },
  { name: "is on when that was said and the settings have it off", retry: { maxRetries: 0 }, isOn: true, attempts: 3 },
] as const;
for (const { name, retry, isOn, attempts } of CASES) {
  Deno.test(`retryOf() ${name}`, () => {
    // All that is read of a configuration.
    const config = { settings: retry ? { retry } : {} } as unknown as Config;
    assertEquals(retryOf(config, isOn), {
      maxRetries: attempts,
      baseDelayMs: 1000,
      maxDelayMs: 60_000,
      maxWaitMs: 300_000,
      patienceMs: 900_000,
    });
  });
}
