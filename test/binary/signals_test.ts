import { signals } from "../e2e/signals.ts";
import { BINARY } from "../helpers/program.ts";

signals(BINARY);
