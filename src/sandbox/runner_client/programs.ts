import { messageOf } from "../../core/error.ts";
import { messageText, ProtocolError, type RunnerAnswer } from "../../core/protocol.ts";
import type { RunProgram } from "../../core/program.ts";

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
