import { assertEquals } from "@std/assert";
import { collectFacts, type RunFacts } from "../../../src/cli/report/facts.ts";
import { failureOf } from "../../../src/cli/report/fail_on.ts";

const facts = (own: Partial<RunFacts>): RunFacts => ({ ...collectFacts().facts(), ...own });
const changes = (paths: readonly string[], folders: readonly string[] = []): Pick<RunFacts, "changes"> => ({
  changes: {
    files: paths.map((path) => ({ path, kind: "created", thing: "file" })),
    linesAdded: 0,
    linesRemoved: 0,
    counted: folders.map((path) => ({ path, kind: "created" })),
    leftOut: [],
  },
});
const { changes: _, ...unseen } = facts({});

type Words = Parameters<typeof failureOf>[0];

const CASES: readonly (readonly [name: string, words: Words, facts: RunFacts, failure: string | undefined])[] = [
  ["nothing happened", ["denied", "tool-error", "change", "warning"], facts({}), undefined],
  ["a denied call", ["denied"], facts({ deniedCalls: 1 }), "1 call was denied (--fail-on denied)"],
  ["a failed call", ["tool-error"], facts({ failedCalls: 2 }), "2 calls of tools failed (--fail-on tool-error)"],
  ["a change", ["change"], facts(changes(["a"])), "1 file was changed (--fail-on change)"],
  ["no change", ["no-change"], facts(changes([])), "no file was changed (--fail-on no-change)"],
  ["an ignored folder alone counts as a change made", ["no-change"], facts(changes([], ["target"])), undefined],
  [
    "nobody looked: neither is proven",
    ["change", "no-change"],
    unseen,
    [
      "nobody could look at what changed (--fail-on change)",
      "nobody could look at what changed (--fail-on no-change)",
    ].join("; "),
  ],
  ["what is not named counts for nothing", ["warning"], facts({ deniedCalls: 1, failedCalls: 1 }), undefined],
];
for (const [name, words, given, failure] of CASES) {
  Deno.test(`failureOf(): ${name}`, () => assertEquals(failureOf(words, given), failure));
}
