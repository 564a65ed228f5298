import { bundledSkills, unpackedSkills } from "../e2e/skills.ts";
import { BINARY } from "../helpers/program.ts";

bundledSkills(BINARY);
unpackedSkills(BINARY);
