import { FROM_SOURCE } from "./pty.ts";
import { screens } from "./screens.ts";

screens("source", FROM_SOURCE);
