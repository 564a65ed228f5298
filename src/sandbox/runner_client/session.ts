import { messageOf, ToolError } from "../../core/error.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Policy } from "../../core/policy.ts";
import type { RunProgram } from "../../core/runner.ts";
import { cleanJson, messageText, ProtocolError, readAnswer, type RunnerAnswer } from "../../core/protocol.ts";
import type { CallOptions, RunnerCall } from "../../core/runner.ts";
import { stripControls } from "../../core/support/text.ts";
import { errorResult, textResult } from "../../core/tool.ts";
import type { ToolResult } from "../../core/tool_result.ts";
import { claimIn, claimsIn, withDenial } from "../denial/claim.ts";
import { createDeadlines } from "./deadlines.ts";
import type { StartLink } from "./link.ts";

/** How a runner is watched. */
export interface Watch {
  /** Longest time of one call, milliseconds; past it the runner is ended. */
  readonly deadlineMs: number;
  /** How long an aborted call may keep the runner busy before it is ended, milliseconds. */
  readonly abortGraceMs: number;
  /** Runs the programs that bash calls ask for; without it every such request is refused. */
  readonly runProgram?: RunProgram;
  /** `false` switches the tools' own path checks off, so that a test sees what Deno and the kernel refuse. */
  readonly checkPaths?: boolean;
}

/** One life of a runner: from its start to the first thing that makes it useless. */
export interface RunnerSession {
  readonly pid: number | undefined;
  /** Lets its program start, which the first call does otherwise. */
  readonly warm: () => void;
  /** Settles with the tool's result, or with an error result that says why there is none. */
  readonly run: (call: RunnerCall, options: CallOptions) => Promise<ToolResult>;
  /** Ends the runner and every call it owes; resolves when it is gone. */
  readonly end: (why: string, graceMs: number) => Promise<void>;
}

/** Most answers to calls that nobody waits for: late ones are few, and a runner that sends more is broken. */
const MAX_STRAYS = 1000;

/**
 * Starts a runner and sends it the policy before its first call. `onGone` is called when the runner is of no more use,
 * with what to wait for.
 */
export function openSession(
  start: StartLink,
  policy: Policy,
  watch: Watch,
  onGone: (gone: Promise<void>) => void,
): RunnerSession {
  const { abortGraceMs, checkPaths, runProgram = refuse } = watch;
  const helloId = crypto.randomUUID();
  const calls = new Map<string, PendingCall>();
  // Aborted calls that the runner has not given up yet, each with the timer that ends the patience with it.
  const aborted = new Map<string, ReturnType<typeof setTimeout>>();
  const deadlines = createDeadlines();
  let strays = 0;

  const end = (why: string, graceMs: number): Promise<void> => {
    const gone = link.end(graceMs);
    onGone(gone);
    aborted.forEach((timer) => clearTimeout(timer));
    aborted.clear();
    deadlines.close();
    const result = errorResult(`The tool process did not finish this call: ${why}. The next call gets a fresh process`);
    [...calls.values()].forEach((pending) => pending.settle(result));
    return gone;
  };

  const link = start({ onText: (text) => receive(text), onEnd: (why) => void end(why, 0) });

  const receive = (text: string): void => {
    try {
      const answer = readAnswer(text);
      if (answer.id === helloId) {
        if ("error" in answer) void end(answer.error, 0);
      } else if (!take(answer) && ++strays > MAX_STRAYS) {
        void end("it sent answers that nobody asked for", 0);
      }
    } catch (error) {
      void end(`it broke the protocol: ${messageOf(error)}`, 0);
    }
  };

  const programs = callPrograms(runProgram, (text) => link.send(text));

  /** Hands an answer to the call it belongs to; `false` where there is none. */
  const take = (answer: RunnerAnswer): boolean => {
    if ("op" in answer) return programs.take(answer) || aborted.has(answer.id);
    const pending = calls.get(answer.id);
    if ("update" in answer) {
      pending?.update(answer.update);
      return pending !== undefined || aborted.has(answer.id);
    }
    clearTimeout(aborted.get(answer.id));
    pending?.settle("ok" in answer ? answer.ok : errorResult(answer.error));
    return aborted.delete(answer.id) || pending !== undefined;
  };

  const run = ({ name, args, mayWrite = false }: RunnerCall, options: CallOptions): Promise<ToolResult> => {
    const { signal, onUpdate, deadlineMs = watch.deadlineMs } = options;
    const id = crypto.randomUUID();
    let request: string;
    try {
      request = messageText({ v: 1, id, op: "tool", name, args });
    } catch (error) {
      return Promise.resolve(errorResult(`Invalid arguments for ${name}: ${messageOf(error)}`));
    }
    let isAborted = false;
    return new Promise((resolve) => {
      const inTime = deadlines.start(deadlineMs, () => {
        const seconds = deadlineMs / 1000;
        pending.settle(errorResult(
          `${name} did not answer within ${seconds} s and was ended: there is no result, not even a part of one. ` +
            "Ask for less at once: a smaller folder, a simpler pattern. The next call gets a fresh process",
        ));
        void end("another call took too long", 0);
      });
      const abort = (): void => {
        isAborted = true;
        if (!mayWrite) pending.settle(ABORTED);
        aborted.set(id, setTimeout(() => void end("an aborted call kept it busy", 0), abortGraceMs));
        link.send(messageText({ v: 1, id: crypto.randomUUID(), op: "cancel", call: id }));
      };
      const pending = pendingCall(onUpdate, (result) => {
        inTime();
        signal.removeEventListener("abort", abort);
        calls.delete(id);
        programs.end(id);
        resolve(isAborted ? ABORTED : result);
      });
      calls.set(id, pending);
      if (name === "bash") programs.allow(id);
      warm();
      signal.addEventListener("abort", abort);
      link.send(request);
    });
  };

  let isGreeted = false;
  const warm = (): void => {
    if (isGreeted) return;
    isGreeted = true;
    // The copy of an object is an object.
    const hello = { v: 1, id: helloId, op: "hello", policy: cleanJson(policy) as JsonObject } as const;
    link.send(messageText(checkPaths === undefined ? hello : { ...hello, checkPaths }));
  };

  return { pid: link.pid, warm, run, end };
}

