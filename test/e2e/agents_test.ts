import { LAZY_SOURCE } from "../helpers/program.ts";
import { agentFiles } from "./agents.ts";

agentFiles(LAZY_SOURCE);
