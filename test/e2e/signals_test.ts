import { SOURCE } from "../helpers/program.ts";
import { signals } from "./signals.ts";

signals(SOURCE);
