import { messageOf, UserError } from "../../core/error.ts";
import type { Policy } from "../../core/policy.ts";
import { workerPermissions } from "../../core/protocol.ts";
import type { StartLink } from "./link.ts";

/**
 * The runner as a worker inside the host, for the level `permissions`: no process is needed, Deno's permissions alone
 * bound it, and it shares the host's memory limits.
 *
 * A scope wider than the host's own is a `UserError` (R465).
 */
export function workerLink(policy: Policy, script: URL): StartLink {
  return ({ onText, onEnd }) => {
    const worker = startWorker(policy, script);
    let ended = false;
    const end = (): void => {
      ended = true;
      worker.terminate();
    };
    const fail = (why: string): void => {
      if (ended) return;
      end();
      onEnd(why);
    };
    worker.onmessage = ({ data }) => {
      if (ended) return;
      if (typeof data === "string") onText(data);
      else fail("it sent something that is no message");
    };
    worker.onmessageerror = () => fail("it sent something that cannot be read");
    worker.onerror = (event) => {
      // Without this the host would end with its worker.
      event.preventDefault();
      fail(`it crashed (${event.message})`);
    };
    return {
      pid: undefined,
      send: (text) => worker.postMessage(text),
      end: () => Promise.resolve(end()),
    };
  };
}

function startWorker(policy: Policy, script: URL): Worker {
  try {
    return new Worker(script, { type: "module", name: "tools", deno: { permissions: workerPermissions(policy) } });
  } catch (error) {
    throw new UserError({
      what: "Cannot start the tools with the scope that was asked for",
      why: `it is wider than the program's own permissions (${messageOf(error)})`,
      fix: "Ask for less with --allow-read and --allow-write, or start the program itself with these permissions",
      exitCode: 3,
    }, { cause: error });
  }
}
