import { LAZY_SOURCE } from "../helpers/program.ts";
import { bundledSkills } from "./skills.ts";

bundledSkills(LAZY_SOURCE);
