import { messageText, ProtocolError, readRequest, type RunnerAnswer, type RunnerRequest } from "../core/protocol.ts";
import { messageOf } from "../core/error.ts";
import type { Files, Tool } from "../core/tool.ts";
import type { Policy } from "../core/policy.ts";
import { dispatch } from "./dispatch.ts";
import { readPolicy } from "./policy_message.ts";

/** What the serving side is made of; tests put their own tools in. */
export interface Serving {
  readonly tools: readonly Tool[];
  readonly openFiles: (policy: Policy, options: { readonly checkPaths?: boolean }) => Files;
  /** Carries one message text to the host. */
  readonly send: (text: string) => void;
}

/** What `hello` opens and every call uses. */
interface Session {
  readonly policy: Policy;
  readonly files: Files;
}

/**
 * The runner's end of the protocol: give it each message text as it arrives.
 *
 * Calls run side by side. Throws `ProtocolError` for what is no request; the channel is useless then.
 */
export function serve({ tools, openFiles, send }: Serving): (text: string) => void {
  let session: Session | undefined;
  const calls = new Map<string, AbortController>();

  const answer = (message: RunnerAnswer): void => {
    let text: string;
    try {
      text = messageText(message);
    } catch (error) {
      // Only a result can be too large or hold what JSON cannot carry.
      text = messageText({ v: 1, id: message.id, error: `The result cannot be sent: ${messageOf(error)}` });
    }
    send(text);
  };

  const hello = ({ id, policy: given, checkPaths }: RunnerRequest & { op: "hello" }): void => {
    if (session) throw new ProtocolError("a second hello");
    const policy = readPolicy(given);
    session = { policy, files: openFiles(policy, checkPaths === undefined ? {} : { checkPaths }) };
    answer({ v: 1, id, ok: { content: [] } });
  };

  const run = async (within: Session, { id, name, args }: RunnerRequest & { op: "tool" }): Promise<void> => {
    const ending = new AbortController();
    calls.set(id, ending);
    const { signal } = ending;
    const update = (text: string): void => {
      if (calls.get(id) === ending) answer({ v: 1, id, update: text });
    };
    const result = await dispatch(tools, { name, args }, { ...within, signal, update });
    calls.delete(id);
    answer({ v: 1, id, ok: result });
  };

  return (text) => {
    const request = readRequest(text);
    switch (request.op) {
      case "hello":
        return hello(request);
      case "cancel":
        return calls.get(request.call)?.abort();
      case "tool":
        if (!session) throw new ProtocolError("a call before hello");
        if (calls.has(request.id)) throw new ProtocolError("a call with the id of another");
        void run(session, request);
    }
  };
}