const ABORTED = errorResult("Operation aborted");

function refuse(): Promise<never> {
  return Promise.reject(new ToolError("no program may run"));
}

/** Shortest time between two partial results, milliseconds; the newest wins. */
const UPDATE_MS = 50;

/** A call whose result is still to come. Both take untrusted text and take control sequences out of it. */
export interface PendingCall {
  /** Shows partial output, a few times a second at most. */
  readonly update: (text: string) => void;
  /** Ends the call; only the first time counts, and no update follows. */
  readonly settle: (result: ToolResult) => void;
}

/** Watches over one call: updates are throttled, and it settles once. */
export function pendingCall(
  onUpdate: (partial: ToolResult) => void,
  onSettled: (result: ToolResult) => void,
): PendingCall {
  let settled = false;
  let newest: string | undefined;
  let pause: ReturnType<typeof setTimeout> | undefined;

  const flush = (): void => {
    pause = undefined;
    if (newest === undefined) return;
    const text = stripControls(newest);
    newest = undefined;
    pause = setTimeout(flush, UPDATE_MS);
    onUpdate(textResult(text));
  };

  return {
    update: (text) => {
      if (settled) return;
      newest = text;
      if (pause === undefined) flush();
    },
    settle: (result) => {
      if (settled) return;
      settled = true;
      clearTimeout(pause);
      const content = result.content.map((part) =>
        part.type === "text" ? { ...part, text: stripControls(part.text) } : part
      );
      onSettled(withDenial({ ...result, content }, claimIn(result.details), claimsIn(result.details)));
    },
  };
}

/** Most programs that one call may have running; an honest shell runs the parts of a pipe one after the other. */
const MOST = 8;

type Asked = Extract<RunnerAnswer, { readonly op: string }>;

/** The programs that the runner's calls asked for. */
export interface CallPrograms {
  /** From now on this call may ask. */
  allow(call: string): void;
  /** Takes a request; `false` for one of a call that may not ask, or not any more. Throws ProtocolError for a lie. */
  take(asked: Asked): boolean;
  /** The call is over, and so are its programs. */
  end(call: string): void;
}

/** Runs programs on behalf of calls; `send` carries their ends back. */
export function callPrograms(run: RunProgram, send: (text: string) => void): CallPrograms {
  const calls = new Map<string, Map<string, AbortController>>();

  const start = async (asked: Asked & { readonly op: "exec" }, own: Map<string, AbortController>): Promise<void> => {
    const { id, exec, program } = asked;
    const ending = new AbortController();
    own.set(exec, ending);
    let text: string;
    try {
      const outcome = await run(program, ending.signal);
      text = messageText({ v: 1, id: crypto.randomUUID(), op: "ended", exec, outcome });
    } catch (error) {
      text = messageText({ v: 1, id: crypto.randomUUID(), op: "refused", exec, why: messageOf(error) });
    }
    own.delete(exec);
    if (calls.get(id) === own) send(text);
  };

  return {
    allow: (call) => void calls.set(call, new Map()),
    take(asked) {
      const own = calls.get(asked.id);
      if (own === undefined) return false;
      if (asked.op === "stop") {
        own.get(asked.exec)?.abort();
        return true;
      }
      if (own.has(asked.exec)) throw new ProtocolError("a program with the name of another");
      if (own.size >= MOST) throw new ProtocolError("too many programs at once");
      void start(asked, own);
      return true;
    },
    end(call) {
      calls.get(call)?.forEach((ending) => ending.abort());
      calls.delete(call);
    },
  };
}
