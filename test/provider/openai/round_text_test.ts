import { assertEquals } from "@std/assert";
import { createRoundPrompt } from "../../../src/provider/openai/round_text.ts";

const BASE = "## A\n\n## B\nfacts";

/** Dynamic halves of a session's requests; the half that stays in the prompt, and what goes behind the conversation. */
const CASES: readonly (readonly [string, readonly (readonly [string, string, string])[]])[] = [
  ["nothing new", [[BASE, BASE, ""], [BASE, BASE, ""]]],
  ["a section in the middle", [[BASE, BASE, ""], [
    "## A\n\n## R\nfailed\n\nor so\n\n## B\nfacts",
    BASE,
    "## R\nfailed\n\nor so",
  ], [BASE, BASE, ""]]],
  ["one at each end", [[BASE, BASE, ""], [`first\n\n${BASE}`, BASE, "first"], [`${BASE}\n\nlast`, BASE, "last"]]],
  ["sections in two places", [[BASE, BASE, ""], [`x\n\n${BASE}\n\ny`, `x\n\n${BASE}\n\ny`, ""]]],
  ["what stays belongs to the prompt", [[BASE, BASE, ""], [`${BASE}\n\nnew`, BASE, "new"], [
    `${BASE}\n\nnew`,
    `${BASE}\n\nnew`,
    "",
  ]]],
  ["what is gone is gone", [[BASE, BASE, ""], ["## A", "## A", ""], [BASE, "## A", "## B\nfacts"]]],
  ["a half that was empty", [["", "", ""], ["new", "", "new"]]],
];
for (const [name, requests] of CASES) {
  Deno.test(`createRoundPrompt() tells what a round adds: ${name}`, () => {
    const tell = createRoundPrompt();
    for (const [dynamic, kept, added] of requests) {
      assertEquals(tell({ stable: "S", dynamic }), { system: { stable: "S", dynamic: kept }, added });
    }
  });
}

Deno.test("createRoundPrompt() takes another stable half for another prompt", () => {
  const tell = createRoundPrompt();
  tell({ stable: "S", dynamic: BASE });
  const other = { stable: "T", dynamic: `${BASE}\n\nnew` };
  assertEquals(tell(other), { system: other, added: "" });
});
