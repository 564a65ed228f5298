import { SOURCE } from "../helpers/program.ts";
import { extensionPromises } from "./extensions.ts";

extensionPromises(SOURCE);
