import { messageOf, UserError } from "../../core/error.ts";
import { isObject } from "../../core/json.ts";
import { nearest } from "../../core/support/nearest.ts";
import type { Command, RpcContext } from "./command.ts";
import { LOOK_COMMANDS } from "./look_commands.ts";
import { MODEL_COMMANDS } from "./model_commands.ts";
import { RUN_COMMANDS } from "./run_commands.ts";
import { SESSION_COMMANDS } from "./session_commands.ts";

/** Longest part of a client's word that is said back to it. */
const SAID_BACK = 100;

/** What a line is answered with besides its command's work. */
export interface Serving {
  readonly context: RpcContext;
  readonly send: (value: object) => void;
  /** Takes an `extension_ui_response`, which has no response of its own. */
  readonly answerUi: (id: string, response: Readonly<Record<string, unknown>>) => void;
}

type Id = string | number | undefined;

/** Does what one line asks for and sends its response. Never rejects: every failure is a response. */
export async function serve(text: string, { context, send, answerUi }: Serving): Promise<void> {
  const request = parse(text);
  if ("problem" in request) return send(failure(undefined, "parse", request.problem));
  const { id: givenId, type, ...args } = request.fields;
  const id: Id = typeof givenId === "string" || typeof givenId === "number" ? givenId : undefined;
  if (type === "extension_ui_response") return answerUi(String(givenId), args);
  const name = typeof type === "string" ? type : "";
  const known = COMMANDS.get(name);
  if (!known) return send(unknown(id, name));
  const parsed = known.args.safeParse(args);
  if (!parsed.success) return send(failure(id, name, describe(parsed.error.issues)));
  let isAnswered = false;
  const reply = (data?: unknown): void => {
    if (isAnswered) return;
    isAnswered = true;
    send({ ...named(id), type: "response", command: name, success: true, ...(data === undefined ? {} : { data }) });
  };
  try {
    reply(await known.run(parsed.data, context, reply));
  } catch (error) {
    const why = error instanceof UserError ? `${error.message}. ${error.fix}` : messageOf(error);
    send(isAnswered ? { type: "notice", level: "error", message: why } : failure(id, name, why));
  }
}

/** The response to something that failed. */
export function failure(id: Id, command: string, error: string): object {
  return { ...named(id), type: "response", command, success: false, error };
}

function named(id: Id): object {
  return id === undefined ? {} : { id };
}

function parse(text: string): { readonly fields: Readonly<Record<string, unknown>> } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { fields: value } : { problem: "a command is a JSON object" };
  } catch (error) {
    return { problem: `not JSON: ${messageOf(error).slice(0, 2 * SAID_BACK)}` };
  }
}

function unknown(id: Id, name: string): object {
  const said = name.slice(0, SAID_BACK);
  if (said === "") return failure(id, "", 'a command has its name in "type"');
  const meant = nearest(said, [...COMMANDS.keys()]);
  return failure(id, said, `unknown command${meant ? `; did you mean "${meant}"?` : "; docs/rpc.md lists them"}`);
}

function describe(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): string {
  return issues.map(({ path, message }) => `${path.map(String).join(".") || "command"}: ${message}`).join("; ")
    .slice(0, 5 * SAID_BACK);
}

/** Every RPC command, by the name in `type`; names and shapes are pi's. docs/rpc.md has them with examples. */
const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries({ ...RUN_COMMANDS, ...LOOK_COMMANDS, ...MODEL_COMMANDS, ...SESSION_COMMANDS }),
);
