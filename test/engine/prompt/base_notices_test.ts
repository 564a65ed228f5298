import { assertEquals } from "@std/assert";
import { baseNotices, type FoundFiles } from "../../../src/engine/prompt/prompt_sources.ts";

const NOTHING: FoundFiles = { files: [], persona: undefined, skills: [], templates: [], named: [], root: "/w" };
const odd = (file: string) => ({ code: "skill_invalid", message: "Write a description", file } as const);

const CASES: readonly { readonly name: string; readonly found: Partial<FoundFiles>; readonly says: string[] }[] = [
  { name: "nothing", found: {}, says: [] },
  {
    name: "files, but for those that cannot be read",
    found: {
      files: [
        undefined,
        { path: "/w/AGENTS.md", status: "loaded", text: "a" },
        { path: "/w/a.md", status: "missing" },
        { path: "/w/b.md", status: "denied" },
        { path: "/w/c.md", status: "untrusted" },
        { path: "/w/d.md", status: "read_error" },
        { path: "/w/e.md", status: "read_error", message: "It is no text" },
      ],
    },
    says: ["/w/d.md is left out. It cannot be read", "/w/e.md is left out. It is no text"],
  },
  {
    name: "files of the persona as others",
    found: {
      persona: { mode: "sections", soul: { path: "/w/SOUL.md", status: "read_error", message: "It is a pipe" } },
    },
    says: ["/w/SOUL.md is left out. It is a pipe"],
  },
  {
    name: "skills of others, but tells of those that were named",
    found: {
      skills: [odd("/home/a/SKILL.md"), odd("/w/mine/SKILL.md"), odd("/x/y/SKILL.md"), odd("/w/mine-not/SKILL.md")],
      named: ["mine", "/x/y/SKILL.md"],
    },
    says: ["/w/mine/SKILL.md: Write a description", "/x/y/SKILL.md: Write a description"],
  },
  {
    name: "no trouble with skills as a whole",
    found: { skills: [{ code: "skill_invalid", message: "There is no folder ./none" }] },
    says: ["There is no folder ./none"],
  },
  {
    name: "no template that is left out",
    found: { templates: [{ code: "template_collision", file: "/w/p/a.md", message: "The name is taken" }] },
    says: ["/w/p/a.md: The name is taken"],
  },
];

for (const { name, found, says } of CASES) {
  Deno.test(`baseNotices() passes over ${name}`, () => assertEquals(baseNotices({ ...NOTHING, ...found }), says));
}
