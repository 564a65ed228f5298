import { messageOf } from "../../core/error.ts";
import type { HostActions } from "../../core/host_actions.ts";
import type { ExtensionFiles } from "../../core/extension_files.ts";
import type { ExtensionState } from "../../core/hook.ts";
import { within } from "../../core/support/sleep.ts";
import { openCalls } from "./calls.ts";
import { contextDelta } from "../events/context_delta.ts";
import { type Extension, NO_REGISTRATION, type Registration } from "../events/extension.ts";
import { frameText, type HostOp, type LoadOrder, readFrame } from "./frame.ts";
import { MAX_UNITS, readJson } from "../events/json_text.ts";
import { readOutcomes, readToolResult } from "../events/outcome.ts";
import { readRegistration } from "../events/registration_shape.ts";
import { answerFileCall } from "../files/host.ts";
import { openActions } from "./worker_actions.ts";
import type { StartLink } from "./link.ts";

/** Unsolicited messages a second that a worker may send; more count as a flood. */
const MESSAGES_PER_SECOND = 5000;

/** How much a call of a file function counts among them: its own side sends few at a time, and waits for the answers. */
const FILE_WEIGHT = 0.1;

/** How long a tool or command may go on after an abort. */
const GRACE_MS = 2000;

/** Longest times, milliseconds; those of events are in the event table. */
export interface WorkerLimits {
  /** From the worker's start until the extension's factory returned, compiling not counted. */
  readonly loadMs: number;
  readonly toolMs: number;
  readonly commandMs: number;
  /** Upper bound of the limits of events. */
  readonly eventMs: number;
}

