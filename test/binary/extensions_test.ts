import { extensionPromises } from "../e2e/extensions.ts";
import { BINARY } from "../helpers/program.ts";

extensionPromises(BINARY);
