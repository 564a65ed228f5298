import { untouchedFiles } from "../../../src/sandbox/names/named_files.ts";
import type { AgentMessage } from "../../../src/core/message.ts";
import { createSession } from "../../../src/session/store.ts";

/** Makes a session of so many messages for a workspace in a folder; its file. */
export function longSession(ws: string, folder: string, messages: number): string {
  const onFailure = (failure: Error): void => {
    throw failure;
  };
  const store = createSession({ cwd: Deno.realPathSync(ws), folder }, {
    now: Date.now,
    random: Math.random,
    files: untouchedFiles,
    onFailure,
  });
  for (let index = 0; index < messages; index++) store.append({ type: "message", message: messageAt(index) });
  store.close();
  if (store.path === undefined) throw new Error("the session store made no file");
  return store.path;
}

function messageAt(index: number): AgentMessage {
  const timestamp = Date.now();
  if (index % 2 === 0) return { role: "user", content: `Question ${index}`, timestamp };
  const text = `# Answer ${index}\n\n${"Some words with `code` and **more** of them follow here.\n\n".repeat(5)}`;
  const content = [{ type: "text", text }] as const;
  return { role: "assistant", content, provider: "chat", model: "bench", stopReason: "stop", timestamp };
}
