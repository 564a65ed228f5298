import { namedFilesOf } from "../../config/named_files.ts";
import type { AgentDeps, Verdict } from "../../agent/deps.ts";
import type { Config } from "../../config/config.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { AssistantMessage, CustomMessage } from "../../core/message.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ToolsHost } from "../tools/tools_host.ts";
import { openAnswerSchema, readAnswerSchema } from "./answer_schema.ts";
import { type CheckedChanges, createChecks, createTurnChecks, runChecksOf, turnChecksOf } from "./checks.ts";

/** What a run has to show before its "done" counts. */
export interface Proof {
  /** Messages to the model about the checks, in addition to its task. */
  readonly messages: () => readonly CustomMessage[];
  /** The callbacks of the loop, for one run; `endsSession`: its background commands end with it. */
  readonly forRun: (endsSession: boolean) => Pick<AgentDeps, "judge" | "answerSchema" | "afterCalls">;
}

/**
 * What the command line and the settings demand; undefined: a model's word is enough.
 *
 * `changes`: the journal; undefined if nothing runs. `given`: the answer's schema, where no file is named.
 *
 * Throws UserError for a schema that is none, and for checks that cannot run.
 */
export async function openProof(
  config: Config,
  tools: ToolsHost,
  changes: CheckedChanges | undefined,
  given?: JsonObject,
): Promise<Proof | undefined> {
  const checks = runChecksOf(config);
  const turnChecks = turnChecksOf(config);
  const file = config.invocation.values["output-schema"];
  const shape = typeof file === "string"
    ? await readAnswerSchema(namedFilesOf(config), file, config.world.cwd)
    : given && await openAnswerSchema(given);
  if (checks) createChecks(checks, tools, changes);
  if (!checks && !shape && turnChecks.length === 0) return undefined;
  const afterCalls = turnChecks.length === 0 ? undefined : createTurnChecks(turnChecks, tools, changes);
  return {
    messages: () => shape ? [shape.message()] : [],
    forRun: (endsSession) => {
      const check = checks && createChecks(checks, tools, changes, endsSession);
      const judge = shape?.judge();
      return {
        ...(shape ? { answerSchema: shape.schema } : {}),
        ...(check || judge ? { judge: (answer, signal) => both(answer, check?.(signal), judge) } : {}),
        ...(afterCalls ? { afterCalls } : {}),
      };
    },
  };
}

/** The checks first: what they make the model do may change what it answers. */
async function* both(
  answer: AssistantMessage,
  checks: AsyncGenerator<AgentEvent, Verdict> | undefined,
  judge: ((answer: AssistantMessage) => Verdict) | undefined,
): AsyncGenerator<AgentEvent, Verdict> {
  const checked: Verdict = checks ? yield* checks : { kind: "holds" };
  return checked.kind === "holds" && judge ? judge(answer) : checked;
}
