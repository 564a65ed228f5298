import { assertEquals } from "@std/assert";
import { textOf } from "../../src/core/message.ts";
import { until } from "../helpers/until.ts";
import { brought } from "./brought.ts";
import { type Session, withSession } from "./world.ts";

const read = (path: string) => ({ name: "read", args: { path } });
const THREE = { calls: [read("a.txt"), read("b.txt"), read("c.txt")] };
const FILES = { "a.txt": "A", "b.txt": "B", "c.txt": "C" };
const SKIPPED = "Skipped due to queued user message";

/** What was said, in order: a result as its first word. */
function said({ engine }: Session): readonly string[] {
  return engine.messages().map((message) =>
    message.role === "toolResult"
      ? `= ${textOf(message.content).startsWith("Skipped") ? textOf(message.content) : textOf(message.content)[0]}`
      : "content" in message && message.role !== "assistant"
      ? `> ${textOf(message.content)}`
      : `${message.role}`
  );
}

Deno.test("steering during tool 1 of 3 skips the other two and is the next turn's input R261 R262 R263 R269 R270 R273", async () => {
  let starts = 0;
  let calls = 0;
  const box: { engine?: Session["engine"] } = {};
  await withSession({
    replies: [THREE, { text: "changed course", expect: [SKIPPED, "the other way"] }],
    files: FILES,
    ...brought((sp) => {
      sp.on("before_agent_start", () => void starts++);
      sp.on("tool_call", async () => {
        if (++calls > 1) return;
        const outcome = await box.engine?.prompt({ text: "the other way", source: "interactive", whileBusy: "steer" });
        assertEquals(outcome, { kind: "queued" });
      });
    }),
  }, async (session) => {
    box.engine = session.engine;
    assertEquals(await session.say("go"), "changed course");
    assertEquals(said(session), [
      ...["> go", "assistant", "= A", `= ${SKIPPED}`, `= ${SKIPPED}`, "> the other way", "assistant"],
    ]);
    assertEquals([starts, calls], [1, 1]);
    const turns = session.events.filter(({ type }) => type === "turn_start").length;
    const ends = session.events.filter(({ type }) => type === "agent_end").length;
    assertEquals([turns, ends, session.engine.state().isStreaming], [2, 1, false]);
  });
});

Deno.test("a follow-up during tool 1 of 3 waits until no call is left, behind steering R264 R265 R266 R267 R268 R271", async () => {
  const box: { engine?: Session["engine"] } = {};
  let calls = 0;
  let turns = 0;
  await withSession({
    replies: [THREE, { text: "one" }, { text: "two" }, { text: "three" }, { text: "four" }],
    files: FILES,
    ...brought((sp) => {
      sp.on("tool_call", async () => {
        if (++calls > 1) return;
        for (const text of ["later", "latest"]) {
          await box.engine?.prompt({ text, source: "interactive", whileBusy: "followUp" });
        }
      });
      // During the last reply, with no call left.
      sp.on("message_start", async ({ message }) => {
        if (message.role === "assistant" && ++turns === 2) await box.engine?.steer("sooner");
      });
    }),
  }, async (session) => {
    box.engine = session.engine;
    assertEquals(await session.say("go"), "four");
    assertEquals(said(session), [
      ...["> go", "assistant", "= A", "= B", "= C", "assistant"],
      ...["> sooner", "assistant", "> later", "assistant", "> latest", "assistant"],
    ]);
    assertEquals(session.events.filter(({ type }) => type === "agent_end").length, 1);
  });
});

Deno.test("queued words go the way of others, and what was not delivered when the run is stopped comes back R166 R172", async () => {
  const seen: unknown[] = [];
  const box: { engine?: Session["engine"] } = {};
  let calls = 0;
  await withSession({
    replies: [{ calls: [read("a.txt"), read("b.txt")] }, { text: "two", expect: ["Look at here."], delayMs: 60_000 }],
    files: { ...FILES, ".sandpiper/prompts/look.md": "Look at $1." },
    args: ["--trust"],
    ...brought((sp) => {
      sp.on("input", ({ text, streamingBehavior = "none" }) => {
        seen.push([text, streamingBehavior]);
        return text === "drop" ? { action: "handled" } : undefined;
      });
      sp.on("tool_call", async () => {
        if (++calls > 1) return;
        const queue = (text: string) => box.engine?.prompt({ text, source: "rpc", whileBusy: "steer" });
        assertEquals([await queue("drop"), await queue("/look here")], [{ kind: "handled" }, { kind: "queued" }]);
        await box.engine?.followUp("at the end");
        await box.engine?.steer("next");
      });
    }),
  }, async (session) => {
    const { engine } = session;
    box.engine = engine;
    const run = session.say("go");
    const isDelivered = () => engine.messages().some(({ role }, index) => role === "user" && index > 0);
    await until(isDelivered);
    await engine.abort();
    await run;
    assertEquals(seen, [
      ["go", "none"],
      ["drop", "steer"],
      ["/look here", "steer"],
      ["at the end", "followUp"],
      ["next", "steer"],
    ]);
    assertEquals(said(session), ["> go", "assistant", "= A", `= ${SKIPPED}`, "> Look at here."]);
    assertEquals([engine.state().steering, engine.state().followUp], [["next"], ["at the end"]]);
    assertEquals(engine.clearQueues().map(({ content }) => textOf(content)), ["next", "at the end"]);
    assertEquals([engine.state().steering, engine.state().followUp], [[], []]);
  });
});

