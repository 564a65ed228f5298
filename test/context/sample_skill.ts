import type { Skill } from "../../src/context/skills/skills.ts";

/** A skill as it is found, with what a test says of it. */
export function sampleSkill(name: string, changes: Partial<Skill> = {}): Skill {
  return {
    name,
    slug: name,
    id: name,
    description: `Does ${name}`,
    path: `/skills/${name}/SKILL.md`,
    folder: `/skills/${name}`,
    origin: "user",
    modelInvocation: true,
    paths: [],
    allowedTools: [],
    ...changes,
  };
}
