// Stands in for the runner's worker, with nothing in it but the probe.
import { messageText, readRequest } from "../../src/core/protocol.ts";
import { probe } from "./probe.ts";

// This module runs in a worker only, where the global scope has both.
const scope = globalThis as unknown as {
  postMessage(text: string): void;
  onmessage: ((event: MessageEvent) => void) | null;
};
scope.onmessage = async ({ data }) => {
  const request = readRequest(data);
  if (request.op !== "tool") return;
  const found = JSON.stringify(await probe(String(request.args["outside"])));
  scope.postMessage(messageText({ v: 1, id: request.id, ok: { content: [{ type: "text", text: found }] } }));
};
