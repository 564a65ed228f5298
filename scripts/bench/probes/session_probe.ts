// The session store in a process of its own. Prints milliseconds as JSON.
//   deno run session_probe.ts append FOLDER COUNT | resume FILE
import { untouchedFiles } from "../../../src/sandbox/names/named_files.ts";
import type { AgentMessage } from "../../../src/core/message.ts";
import { buildContext } from "../../../src/session/context.ts";
import { createSession } from "../../../src/session/store.ts";
import { openSession } from "../../../src/session/reopen.ts";

const [what, place = "", count = "0"] = Deno.args;
const options = {
  now: Date.now,
  random: Math.random,
  files: untouchedFiles,
  onFailure: (failure: Error): void => {
    throw failure;
  },
};
console.log(JSON.stringify(what === "append" ? append(Number(count)) : resume()));

/** Appends a conversation of reads and answers, each message timed by itself. */
function append(count: number): { readonly path: string | undefined; readonly times: readonly number[] } {
  const store = createSession({ cwd: "/", folder: place }, options);
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const message = messageAt(i);
    const before = performance.now();
    store.append({ type: "message", message });
    times.push(performance.now() - before);
  }
  store.close();
  return { path: store.path, times };
}

/** From the file to the messages of the next request. */
function resume(): { readonly ms: number; readonly messages: number } {
  const before = performance.now();
  const store = openSession(place, options);
  const { messages } = buildContext(store);
  const ms = performance.now() - before;
  store.close();
  return { ms, messages: messages.length };
}

function messageAt(i: number): AgentMessage {
  const timestamp = Date.now();
  const [round, step] = [Math.floor(i / 3), i % 3];
  if (i === 0) return { role: "user", content: "Read the notes one after another", timestamp };
  if (step === 2) {
    const text = `MARK-${round} note number ${round}\n${"The quick brown fox jumps over the lazy dog.\n".repeat(4)}`;
    const content = [{ type: "text", text }] as const;
    return { role: "toolResult", toolCallId: `call_${round}`, toolName: "read", content, isError: false, timestamp };
  }
  if (step === 0) return { role: "user", content: `And now number ${round}, please`, timestamp };
  const call = { type: "toolCall", id: `call_${round}`, name: "read", arguments: { path: `f${round}.txt` } } as const;
  const usage = { input: 1000, output: 20, cacheRead: 900, cacheWrite: 0, totalTokens: 1020 };
  const content = [{ type: "text", text: "Reading it." } as const, call];
  return { role: "assistant", content, provider: "chat", model: "bench", usage, stopReason: "toolUse", timestamp };
}
