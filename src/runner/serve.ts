import { messageText, ProtocolError, readRequest, type RunnerAnswer, type RunnerRequest } from "../core/protocol.ts";
import { messageOf, ToolError } from "../core/error.ts";
import type { ProgramOutcome, RunProgram } from "../core/runner.ts";
import { argsOf, type Files, loadZod, type Shell, type Tool } from "../core/tool.ts";
import type { Policy } from "../core/policy.ts";
import { dispatch } from "./dispatch.ts";
import { readPolicy } from "./policy_message.ts";
import type { ShellParts } from "./shell/shell.ts";

/** What the serving side is made of; tests put their own tools in. */
export interface Serving {
  /** The tools under the policy that `hello` brings. */
  readonly tools: (policy: Policy) => readonly Tool[];
  readonly openFiles: (policy: Policy, options: { readonly checkPaths?: boolean }) => Files;
  /** The in-process shell of a call; without it no tool gets one. */
  readonly openShell?: (parts: ShellParts) => Shell;
  /** Carries one message text to the host. */
  readonly send: (text: string) => void;
}

/** The runner's end of the protocol. */
export interface Server {
  /** Takes each message text as it arrives. Throws `ProtocolError` for what is no request; the channel is useless then. */
  readonly receive: (text: string) => void;
  /** Whether no call is under way. */
  readonly isIdle: () => boolean;
  /** Loads and rehearses what a call needs, so that the first one does not wait for it. Changes nothing, never rejects. */
  readonly warm: () => Promise<void>;
}

/** What `hello` opens and every call uses. */
interface Session {
  readonly tools: readonly Tool[];
  readonly policy: Policy;
  readonly files: Files;
}

/** Opens the runner's end of the protocol; calls run side by side. */
export function serve({ tools, openFiles, openShell, send }: Serving): Server {
  let session: Session | undefined;
  const calls = new Map<string, AbortController>();
  const programs = new Map<string, PromiseWithResolvers<ProgramOutcome>>();

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
    session = {
      tools: tools(policy),
      policy,
      files: openFiles(policy, checkPaths === undefined ? {} : { checkPaths }),
    };
    answer({ v: 1, id, ok: { content: [] } });
  };

  /** Asks the host for programs on behalf of a call. */
  const runProgramFor = (id: string): RunProgram => async (program, signal) => {
    const exec = crypto.randomUUID();
    const waiting = Promise.withResolvers<ProgramOutcome>();
    const stop = (): void => {
      answer({ v: 1, id, op: "stop", exec });
      waiting.reject(new ToolError("it was ended"));
    };
    signal.throwIfAborted();
    programs.set(exec, waiting);
    signal.addEventListener("abort", stop);
    try {
      send(messageText({ v: 1, id, op: "exec", exec, program }));
      return await waiting.promise;
    } finally {
      programs.delete(exec);
      signal.removeEventListener("abort", stop);
    }
  };

  const run = async (within: Session, { id, name, args }: RunnerRequest & { op: "tool" }): Promise<void> => {
    const ending = new AbortController();
    calls.set(id, ending);
    const { signal } = ending;
    const update = (text: string): void => {
      if (calls.get(id) === ending) answer({ v: 1, id, update: text });
    };
    const { policy, files } = within;
    const shell = openShell?.({ policy, files, runProgram: runProgramFor(id) });
    const context = { policy, files, ...(shell ? { shell } : {}), signal, update };
    const result = await dispatch(within.tools, { name, args }, context);
    calls.delete(id);
    answer({ v: 1, id, ok: result });
  };

  const receive = (text: string): void => {
    const request = readRequest(text);
    switch (request.op) {
      case "hello":
        return hello(request);
      case "cancel":
        return calls.get(request.call)?.abort();
      case "tool":
        if (!session) throw new ProtocolError("a call before hello");
        if (calls.has(request.id)) throw new ProtocolError("a call with the id of another");
        return void run(session, request);
      case "ended":
        return programs.get(request.exec)?.resolve(request.outcome);
      case "refused":
        return programs.get(request.exec)?.reject(new ToolError(request.why));
    }
  };

  const warm = async (): Promise<void> => {
    try {
      await loadZod();
      if (!session) return;
      const { tools, policy, files } = session;
      for (const tool of tools) if (tool.place === "runner") await argsOf(tool);
      // Reading a folder as a file fails after one stat; the failure is the rehearsal's and is not reported.
      const { signal } = new AbortController();
      await dispatch(tools, { name: "read", args: { path: policy.root } }, { policy, files, signal, update: () => {} });
    } catch {
      // The call that needs it reports the failure.
    }
  };

  return { receive, isIdle: () => calls.size === 0, warm };
}
