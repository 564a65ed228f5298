import { assert, assertEquals, assertLess, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../src/core/json.ts";
import { textOf } from "../../../src/core/message.ts";
import type { SandboxLevel } from "../../../src/core/policy.ts";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import type { Runner } from "../../../src/sandbox/runner_client/runner_client.ts";
import { openRunner } from "../../helpers/open_runner.ts";
import { find } from "../../../tools/find.ts";
import { grep } from "../../../tools/grep.ts";
import { policyFor, world } from "../../runner/world.ts";
import { HAS_NAMESPACES } from "../namespaces_here.ts";

const SCRIPT = new URL("../../../src/runner/worker.ts", import.meta.url);

const LEVELS: readonly { readonly level: SandboxLevel; readonly ignore: boolean }[] = [
  { level: "off", ignore: false },
  { level: "kernel", ignore: Deno.build.os !== "linux" },
  { level: "kernel+", ignore: !HAS_NAMESPACES },
];

/** Longer than a call with an honest pattern takes; a pattern without an end holds a processor for as long. */
const DEADLINE_MS = 100;

/** 41 bytes on which each of the patterns below needs ages when every way is tried. */
const TEXT = `${"a".repeat(40)}!`;

/** V8's linear engine takes these over. */
const LINEAR = ["(a+)+$", "^(a|a)*$", "(a|aa)+$", "^(\\w+\\s?)+$", "(a*)*b", "^(?:a?a?a?)*$", "(a+)+\\b$"];

/** It does not know these: look-around, back references, letter case, Unicode mode, large counts. */
const ENDLESS: readonly JsonObject[] = [
  { pattern: "(?=(a+)+$)b?" },
  { pattern: "(a+)+\\1$" },
  { pattern: "(a+)+$", ignoreCase: true },
  { pattern: "(\\p{L}+)+$" },
  { pattern: "(.*a){30}b" },
];

async function call(runner: Runner, name: string, args: JsonObject, deadlineMs: number): Promise<string> {
  return textOf(
    (await runner.call({ name, args }, { signal: AbortSignal.any([]), deadlineMs, onUpdate: () => {} })).content,
  );
}

for (const { level, ignore } of LEVELS) {
  Deno.test({ name: `grep at level ${level} ends, whatever the pattern`, ignore }, async (t) => {
    using place = world();
    Deno.writeTextFileSync(`${place.root}/evil.txt`, TEXT);
    const runner = openRunner(policyFor(place.root, { sandbox: level }), thisProgram(), SCRIPT);
    try {
      for (const pattern of LINEAR) {
        await t.step(`${pattern} by itself`, async () => {
          assertEquals(await call(runner, "grep", { pattern, path: "evil.txt" }, 60_000), "No matches found");
        });
      }
      for (const args of ENDLESS) {
        await t.step(`${args["pattern"]} by its deadline, and the next call works`, async () => {
          const began = performance.now();
          assertMatch(
            await call(runner, "grep", { ...args, path: "evil.txt" }, DEADLINE_MS),
            /^grep did not answer within 0\.1 s and was ended: there is no result.*simpler pattern/,
          );
          assertLess(performance.now() - began, 30_000);
          assertEquals(await call(runner, "grep", { pattern: "a!" }, 60_000), `evil.txt:1: ${TEXT}`);
        });
      }
    } finally {
      await runner.close();
    }
  });
}

Deno.test("grep at level permissions ends, whatever the pattern", async () => {
  using place = world();
  Deno.writeTextFileSync(`${place.root}/evil.txt`, TEXT);
  const runner = openRunner(policyFor(place.root, { sandbox: "permissions" }), thisProgram(), SCRIPT);
  try {
    for (const args of ENDLESS) {
      assertMatch(
        await call(runner, "grep", { ...args, path: "evil.txt" }, DEADLINE_MS),
        /^grep did not answer within 0\.1 s/,
      );
      assertEquals(await call(runner, "grep", { pattern: "a!" }, 60_000), `evil.txt:1: ${TEXT}`);
    }
  } finally {
    await runner.close();
  }
});

Deno.test("grep and find have a deadline of their own, a little after they would give up by themselves", () => {
  for (const tool of [grep, find]) assertEquals(tool.deadlineMs?.({ pattern: "a" }, policyFor("/w")), 25_000);
  assert(grep.place === "runner");
});
