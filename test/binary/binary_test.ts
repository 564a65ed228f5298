import { BINARY } from "../helpers/program.ts";
import { promises } from "../e2e/promises.ts";

promises(BINARY);
