import type { Persona, PromptInputs, PromptTool } from "../../src/core/prompt.ts";
import { channelOf, LOCAL_AUGMENTS } from "../../src/prompt/augment.ts";
import { describePolicy } from "../../src/sandbox/policy/describe.ts";
import { resolvePolicy } from "../../src/sandbox/policy/policy.ts";
import { EVERYTHING, inputs, loaded, tools } from "./sample.ts";

const SYSTEM = loaded("/work/app/.sandpiper/SYSTEM.md", "You keep the books of a small shop.\n\nAnswer in Portuguese.");
const APPEND = [loaded("/work/app/.sandpiper/APPEND_SYSTEM.md", "Never touch the folder `legal/`.")];
const SKILLS = [
  { name: "review", description: "Reviews a change for defects", path: "/home/u/.agents/skills/review/SKILL.md" },
  { name: "commit", description: "Commits files in logical groups", path: "/home/u/.agents/skills/commit/SKILL.md" },
];
const CONTEXT = [
  loaded("/home/u/.sandpiper/agent/AGENTS.md", "Write British English."),
  loaded("/work/AGENTS.md", "# Monorepo\r\n\r\nPackages live in `packages/`.\r\n"),
  loaded("/work/app/CLAUDE.md", "Run `deno task test` before you finish."),
];
export const PERSONA: Persona = {
  mode: "sections",
  soul: loaded("/work/app/SOUL.md", "# Soul\n\nBe kind. Never flatter.\n"),
  identity: { path: "/work/app/IDENTITY.md", status: "missing" },
  user: loaded("/home/u/.sandpiper/agent/USER.md", "Ana. Reads fast, writes Go, dislikes long answers."),
};
const PLANNING: readonly PromptTool[] = [
  { name: "plan_create", snippet: "Make a plan of steps", origin: "builtin" },
  { name: "todo_update", snippet: "Add to TODO.md, or complete an entry", origin: "builtin" },
  { name: "task", snippet: "Run a task of its own with a fresh context", origin: "builtin" },
  { name: "read_skill", snippet: "Load the instructions of a skill", origin: "builtin" },
];
const DEPLOY: PromptTool = {
  name: "deploy",
  snippet: "Ship the current branch to staging",
  guidelines: ["Deploy only when the tests are green"],
  origin: "extension",
};
/** What the product makes of `--read-only`, on a machine without links, repositories and toolchains. */
const READ_ONLY = resolvePolicy({ root: "/work/app", readOnly: true }, {
  realPath: (path) => path,
  listFolder: () => undefined,
  readText: () => undefined,
  home: "/home/u",
  tmp: "/tmp/session",
  cache: "/home/u/.cache/sandpiper",
  env: { PATH: "/usr/bin:/bin" },
  skills: [],
  level: "kernel",
});

/** Inputs of the whole prompts under test/golden, by file name. */
export const PROMPTS: Readonly<Record<string, Partial<PromptInputs>>> = {
  default: {},
  compiler: { identity: "compiler" },
  system: { systemOverride: SYSTEM },
  system_append: { systemOverride: SYSTEM, appendSystem: APPEND },
  monorepo: { contextFiles: CONTEXT, skills: SKILLS },
  no_tools: { tools: [], skills: SKILLS },
  read_only: {
    tools: tools("read", "grep", "find", "ls"),
    environmentPolicy: describePolicy(READ_ONLY),
  },
  rounds: {
    retryInstruction: "The last edit did not match. Read the file again.",
    continuation: true,
    finalAnswer: true,
  },
  minimal: { ...EVERYTHING, profile: "minimal" },
  none: { ...EVERYTHING, profile: "none" },
  persona_sections: { persona: PERSONA },
  persona_replaced: {
    persona: {
      ...PERSONA,
      mode: "replace",
      identity: loaded("/work/app/IDENTITY.md", "Name: Rex. A terrier among reviewers."),
    },
  },
  extension_on: { tools: [...inputs().tools, DEPLOY] },
  extension_off: { tools: inputs().tools },
  everything: {
    appendSystem: APPEND,
    tools: [...tools("read", "bash", "edit", "write", "grep"), ...PLANNING, DEPLOY],
    contextFiles: CONTEXT,
    skills: SKILLS.map((skill) => skill.name === "review" ? { ...skill, authProfiles: ["tracker"] } : skill),
    rules: ["Never push"],
    persona: PERSONA,
    toolRecoveryPolicy: true,
    scripts: {
      file: loaded("/work/app/SCRIPTS.md", "- seed: scripts/seed.ts, fills the database. `scripts/seed.ts --small`"),
      folder: "/work/app/scripts",
      editable: true,
    },
    blocks: [{ title: "House Style", content: "Tables before prose." }],
    metadataMessages: true,
    channel: channelOf(LOCAL_AUGMENTS, "text") ?? { name: "text", blocks: [] },
    runtimeSkills: [
      {
        name: "Review",
        slug: "review",
        description: "Reviews a change for defects",
        state: "explicit",
        reason: "$review",
        body: "Read the whole diff first.\n\nReport defects by severity.",
      },
      {
        name: "Commit",
        slug: "commit",
        description: "Commits files in logical groups",
        state: "implicit",
        reason: "description",
        body: "NEVER-SHOWN",
      },
    ],
    continuation: true,
    retryInstruction: "The last edit did not match. Read the file again.",
    dynamicContext: "Open file in the editor: src/main.ts",
    memory: {
      today: "2026-03-07",
      longTerm: ["Releases are cut on Mondays"],
      recent: [{ date: "2026-03-06", summary: "Moved the parser to its own file", path: "memory/2026-03-06.md" }],
    },
  },
};
