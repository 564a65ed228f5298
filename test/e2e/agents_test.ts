import { SOURCE } from "../helpers/program.ts";
import { agentFiles } from "./agents.ts";

agentFiles(SOURCE);
