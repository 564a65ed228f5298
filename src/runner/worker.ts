// The worker that holds the tools where the process itself cannot be narrowed: in the compiled binary, whose permissions
// are fixed, and in a host that may start no process. Its scoped permissions come from whoever starts it.
import { toolsUnder } from "../../tools/mod.ts";
import { openFiles } from "./files.ts";
import { keepOutputClean } from "./output.ts";
import { serve } from "./serve.ts";
import { inProcessShell } from "./shell.ts";

/** The part of a worker's global scope in use; the program is checked against the types of a window. */
interface WorkerScope {
  postMessage(text: string): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

// This module runs in a worker only, where the global scope has both.
const scope = globalThis as unknown as WorkerScope;
keepOutputClean();
const receive = serve({
  tools: toolsUnder,
  openFiles,
  openShell: inProcessShell,
  send: (text) => scope.postMessage(text),
});
scope.onmessage = ({ data }) => receive(String(data));
