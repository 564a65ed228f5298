import { messageOf, UserError } from "../../core/error.ts";
import type { Engine, PromptOutcome } from "../../core/engine.ts";
import { nearest } from "../nearest.ts";
import { COMMANDS, type RpcContext } from "./commands.ts";
import { linesOf } from "./lines.ts";
import type { RpcQuestions } from "./questions.ts";

/** Where RPC mode reads and writes. */
export interface RpcPipes {
  readonly input: ReadableStream<Uint8Array>;
  /** Writes a whole line; false when nobody reads any more. */
  readonly write: (line: string) => boolean;
}

/**
 * Serves a session over lines of JSON until the input ends or nobody reads: `{id?, type, …}` in, responses and events out.
 *
 * A response has the id of its command; events have none. Commands run in the order in which they come, and one that waits
 * (a compaction, a typed command) does not hold up the others. Returns how the last run ended.
 */
export async function rpcMode(
  engine: Engine,
  models: readonly string[],
  questions: RpcQuestions,
  pipes: RpcPipes,
): Promise<PromptOutcome | undefined> {
  let last: PromptOutcome | undefined;
  let isRead = true;
  const send = (value: object): void => {
    if (isRead && !pipes.write(JSON.stringify(value) + "\n")) isRead = false;
  };
  const context: RpcContext = {
    engine,
    models,
    answerPermission: questions.answer,
    ended: (outcome) => void (last = outcome),
  };
  const unsubscribe = engine.subscribe(send);
  questions.open(send);
  const running = new Set<Promise<void>>();
  try {
    for await (const line of linesOf(pipes.input)) {
      if (!isRead) break;
      if ("error" in line) {
        send(failure(undefined, "parse", line.error));
        continue;
      }
      const work = serve(line.text, context, questions, send);
      running.add(work);
      void work.finally(() => running.delete(work));
    }
    // What was asked is finished unless nobody reads the answer; questions can no longer be answered.
    questions.close();
    if (!isRead) await engine.abort();
    await Promise.all(running);
    await engine.waitForIdle();
  } finally {
    unsubscribe();
  }
  return last;
}

async function serve(
  text: string,
  context: RpcContext,
  questions: RpcQuestions,
  send: (value: object) => void,
): Promise<void> {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch (error) {
    return send(failure(undefined, "parse", `not JSON: ${messageOf(error)}`));
  }
  if (typeof request !== "object" || request === null || Array.isArray(request)) {
    return send(failure(undefined, "parse", "a command is a JSON object"));
  }
  const { id: givenId, type, ...args } = request as Readonly<Record<string, unknown>>; // a JSON object
  const id = typeof givenId === "string" || typeof givenId === "number" ? givenId : undefined;
  if (type === "extension_ui_response") return questions.answerUi(String(givenId), args);
  if (typeof type !== "string" || !Object.hasOwn(COMMANDS, type)) {
    const meant = nearest(String(type), Object.keys(COMMANDS));
    return send(failure(id, String(type), `unknown command${meant ? `; did you mean "${meant}"?` : ""}`));
  }
  // Each command checks its own arguments first; the table's types cannot be joined over all commands.
  const { args: schema, run } = COMMANDS[type as keyof typeof COMMANDS] as unknown as {
    args: { safeParse: (value: unknown) => { success: boolean; data?: unknown; error?: { issues: readonly Issue[] } } };
    run: (args: unknown, context: RpcContext) => unknown;
  };
  const parsed = schema.safeParse(args);
  if (!parsed.success) return send(failure(id, type, describe(parsed.error?.issues ?? [])));
  try {
    const data = await run(parsed.data, context);
    const response = { type: "response", command: type, success: true, ...(data === undefined ? {} : { data }) };
    send(id === undefined ? response : { id, ...response });
  } catch (error) {
    send(failure(id, type, error instanceof UserError ? `${error.message}. ${error.fix}` : messageOf(error)));
  }
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function describe(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => `${path.map(String).join(".") || "command"}: ${message}`).join("; ");
}

function failure(id: string | number | undefined, command: string, error: string): object {
  return { ...(id === undefined ? {} : { id }), type: "response", command, success: false, error };
}
