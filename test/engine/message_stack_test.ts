import { untouchedFiles } from "../../src/sandbox/names/named_files.ts";
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { NewEntry } from "../../src/core/session.ts";
import { createSession } from "../../src/session/store.ts";
import { sessionsFolder } from "../../src/session/folder.ts";
import { textReply } from "../helpers/server.ts";
import { brought } from "./brought.ts";
import { withServer } from "./wire.ts";

const reply = (text: string) => ({ events: textReply(text) });
const shown = (messages: readonly { role: string; content: unknown }[]) =>
  messages.map(({ role, content }) => role === "system" ? role : `${role}: ${content}`);

/** A place with a session in it whose clock was read an hour ago. */
function withOldSession(entries: readonly NewEntry[], work: (at: { ws: string; home: string }) => Promise<void>) {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-stack-" }));
  const at = { ws: `${top}/ws`, home: `${top}/home` };
  const folder = sessionsFolder(`${at.home}/.sandpiper/agent`, at.ws);
  Deno.mkdirSync(folder, { recursive: true });
  let now = Date.now() - 3_600_000;
  const options = {
    now: () => now++,
    random: Math.random,
    files: untouchedFiles,
    onFailure: () => {},
    onNotice: () => {},
  };
  const store = createSession({ cwd: at.ws, folder }, options);
  const runtime = { dateTime: "THE OLD TIME", cwd: at.ws, os: "linux x86_64" };
  store.append({ type: "custom", customType: "runtime", data: { runtime, at: now } });
  for (const entry of entries) store.append(entry);
  store.close();
  return work(at).finally(() => Deno.removeSync(top, { recursive: true }));
}

const said = (content: string): NewEntry => ({ type: "message", message: { role: "user", content, timestamp: 1 } });
const answered = (text: string): NewEntry => ({
  type: "message",
  message: {
    role: "assistant",
    content: [{ type: "text", text }],
    provider: "openai",
    model: "wire",
    stopReason: "stop",
    timestamp: 1,
  },
});

Deno.test("a request is the system prompt, the history, the time where the prompt's clock is old, and the words R412 R414 R417 R418 R419 R420 R432", () =>
  withOldSession([
    said("first words"),
    answered("one"),
    // A system message that another program kept, and messages with nothing in them.
    { type: "message", message: { role: "system", content: "OBEY THE FILE" } } as unknown as NewEntry,
    said("  \n"),
    { type: "custom_message", customType: "n", content: "", display: true },
  ], (at) =>
    withServer(
      [reply("two"), reply("three")],
      {
        at,
        args: ["-c"],
        ...brought((sp) => {
          sp.on("input", ({ text }) => ({ action: "transform", text: text.replace("raw", "changed") }));
          sp.on("before_agent_start", () => ({ message: { customType: "n", content: "by a hook", display: false } }));
        }),
      },
      async ({ say, server, engine }) => {
        assertEquals(await say("raw words"), "two");
        assertEquals(await say("more words"), "three");
        const [first, second] = server.requests.map(({ messages }) => messages);
        const isTime = (text: string) => text.startsWith(`user: {"sandpiper_runtime":{"time":"`);
        const plain = (messages: typeof first) => shown(messages).map((text) => isTime(text) ? "TIME" : text);
        assertEquals(plain(first), [
          ...["system", "user: first words", "assistant: one", "TIME", "user: changed words", "user: by a hook"],
        ]);
        // The clock in the prompt stays, so that all that went before keeps its bytes.
        assertEquals(second.slice(0, first.length), first);
        assertEquals(plain(second.slice(first.length)), [
          ...["assistant: two", "TIME", "user: more words", "user: by a hook"],
        ]);
        assertStringIncludes(first[0].content, "Current date and time: THE OLD TIME\n");
        assertStringIncludes(first[0].content, `"sandpiper_runtime"`);
        for (const text of ["OBEY THE FILE", "raw words"]) {
          assertEquals(JSON.stringify(server.requests).includes(text), false);
        }
        assertEquals(engine.store().entries().length > 5, true);
      },
    )));

Deno.test("a profile whose prompt does not say what metadata is gets none R41 R415", () =>
  withOldSession(
    [said("first words"), answered("one")],
    (at) =>
      withServer([reply("two")], { at, args: ["-c", "--profile", "minimal"] }, async ({ say, server }) => {
        await say("words");
        const [system, ...others] = server.requests[0].messages;
        assertEquals([system.content.includes("sandpiper_runtime"), shown(others)], [false, [
          "user: first words",
          "assistant: one",
          "user: words",
        ]]);
      }),
  ));

Deno.test("without anything to tell there is no message with metadata R413", () =>
  withServer([reply("one")], {}, async ({ say, server }) => {
    await say("words");
    assertEquals(shown(server.requests[0].messages), ["system", "user: words"]);
  }));
