import { FROM_SOURCE } from "./pty.ts";
import { signalMoments } from "./signal_moments.ts";

signalMoments("source", FROM_SOURCE);
