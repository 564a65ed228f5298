import { SOURCE } from "../helpers/program.ts";
import { shells } from "./shells.ts";

shells(SOURCE);
