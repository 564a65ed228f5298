import { SOURCE } from "../helpers/program.ts";
import { bundledSkills } from "./skills.ts";

bundledSkills(SOURCE);
