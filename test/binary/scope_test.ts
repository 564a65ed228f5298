import { scopes } from "../e2e/scope.ts";
import { BINARY } from "../helpers/program.ts";

scopes(BINARY);
