import { join } from "@std/path";
import { sha256 } from "../core/support/digest.ts";
import { UserError } from "../core/error.ts";
import type { AgentEvent } from "../core/event.ts";
import { textOf } from "../core/message.ts";
import { isSessionId } from "./identifiers.ts";

/**
 * One tool call, without its arguments and without its result (R481); or, with the tool `background`, the end of a command
 * that went on after its call: `callId` is its name, and the digest that of the command as JSON.
 */
export interface AuditEntry {
  /** ISO 8601. */
  readonly time: string;
  readonly session: string;
  readonly callId: string;
  readonly tool: string;
  /** SHA-256 of the arguments as JSON, lower-case hex. */
  readonly arguments: string;
  /** `refused`: it never ran (not active, not valid, skipped); `denied`: the policy said no. */
  readonly decision: "allowed" | "denied" | "refused";
  readonly outcome: "ok" | "error";
  /** Of the work alone. */
  readonly durationMs: number;
  /** How long a person took to answer a question about it; absent where nobody was asked. */
  readonly waitedMs?: number;
}

/** Reads the events of a run and keeps one line for each tool call. */
export interface Audit {
  /** Where the lines are; made with the first one. */
  readonly path: string;
  /** Never throws; the first failure to write is told once by `onFailure`. */
  readonly read: (event: AgentEvent) => void;
}

/**
 * Opens the audit of a session: one JSON line a call, appended to a file that only the user can read.
 *
 * Throws `UserError` for an id that could lead out of the folder.
 */
export function openAudit(
  folder: string,
  session: string,
  now: () => number,
  onFailure: (error: unknown) => void,
): Audit {
  if (!isSessionId(session)) {
    throw new UserError({
      what: "Cannot open the audit of a session",
      why: `"${session}" cannot be a session's id`,
      fix: "Take a session from the list: sandpiper sessions",
    });
  }
  const path = join(folder, `${session}.jsonl`);
  const started = new Map<string, string>();
  const finished = new Set<string>();
  let failed = false;
  const write = (entry: Omit<AuditEntry, "time" | "session">): void => {
    if (failed) return;
    try {
      append(folder, path, { time: new Date(now()).toISOString(), session, ...entry });
    } catch (error) {
      failed = true;
      onFailure(error);
    }
  };
  return {
    path,
    read(event) {
      switch (event.type) {
        case "tool_execution_start":
          started.set(event.toolCallId, sha256(JSON.stringify(event.args)));
          return;
        case "tool_execution_end": {
          finished.add(event.toolCallId);
          const digest = started.get(event.toolCallId) ?? sha256("{}");
          started.delete(event.toolCallId);
          return write({
            callId: event.toolCallId,
            tool: event.toolName,
            arguments: digest,
            decision: isDenied(event) ? "denied" : "allowed",
            outcome: event.isError ? "error" : "ok",
            durationMs: tenths(event.durationMs),
            ...(event.waitedMs === undefined ? {} : { waitedMs: tenths(event.waitedMs) }),
          });
        }
        case "background_end":
          return write({
            callId: event.id,
            tool: "background",
            arguments: sha256(JSON.stringify(event.command)),
            decision: "allowed",
            outcome: event.exitCode === 0 ? "ok" : "error",
            durationMs: tenths(event.durationMs),
          });
        case "message_end": {
          const { message } = event;
          if (message.role !== "toolResult" || finished.delete(message.toolCallId)) return;
          const { toolCallId: callId, toolName: tool } = message;
          return write({ callId, tool, arguments: sha256("{}"), decision: "refused", outcome: "error", durationMs: 0 });
        }
      }
    },
  };
}

/** Tools whose errors are sentences of this program, whatever the files say that they look at. */
const FILE_TOOLS: readonly string[] = ["read", "grep", "find", "ls", "edit", "write"];

/** How the refusals of the policy, of Deno and of the kernel begin. */
const DENIAL = /^(?:Denied|NotCapable|PermissionDenied): /;

/** Whether the policy said no. The text of a command is its own: there counts what the host knows beside it. */
function isDenied({ toolName, result, isError }: Extract<AgentEvent, { type: "tool_execution_end" }>): boolean {
  const { denial, isDenied } = result.details ?? {};
  if (denial !== undefined || isDenied === true) return true;
  return isError && FILE_TOOLS.includes(toolName) && DENIAL.test(textOf(result.content));
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function append(folder: string, path: string, entry: AuditEntry): void {
  const line = JSON.stringify(entry) + "\n";
  // One write of a short line to a file that is opened for appending: lines of two processes never mix.
  const write = (): void => Deno.writeTextFileSync(path, line, { append: true, mode: 0o600 });
  try {
    write();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    write();
  }
}
