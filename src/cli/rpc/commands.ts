import type { Command } from "./command.ts";
import { LOOK_COMMANDS } from "./look_commands.ts";
import { MODEL_COMMANDS } from "./model_commands.ts";
import { RUN_COMMANDS } from "./run_commands.ts";
import { SESSION_COMMANDS } from "./session_commands.ts";

/** Every RPC command, by the name in `type`; names and shapes are pi's. docs/rpc.md has them with examples. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries({ ...RUN_COMMANDS, ...LOOK_COMMANDS, ...MODEL_COMMANDS, ...SESSION_COMMANDS }),
);
