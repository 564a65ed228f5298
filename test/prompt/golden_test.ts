import { assert, assertEquals } from "@std/assert";
import type { PromptInputs } from "../../src/core/prompt.ts";
import { sha256 } from "../../src/core/digest.ts";
import { compilePrompt } from "../../src/prompt/compile.ts";
import { COMPILER } from "../../src/prompt/version.ts";
import { EVERYTHING, inputs, loaded, meta, tools } from "./sample.ts";

// Whole prompts as files, to be reviewed as differences. UPDATE_GOLDEN=1 writes them anew.
const FOLDER = new URL("../golden/", import.meta.url);
const UPDATE = Deno.env.get("UPDATE_GOLDEN") === "1";

const SYSTEM = loaded("/work/app/.sandpiper/SYSTEM.md", "You keep the books of a small shop.\n\nAnswer in Portuguese.");
const APPEND = [loaded("/work/app/.sandpiper/APPEND_SYSTEM.md", "Never touch the folder `legal/`.")];
const SKILLS = [
  { name: "review", description: "Reviews a change for defects", path: "/home/u/.agents/skills/review/SKILL.md" },
  { name: "commit", description: "Commits files in logical groups", path: "/home/u/.agents/skills/commit/SKILL.md" },
];

const PROMPTS: Readonly<Record<string, Partial<PromptInputs>>> = {
  default: {},
  compiler: { identity: "compiler" },
  system: { systemOverride: SYSTEM },
  system_append: { systemOverride: SYSTEM, appendSystem: APPEND },
  monorepo: {
    contextFiles: [
      loaded("/home/u/.sandpiper/agent/AGENTS.md", "Write British English."),
      loaded("/work/AGENTS.md", "# Monorepo\r\n\r\nPackages live in `packages/`.\r\n"),
      loaded("/work/app/CLAUDE.md", "Run `deno task test` before you finish."),
    ],
    skills: SKILLS,
  },
  no_tools: { tools: [], skills: SKILLS },
  read_only: {
    tools: tools("read", "grep", "find", "ls"),
    environmentPolicy: ["Tools may read /work/app and change nothing.", "No commands can be run."],
  },
  rounds: {
    retryInstruction: "The last edit did not match. Read the file again.",
    continuation: true,
    finalAnswer: true,
  },
  minimal: { ...EVERYTHING, profile: "minimal" },
  none: { ...EVERYTHING, profile: "none" },
};

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
    `The prompt changed: raise COMPILER in src/prompt/version.ts, then UPDATE_GOLDEN=1`,
  );
});
