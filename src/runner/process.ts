import { deframer } from "../core/framing.ts";
import { CONFINED_LEVELS, type Policy } from "../core/policy.ts";
import { ProtocolError, readRequest, workerPermissions } from "../core/protocol.ts";
import { answerBulk, bulkMemory, type BulkReader } from "./files/bulk_link.ts";
import { readPolicy } from "./policy_message.ts";
import { keepOutputClean, sendStdio, serveStdio } from "./stdio.ts";
import type { FromWorker } from "./worker.ts";

/** Exit code for a host that does not speak the protocol (sysexits: EX_PROTOCOL). */
const EXIT_PROTOCOL = 76;

/** A worker that is busy does not see its input end: how often its process looks whether the host is still there. */
const ORPHAN_MS = 2_000;

/** Whether this process was started with the scope as its permission flags: those never let it start a program. */
function isNarrow(): boolean {
  return Deno.permissions.querySync({ name: "run" }).state !== "granted";
}

/**
 * The body of `--internal-runner`: serves the tools over standard input and output until the input ends.
 *
 * A process that has the scope as its permission flags serves itself. Where it has all permissions, as in the compiled
 * binary, a worker with the scope serves, and this thread keeps none; where the kernel confines both, it reads folders for
 * the worker.
 */
export async function runRunner(): Promise<void> {
  keepOutputClean();
  try {
    if (!isNarrow()) return startWorker();
    await serveHere();
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    console.error(`the host broke the protocol: ${error.message}`);
    Deno.exit(EXIT_PROTOCOL);
  }
  // The host is gone or done. Calls under way have nobody left to answer to.
  Deno.exit(0);
}

async function serveHere(): Promise<void> {
  const [{ wholeToolsUnder }, { openFiles }, { serve }, { inProcessShell }] = await Promise.all([
    import("../../tools/table.ts"),
    import("./files/files.ts"),
    import("./serve.ts"),
    import("./shell/shell.ts"),
  ]);
  await serveStdio(serve({ tools: wholeToolsUnder, openFiles, openShell: inProcessShell, send: sendStdio }), []);
}

/** Reads the scope from the first message, and leaves the pipe with all that it read to a worker of that scope. */
function startWorker(): void {
  const messages = deframer();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let text: string | undefined;
  while (text === undefined) {
    const buffer = new Uint8Array(64 * 1024);
    const count = Deno.stdin.readSync(buffer);
    if (count === null) Deno.exit(0);
    chunks.push(buffer.subarray(0, count));
    text = messages(buffer.subarray(0, count))[0];
  }
  const hello = readRequest(text);
  if (hello.op !== "hello") throw new ProtocolError("the first message is not hello");
  const policy = readPolicy(hello.policy);
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    type: "module",
    name: "tools",
    deno: { permissions: workerPermissions(policy) },
  });
  const memory = CONFINED_LEVELS.has(policy.sandbox) && hello.checkPaths !== false ? bulkMemory() : undefined;
  worker.postMessage({ chunks, memory });
  // While the worker starts; its functions stay when the permissions go.
  const opening = memory ? openReader(policy) : Promise.resolve(undefined);
  worker.onmessage = async ({ data }: MessageEvent<FromWorker>) => {
    if (data === "asks") {
      const reader = await opening;
      if (memory) answerBulk(memory, (...asked) => reader?.(...asked) ?? -1);
      return;
    }
    // Not before its first answer: until then the worker's modules are loaded with this thread's permissions.
    if (data === "ready") void opening.then(dropPermissions);
    else Deno.exit(data === "over" ? 0 : EXIT_PROTOCOL);
  };
  // Without its worker the process is of no use, and the host starts another.
  worker.onerror = ({ message }) => {
    console.error(message);
    Deno.exit(EXIT_PROTOCOL);
  };
  const host = Deno.ppid;
  setInterval(() => {
    if (Deno.ppid !== host) Deno.exit(0);
  }, ORPHAN_MS);
}

/** Its code is loaded here, since the worker should start before. */
async function openReader(policy: Policy): Promise<BulkReader | undefined> {
  const { openBulkReader } = await import("./files/bulk_reader.ts");
  return openBulkReader(policy);
}

/** What is revoked from a thread under `-A` is gone from it for good; the worker keeps its own set. */
function dropPermissions(): void {
  for (const name of ["read", "write", "net", "env", "run", "sys", "ffi", "import"] as const) {
    Deno.permissions.revokeSync({ name });
  }
}
