// The runner as it is recorded: each of its threads alone, in the recorder's own process, which nothing confines. Both do what
// they do at a start, so that V8's caches hold the functions that a start needs.
import type { JsonObject } from "../../src/core/json.ts";
import type { Policy } from "../../src/core/policy.ts";
import { frame } from "../../src/core/framing.ts";
import { cleanJson, messageText } from "../../src/core/protocol.ts";

/** Makes what the runner's first thread needs: a greeting on standard input, and a worker that is done at once. */
export function actAsRunner(folder: string): void {
  const [greeting = new Uint8Array()] = messages(folder);
  Deno.stdin.readSync = (buffer) => {
    buffer.set(greeting);
    return greeting.length;
  };
  globalThis.Worker = class extends EventTarget {
    onmessage: ((event: MessageEvent) => void) | null = null;
    postMessage(): void {
      setTimeout(() => this.onmessage?.(new MessageEvent("message", { data: "over" })), DONE_AFTER_MS);
    }
  } as unknown as typeof Worker; // all of it that the runner uses
}

/** What the first thread does beside its worker takes some milliseconds. */
const DONE_AFTER_MS = 100;

/** Lets the worker's module, once it is loaded, serve a greeting and one call of each tool; its input is at its end then. */
export function serveAsWorker(folder: string, load: () => void): void {
  // A window has neither: the worker's thread does.
  const scope = globalThis as unknown as { postMessage: () => void; onmessage?: (event: object) => void };
  scope.postMessage = () => {};
  Deno.writeTextFileSync(`${folder}/a.txt`, "one\ntwo\n");
  load();
  scope.onmessage?.({ data: { chunks: messages(folder) } });
}

/** The greeting, then the calls. */
function messages(folder: string): readonly Uint8Array<ArrayBuffer>[] {
  const scope = { all: false, list: [folder] };
  const nothing = { all: false, list: [] };
  const policy: Policy = {
    ...{ root: folder, home: "/nobody", tmp: folder, cache: folder, read: scope, write: scope, run: nothing },
    ...{ net: nothing, env: {}, denyRead: [`${folder}/denied`], denyWrite: [], protected: [], sandbox: "kernel" },
    limits: {
      ...{ bashTimeoutMs: 120_000, bashMaxTimeoutMs: 600_000, outputBytes: 65_536, outputLines: 2_000 },
      ...{ fileBytes: 2 ** 32, openFiles: 4_096, processes: 512, memoryBytes: 2 ** 31 },
    },
  };
  const calls: readonly (readonly [string, JsonObject])[] = [
    ["write", { path: "b.txt", content: "new\n" }],
    ["read", { path: "a.txt" }],
    ["edit", { path: "a.txt", edits: [{ oldText: "one", newText: "three" }] }],
    ["ls", { path: "." }],
    ["find", { pattern: "*.txt" }],
    ["grep", { pattern: "two" }],
  ];
  // The copy of an object is an object.
  const hello = messageText({ v: 1, id: "hello", op: "hello", policy: cleanJson(policy) as JsonObject });
  const requests = calls.map(([name, args]) => messageText({ v: 1, id: name, op: "tool", name, args }));
  return [hello, ...requests].flatMap(frame);
}
