import { BINARY } from "../helpers/program.ts";
import { screens } from "../tui/screens.ts";
import { signalMoments } from "../tui/signal_moments.ts";

screens("binary", BINARY.command);
signalMoments("binary", BINARY.command);
