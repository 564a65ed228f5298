import { assert, assertEquals, assertMatch } from "@std/assert";
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

/** A busy machine needs less for a search that ends; one that tries every way needs far more. */
const DEADLINE_MS = 60_000;

/** 41 bytes on which each of the patterns below needs ages when every way is tried. */
const TEXT = `${"a".repeat(40)}!`;

/** V8's linear engine takes these over, the last three after grep has written them anew. */
const LINEAR: readonly JsonObject[] = [
  ...["(a+)+$", "^(a|a)*$", "(a|aa)+$", "^(\\w+\\s?)+$", "(a*)*b", "^(?:a?a?a?)*$", "(a+)+\\b$"].map((pattern) => ({
    pattern,
  })),
  { pattern: "(a+)+$", ignoreCase: true },
  { pattern: "(\\p{L}+)+$" },
  { pattern: "(.*a){30}b" },
];

/** No linear engine knows these. */
const REJECTED: readonly JsonObject[] = [{ pattern: "(?=(a+)+$)b?" }, { pattern: "(a+)+\\1$" }];
const REJECTION = /^Cannot search for this pattern: it (?:looks ahead|refers back).*could take unlimited time/;

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
      for (const args of LINEAR) {
        await t.step(`${args["pattern"]} by itself`, async () => {
          assertEquals(await call(runner, "grep", { ...args, path: "evil.txt" }, DEADLINE_MS), "No matches found");
        });
      }
      for (const args of REJECTED) {
        await t.step(`${args["pattern"]} is rejected, and the next call works`, async () => {
          assertMatch(await call(runner, "grep", { ...args, path: "evil.txt" }, DEADLINE_MS), REJECTION);
          assertEquals(await call(runner, "grep", { pattern: "a!" }, DEADLINE_MS), `evil.txt:1: ${TEXT}`);
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
    for (const args of LINEAR) {
      assertEquals(await call(runner, "grep", { ...args, path: "evil.txt" }, DEADLINE_MS), "No matches found");
    }
    for (const args of REJECTED) {
      assertMatch(await call(runner, "grep", { ...args, path: "evil.txt" }, DEADLINE_MS), REJECTION);
      assertEquals(await call(runner, "grep", { pattern: "a!" }, DEADLINE_MS), `evil.txt:1: ${TEXT}`);
    }
  } finally {
    await runner.close();
  }
});

Deno.test("grep and find have a deadline of their own, a little after they would give up by themselves", () => {
  for (const tool of [grep, find]) assertEquals(tool.deadlineMs?.({ pattern: "a" }, policyFor("/w")), 25_000);
  assert(grep.place === "runner");
});
