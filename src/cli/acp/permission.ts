import type { AgentContext, PermissionOption, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import type { AskPermission } from "../../core/engine.ts";
import type { PermissionAnswer } from "../../core/event.ts";
import { permissionQuestion } from "../output/permission_question.ts";

/** Something that a person may choose; its id says what. */
export type Choice<T extends string> = PermissionOption & { readonly optionId: T };

/** What the client offers the person; each id is the answer that it stands for. */
const OPTIONS: readonly Choice<PermissionAnswer>[] = [
  { optionId: "once", kind: "allow_once", name: "Allow this call" },
  { optionId: "session", kind: "allow_always", name: "Allow until the session ends" },
  { optionId: "project", kind: "allow_always", name: "Always allow in this project" },
  { optionId: "no", kind: "reject_once", name: "No" },
];

/**
 * Asks the client about denials. `callOf` gives the call that a question is about.
 *
 * Anything but a chosen option counts as no; so does a client that is gone or was told to stop.
 */
export function askClient(
  client: AgentContext,
  sessionId: () => string,
  callOf: (permissionId: string) => string | undefined,
): AskPermission {
  return async ({ id, ...request }, signal) => {
    if (signal.aborted) return "no";
    const title = permissionQuestion(request);
    return await choice(client, sessionId(), { toolCallId: callOf(id) ?? id, title }, OPTIONS, signal) ?? "no";
  };
}

/** What the person chose of some options; undefined where the client gave no answer, or one that was not offered. */
export async function choice<T extends string>(
  client: AgentContext,
  sessionId: string,
  toolCall: RequestPermissionRequest["toolCall"],
  options: readonly Choice<T>[],
  signal: AbortSignal,
): Promise<T | undefined> {
  const { outcome } = await client.request(
    "session/request_permission",
    { sessionId, toolCall, options: [...options] },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  );
  if (outcome.outcome !== "selected") return undefined;
  return options.find(({ optionId }) => optionId === outcome.optionId)?.optionId;
}
