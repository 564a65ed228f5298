import { BINARY } from "../helpers/program.ts";
import { sessionPromises } from "../e2e/session_promises.ts";

sessionPromises(BINARY);
