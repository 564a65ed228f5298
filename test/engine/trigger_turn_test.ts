import { assertEquals } from "@std/assert";
import { textOf } from "../../src/core/message.ts";
import { brought } from "./brought.ts";
import { type Session, withSession } from "./world.ts";

/** What goes on while an extension wants a turn, by the event that tells it of that. */
const BUSY = {
  "a compaction": {
    event: "session_before_compact",
    act: ({ engine }) => engine.compact(),
    replies: ["one", "two", "## Goal\nall", "## Original Request\nit"],
  },
  "a typed command": { event: "user_bash", act: ({ engine }) => engine.bash("true", false), replies: ["one", "two"] },
  "another session": {
    event: "session_before_switch",
    act: ({ engine }) => engine.newSession(),
    replies: ["one", "two"],
  },
} as const satisfies Record<
  string,
  { readonly event: string; readonly act: (session: Session) => Promise<unknown>; readonly replies: readonly string[] }
>;

for (const [name, { event, act, replies }] of Object.entries(BUSY)) {
  Deno.test(`a turn that an extension triggers during ${name} comes right after it R229`, () =>
    withSession({
      replies: [...replies.map((text) => ({ text })), { text: "triggered", expect: ["PLEASE GO ON"] }],
      settings: { compaction: { keepRecentTokens: 1 } },
      ...brought((sp) =>
        sp.on(event, async () => {
          await sp.sendMessage({ customType: "n", content: "PLEASE GO ON" }, { triggerTurn: true });
          return undefined;
        })
      ),
    }, async (session) => {
      const { engine, say, events } = session;
      await say("first");
      await say("second");
      await act(session);
      await engine.waitForIdle();
      const [sent, reply] = engine.messages().slice(-2);
      assertEquals(sent?.role === "custom" ? sent.content : sent?.role, "PLEASE GO ON");
      assertEquals(reply?.role === "assistant" ? textOf(reply.content) : reply?.role, "triggered");
      assertEquals(events.filter(({ type }) => type === "agent_settled").length, 3);
    }));
}

Deno.test("a person who stops what goes on stops the turn that waits for it; its message is kept R229", async () => {
  const box: { session?: Session } = {};
  let stopped: Promise<void> | undefined;
  await withSession({
    replies: [{ text: "one" }, { text: "never" }],
    ...brought((sp) =>
      sp.on("user_bash", async () => {
        await sp.sendMessage({ customType: "n", content: "PLEASE GO ON" }, { triggerTurn: true });
        stopped = box.session?.engine.abort();
        return { result: { output: "" } };
      })
    ),
  }, async (session) => {
    box.session = session;
    const { engine, say, events } = session;
    await say("first");
    await engine.bash("true", false);
    await stopped;
    assertEquals(engine.messages().map(({ role }) => role), ["user", "assistant", "bashExecution", "custom"]);
    assertEquals(events.flatMap((one) => one.type === "agent_end" ? [one.ending] : []), ["done", "aborted"]);
  });
});
