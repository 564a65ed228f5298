import { LAZY_SOURCE } from "../helpers/program.ts";
import { sessionPromises } from "./session_promises.ts";

sessionPromises(LAZY_SOURCE);
