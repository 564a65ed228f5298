import { shells } from "../e2e/shells.ts";
import { BINARY } from "../helpers/program.ts";

shells(BINARY);
