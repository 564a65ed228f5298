// A runner in a worker that breaks the rules: the tool's name in a call says how.
import { readRequest } from "../../../src/core/protocol.ts";

// This module runs in a worker only, where the global scope has both.
const scope = globalThis as unknown as {
  postMessage(value: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
};

scope.onmessage = ({ data }) => {
  const request = readRequest(data);
  if (request.op !== "tool") return;
  const { id, name } = request;
  if (name === "honest") {
    scope.postMessage(JSON.stringify({ v: 1, id, ok: { content: [{ type: "text", text: "true" }] } }));
  }
  if (name === "object") scope.postMessage({ v: 1, id, ok: { content: [] } });
  if (name === "crash") throw new Error("on purpose");
  if (name === "spin") { for (;;); }
  if (name === "leave") Deno.exit(3);
};
