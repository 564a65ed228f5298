import { deframer, frame } from "../core/framing.ts";
import { ProtocolError, readRequest, workerPermissions } from "../core/protocol.ts";
import { keepOutputClean } from "./output.ts";
import { readPolicy } from "./policy_message.ts";

/** Exit code for a host that does not speak the protocol (sysexits: EX_PROTOCOL). */
const EXIT_PROTOCOL = 76;

/** Carries a message text to the side that serves. */
type Receive = (text: string) => void;

/** Whether this process was started with the scope as its permission flags: those never let it start a program. */
function isNarrow(): boolean {
  return Deno.permissions.querySync({ name: "run" }).state !== "granted";
}

/**
 * The body of `main.ts --internal-runner`: serves the tools over standard input and output until the input ends.
 *
 * A process that has the scope as its permission flags serves itself. Where it has all permissions, as in the compiled
 * binary, a worker with the scope serves, and this thread keeps none.
 */
export async function runRunner(): Promise<void> {
  keepOutputClean();
  const messages = deframer();
  let receive: Receive | undefined;
  try {
    for await (const bytes of Deno.stdin.readable) {
      for (const text of messages(bytes)) {
        receive ??= isNarrow() ? await serveHere() : startWorker(text);
        receive(text);
      }
    }
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    console.error(`the host broke the protocol: ${error.message}`);
    Deno.exit(EXIT_PROTOCOL);
  }
  // The host is gone or done. Calls under way have nobody left to answer to.
  Deno.exit(0);
}

async function serveHere(): Promise<Receive> {
  const [{ toolsUnder }, { openFiles }, { serve }, { inProcessShell }] = await Promise.all([
    import("../../tools/mod.ts"),
    import("./files.ts"),
    import("./serve.ts"),
    import("./shell.ts"),
  ]);
  return serve({ tools: toolsUnder, openFiles, openShell: inProcessShell, send });
}

function startWorker(text: string): Receive {
  const hello = readRequest(text);
  if (hello.op !== "hello") throw new ProtocolError("the first message is not hello");
  let dropped = false;
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    type: "module",
    name: "tools",
    deno: { permissions: workerPermissions(readPolicy(hello.policy)) },
  });
  worker.onmessage = ({ data }) => {
    // Not before its first answer: until then the worker's modules are loaded with this thread's permissions.
    if (!dropped) dropPermissions();
    dropped = true;
    send(String(data));
  };
  // Without its worker the process is of no use, and the host starts another.
  worker.onerror = ({ message }) => {
    console.error(message);
    Deno.exit(EXIT_PROTOCOL);
  };
  return (message) => worker.postMessage(message);
}

/** What is revoked from a thread under `-A` is gone from it for good; the worker keeps its own set. */
function dropPermissions(): void {
  for (const name of ["read", "write", "net", "env", "run", "sys", "ffi", "import"] as const) {
    Deno.permissions.revokeSync({ name });
  }
}

/** Writes one message. Blocks while the pipe is full, which holds back a tool that produces faster than the host reads. */
function send(text: string): void {
  for (const line of frame(text)) {
    for (let done = 0; done < line.length;) done += Deno.stdout.writeSync(line.subarray(done));
  }
}
