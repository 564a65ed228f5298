import { agentFiles } from "../e2e/agents.ts";
import { BINARY } from "../helpers/program.ts";

agentFiles(BINARY);