/** All that a worker for one extension is started with. */
export interface WorkerOptions {
  readonly state: ExtensionState;
  readonly permissions: Deno.PermissionOptionsObject;
  readonly order: LoadOrder;
  readonly host: HostActions;
  /** Runs its file functions. */
  readonly files: ExtensionFiles;
  readonly limits: WorkerLimits;
  readonly startLink: StartLink;
  readonly onLog: (level: "info" | "warning" | "error", text: string) => void;
  /** The JSON text of what compiling made, before anything of the extension has run. */
  readonly onCompiled: (modules: string) => void;
  /** The extension did something unasked before its first call: it asked, printed or registered again. */
  readonly onUnasked: () => void;
  /** Called before anything of the extension runs. */
  readonly onStarted: (worker: WatchedWorker) => void;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** A worker that can be asked for its memory and be ended. */
export interface WatchedWorker {
  /** Bytes of its heap and buffers; rejects when it does not answer in time. */
  probe(limitMs: number): Promise<number>;
  /** Ends it for a reason that people read; does nothing when it has ended. */
  lose(why: string): void;
  hasEnded(): boolean;
}

/** Starts a worker and loads an extension in it; ends it and rejects when that fails. */
export async function loadInWorker(options: WorkerOptions): Promise<Extension> {
  const { state: { name }, limits, now } = options;
  const listeners: (() => void)[] = [];
  let registration: Registration = NO_REGISTRATION;
  let lost: string | undefined;
  /** Messages of the last context event, which the worker has. */
  let sent: readonly string[] = [];
  let isClosed = false;
  let wasCalled = false;
  let second = 0;
  let messages = 0;
  const calls = openCalls((ms) => lose(`it did not answer in time (${Math.round(ms)} ms)`), now);
  const link = options.startLink(options.permissions, {
    onMessage: (data) => receive(data),
    onEnd: (why) => lose(why),
  });
  const send = (op: HostOp, id: number, body: string): void => link.send(frameText({ op, id, body }));
  const actions = openActions({
    extension: name,
    host: options.host,
    send: (op, id, body) => {
      if (lost === undefined && !isClosed) send(op, id, body);
    },
    onWaiting: (isWaiting) => isWaiting ? calls.pause() : calls.resume(),
  });

  const end = (error: Error): void => {
    link.end();
    calls.fail(error);
    actions.end();
  };
  const lose = (why: string): void => {
    if (lost !== undefined || isClosed) return;
    lost = why;
    end(new Error(why));
    for (const listener of listeners) listener();
  };

  /** Whatever arrives is untrusted: a message that the worker's own side never sends costs the worker. */
  const receive = (data: unknown): void => {
    if (lost !== undefined || isClosed) return;
    const frame = readFrame(data);
    if (!frame) return lose("it sent something that is no message");
    if (frame.body.length > MAX_UNITS + 1000) return lose("it sent a message that is too large");
    // Each call is answered once, however fast the calls come: only what comes unasked can be too much.
    if (calls.settle(frame.id, frame.op, frame.body)) return;
    const isFile = frame.op === "file" || frame.op === "filenow";
    const current = Math.floor(now() / 1000);
    messages = current === second ? messages + (isFile ? FILE_WEIGHT : 1) : 0;
    second = current;
    if (messages > MESSAGES_PER_SECOND) return lose("it sent too many messages");
    try {
      if (!take(frame.op, frame.id, frame.body)) lose("it answered something that nobody had asked");
    } catch (error) {
      lose(messageOf(error));
    }
  };
  const take = (op: string, id: number, body: string): boolean => {
    if (op === "update") return calls.update(id, body);
    if (!wasCalled) options.onUnasked();
    switch (op) {
      case "file":
        send("reply", id, answerFileCall(body, options.files));
        return true;
      case "filenow":
        link.wake(answerFileCall(body, options.files));
        return true;
      case "action":
        actions.begin(id, body);
        return true;
      case "cancel":
        actions.cancel(id);
        return true;
      case "registered":
        registration = readRegistration(readJson(body));
        for (const listener of listeners) listener();
        return true;
      case "log": {
        const [level = "", text = ""] = [body.slice(0, body.indexOf("\n")), body.slice(body.indexOf("\n") + 1)];
        options.onLog(level === "error" || level === "warning" ? level : "info", text.slice(0, 4000));
        return true;
      }
      default:
        return false;
    }
  };
  const call = (
    op: HostOp,
    body: string,
    limitMs: number,
    takes = "done",
    signal?: AbortSignal,
    onUpdate?: (body: string) => void,
  ): Promise<string> => {
    if (lost !== undefined || isClosed) return Promise.reject(new Error(lost ?? "it is closed"));
    if (op === "emit" || op === "tool" || op === "command") wasCalled = true;
    const { id, answer } = calls.open(limitMs, takes, onUpdate);
    send(op, id, body);
    if (!signal) return answer;
    const onAbort = (): void => {
      if (lost !== undefined || isClosed) return;
      send("abort", id, "");
      // An event's handlers keep their limit.
      if (op === "emit") calls.leave(id, new Error("the run was stopped"));
      else calls.hurry(id, GRACE_MS);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    return answer.finally(() => signal.removeEventListener("abort", onAbort));
  };

  const keep = (compiled: string): void => {
    if (compiled !== "") options.onCompiled(compiled);
  };
  options.onStarted({
    probe: async (limitMs) => {
      // Tools and commands have no time limit of their own: a worker must not be ended for being busy.
      const answer = await within(limitMs, call("probe", "", 2 ** 31 - 1, "memory"));
      if (answer === undefined) throw new Error("no answer");
      return Number(answer);
    },
    lose,
    hasEnded: () => lost !== undefined || isClosed,
  });
  try {
    const run = (): Promise<string> => call("run", "", limits.loadMs, "loaded");
    const compiling = call("load", JSON.stringify(options.order), 30_000, "compiled");
    // What needs no compiling runs at once: this thread is busy starting the next worker when the answer comes.
    const running = options.order.isSource
      ? compiling.then(keep).then(run)
      : Promise.all([run(), compiling]).then(([text]) => text);
    registration = readRegistration(readJson(await running));
  } catch (error) {
    isClosed = true;
    end(new Error("it is not loaded"));
    throw error;
  }
  return {
    name,
    state: () => ({ ...options.state, ...(lost === undefined ? {} : { lost }) }),
    registration: () => registration,
    emit: async (event, { text, messages }, limitMs, signal) => {
      let body = messages ? "" : text();
      if (messages) {
        body = contextDelta(sent, messages);
        sent = messages;
      }
      const limit = Math.min(limitMs, limits.eventMs);
      return readOutcomes(await call("emit", `${event}\n${body}`, limit, "done", signal));
    },
    runTool: async (tool, args, callId, signal, onUpdate) => {
      const body = JSON.stringify({ name: tool, args, callId });
      const update = (partial: string): void => onUpdate(readToolResult(partial));
      return readToolResult(await call("tool", body, limits.toolMs, "done", signal, update));
    },
    runCommand: async (command, args, signal) => {
      await call("command", `${command}\n${args}`, limits.commandMs, "done", signal);
    },
    setFlags: (values) => {
      if (lost === undefined && !isClosed) send("flags", 0, JSON.stringify(values));
    },
    onChange: (listener) => void listeners.push(listener),
    close: () => {
      if (lost === undefined && !isClosed) {
        isClosed = true;
        end(new Error("it is closed"));
      }
    },
  };
}
