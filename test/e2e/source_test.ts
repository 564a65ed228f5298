import { SOURCE } from "../helpers/program.ts";
import { promises } from "./promises.ts";

promises(SOURCE);
