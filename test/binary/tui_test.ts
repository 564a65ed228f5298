import { BINARY } from "../helpers/program.ts";
import { screens } from "../tui/screens.ts";

screens("binary", BINARY.command);
