import { assert, assertEquals } from "@std/assert";
import { sha256 } from "../../src/core/support/digest.ts";
import { compilePrompt, COMPILER } from "../../src/prompt/compile.ts";
import { PROMPTS } from "./golden_prompts.ts";
import { inputs, meta } from "./sample.ts";

// Whole prompts as files, to be reviewed as differences. UPDATE_GOLDEN=1 writes them anew.
const FOLDER = new URL("../golden/", import.meta.url);
const UPDATE = Deno.env.get("UPDATE_GOLDEN") === "1";

for (const [name, changes] of Object.entries(PROMPTS)) {
  Deno.test(`compilePrompt() equals test/golden/${name}.txt`, () => {
    const text = compilePrompt(inputs(changes), meta()).full + "\n";
    const file = new URL(`${name}.txt`, FOLDER);
    if (UPDATE) Deno.writeTextFileSync(file, text);
    assertEquals(text, Deno.readTextFileSync(file));
  });
}

Deno.test("COMPILER R337 is another one whenever a golden prompt is another one", () => {
  const digest = sha256(
    Object.values(PROMPTS).map((changes) => compilePrompt(inputs(changes), meta()).full).join("\0"),
  );
  const file = new URL("compilers.json", FOLDER);
  const known: Record<string, string> = JSON.parse(Deno.readTextFileSync(file));
  // A version once written down is not rewritten here: its prompts may be in somebody's sessions.
  if (UPDATE && !(COMPILER in known)) {
    Deno.writeTextFileSync(file, JSON.stringify({ ...known, [COMPILER]: digest }, null, 2) + "\n");
    known[COMPILER] = digest;
  }
  assert(
    known[COMPILER] === digest,
    `The prompt changed: raise COMPILER in src/prompt/compile.ts, then UPDATE_GOLDEN=1`,
  );
});
