import { SOURCE } from "../helpers/program.ts";
import { scopes } from "./scope.ts";

scopes(SOURCE);
