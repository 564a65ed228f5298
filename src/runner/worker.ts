// The worker that holds the tools where the process itself cannot be narrowed: in the compiled binary, whose permissions
// are fixed, and in a host that may start no process. Its scoped permissions come from whoever starts it.
import { ProtocolError } from "../core/protocol.ts";
import { wholeToolsUnder } from "../../tools/table.ts";
import { openBulkLink } from "./files/bulk_link.ts";
import { openFiles } from "./files/files.ts";
import { serve } from "./serve.ts";
import { inProcessShell } from "./shell/shell.ts";
import { keepOutputClean, sendStdio, serveStdio } from "./stdio.ts";

/**
 * What this worker, in the runner's process, tells the thread that started it: it is ready to serve, it wants folders read, its
 * input has ended, or its input is not the protocol.
 */
export type FromWorker = "ready" | "asks" | "over" | "broken";

/** What it is told first: all that came over the pipe so far, and memory that it shares with a thread that reads for it. */
interface FromProcess {
  readonly chunks: readonly Uint8Array[];
  readonly memory?: SharedArrayBuffer;
}

/** The part of a worker's global scope in use; the program is checked against the types of a window. */
interface WorkerScope {
  postMessage(message: string): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

// This module runs in a worker only, where the global scope has both.
const scope = globalThis as unknown as WorkerScope;
keepOutputClean();
const parts = { tools: wholeToolsUnder, openFiles, openShell: inProcessShell };
const tell = (word: FromWorker): void => scope.postMessage(word);

// In the runner's process the first message is what came over the pipe so far, and the pipe is this thread's from then on.
// In the host the messages themselves come this way.
scope.onmessage = ({ data: first }) => {
  if (typeof first === "object") return void servePipe(first);
  const { receive } = serve({ ...parts, send: (text) => scope.postMessage(text) });
  scope.onmessage = ({ data }) => receive(String(data));
  receive(String(first));
};

async function servePipe({ chunks, memory }: FromProcess): Promise<void> {
  const bulk = memory && openBulkLink(memory, () => tell("asks"));
  const openWith: typeof openFiles = (policy, options) => openFiles(policy, { ...options, ...(bulk && { bulk }) });
  let greeted = false;
  const send = (text: string): void => {
    sendStdio(text);
    if (!greeted) tell("ready");
    greeted = true;
  };
  try {
    await serveStdio(serve({ ...parts, openFiles: openWith, send }), chunks);
    tell("over");
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    console.error(`the host broke the protocol: ${error.message}`);
    tell("broken");
  }
}