const last = ({ engine }: Session): string => {
  const message = engine.messages().at(-1);
  return message?.role === "assistant" ? textOf(message.content) : "";
};

const LATE = [
  ["a prompt that steers", (engine) => engine.prompt({ text: "late", source: "interactive", whileBusy: "steer" })],
  ["steering", (engine) => engine.steer("late")],
  ["a follow-up", (engine) => engine.followUp("late")],
] as const satisfies readonly (readonly [string, (engine: Session["engine"]) => Promise<unknown>])[];

for (const [what, send] of LATE) {
  for (const isStopped of [false, true]) {
    const fate = isStopped ? "waits where the run was stopped" : "has a run of its own";
    Deno.test(`${what} that a hook looked at until the run was over ${fate} R264 R267`, async () => {
      const looked = Promise.withResolvers<void>();
      await withSession({
        replies: [{ text: "one", delayMs: isStopped ? 60_000 : 300 }, { text: "two", expect: ["late, looked at"] }],
        ...brought((sp) =>
          sp.on("input", async ({ text, streamingBehavior }) => {
            if (!streamingBehavior) return;
            await looked.promise;
            return { action: "transform", text: `${text}, looked at` };
          })
        ),
      }, async (session) => {
        const { engine } = session;
        const run = session.say("go");
        await until(() => engine.messages().length > 0);
        const sent = send(engine);
        if (isStopped) await engine.abort();
        await run;
        looked.resolve();
        await sent;
        await engine.waitForIdle();
        assertEquals(said(session), isStopped ? ["> go"] : ["> go", "assistant", "> late, looked at", "assistant"]);
        const { steering, followUp } = engine.state();
        assertEquals([last(session), ...steering, ...followUp], isStopped ? ["", "late, looked at"] : ["two"]);
      });
    });
  }
}

for (const deliverAs of ["steer", "followUp"] as const) {
  Deno.test(`what an extension sends when a run has ended is delivered as ${deliverAs} before it is idle R229 R264 R267`, async () => {
    let ends = 0;
    await withSession({
      replies: [{ text: "one" }, { text: "two", expect: ["and this"] }],
      ...brought((sp) =>
        sp.on("agent_end", async () => {
          if (++ends === 1) await sp.sendMessage({ customType: "n", content: "and this" }, { deliverAs });
        })
      ),
    }, async (session) => {
      assertEquals(await session.say("go"), "two");
      await session.engine.waitForIdle();
      assertEquals(said(session), ["> go", "assistant", "> and this", "assistant"]);
      assertEquals([session.engine.state().steering, session.engine.state().followUp, ends], [[], [], 2]);
    });
  });
}

Deno.test("with the settings' mode all, what waits is delivered together, steering before follow-ups R265 R271", async () => {
  const box: { engine?: Session["engine"] } = {};
  let calls = 0;
  await withSession({
    replies: [THREE, { text: "steered", expect: ["s1", "s2"] }, { text: "followed", expect: ["f1", "f2"] }],
    files: FILES,
    settings: { steeringMode: "all", followUpMode: "all" },
    ...brought((sp) => {
      sp.on("tool_call", async () => {
        if (++calls > 1) return;
        for (const text of ["f1", "f2"]) await box.engine?.followUp(text);
        for (const text of ["s1", "s2"]) await box.engine?.steer(text);
      });
    }),
  }, async (session) => {
    box.engine = session.engine;
    const { steeringMode, followUpMode } = session.engine.state();
    assertEquals([steeringMode, followUpMode], ["all", "all"]);
    assertEquals(await session.say("go"), "followed");
    // Each pair is the input of one turn.
    assertEquals(said(session), [
      ...["> go", "assistant", "= A", `= ${SKIPPED}`, `= ${SKIPPED}`],
      ...["> s1", "> s2", "assistant", "> f1", "> f2", "assistant"],
    ]);
    assertEquals(session.events.filter(({ type }) => type === "turn_start").length, 3);
  });
});
