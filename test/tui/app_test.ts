import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { keyBindings } from "../../src/tui/key_bindings.ts";
import type { UserCommandOutcome } from "../../src/core/engine.ts";
import { until } from "../helpers/until.ts";
import { open, type Opened } from "./open_app.ts";
import { scriptedEngine } from "./scripted_engine.ts";

async function inApp(work: (opened: Opened) => Promise<void> | void): Promise<void> {
  const opened = await open();
  try {
    await work(opened);
  } finally {
    opened.app.quit(0);
    await opened.app.done;
  }
}

const soon = (): Promise<void> => new Promise((later) => setTimeout(later, 60));

Deno.test("the screen sends what is typed, steers while a run goes on, and queues with Alt+Enter", () =>
  inApp(async ({ app, engine }) => {
    app.input("hello");
    app.input("\r");
    await until(() => engine.asked.length === 1);
    engine.set({ isStreaming: true });
    engine.emit({ type: "agent_start" });
    app.input("left");
    app.input("\r");
    app.input("right");
    app.input("\x1b\r");
    await until(() => engine.asked.length === 3);
    assertEquals(engine.asked, ["prompt hello", "prompt left (steer)", "prompt right (followUp)"]);
  }));

Deno.test("Escape stops a typed command first and the run with the next press", async () => {
  const scripted = scriptedEngine();
  const typed = Promise.withResolvers<UserCommandOutcome>();
  let isTyped = false;
  const opened = await open({
    ...scripted,
    bash: () => {
      isTyped = true;
      return typed.promise;
    },
    abortBash: async () => {
      await scripted.abortBash();
      typed.resolve({ output: "", cancelled: true, truncated: false });
    },
  });
  const { app, engine } = opened;
  try {
    engine.set({ isStreaming: true });
    engine.emit({ type: "agent_start" });
    for (const key of ["!sleep 61", "\r"]) app.input(key);
    await until(() => isTyped);
    app.input("\x1b");
    await until(() => engine.asked.length > 0);
    assertEquals(engine.asked, ["abortBash"]);
    app.input("\x1b");
    await until(() => engine.asked.length === 3);
    assertEquals(engine.asked, ["abortBash", "clearQueues", "abort"]);
  } finally {
    app.quit(0);
    await app.done;
  }
});

Deno.test("the screen knows commands of extensions, refuses unknown ones and gives the text back", () =>
  inApp(async ({ app, engine, take, see }) => {
    app.input("/deploy now");
    app.input("\r");
    await until(() => engine.asked.length === 1);
    assertEquals(engine.asked, ["prompt /deploy now"]);
    app.input("/depoly now");
    app.input("\r");
    await see("There is no command /depoly");
    app.input("!");
    assertStringIncludes(take(), "/depoly now!");
  }));

Deno.test("the screen sets model and thinking by picker and by key", () =>
  inApp(async ({ app, engine, see }) => {
    app.input("\x10"); // Ctrl+P
    await see("❯ model-1");
    for (const key of ["2", "\r"]) app.input(key);
    await until(() => engine.asked.length === 1);
    app.input("\x1b[Z"); // Shift+Tab
    await until(() => engine.asked.length === 2);
    assertEquals(engine.asked, ["setModel model-2", "setThinking minimal"]);
  }));

Deno.test("a reply that failed is void, and is said to be", () =>
  inApp(async ({ engine, see }) => {
    const message = {
      role: "assistant" as const,
      content: [{ type: "text" as const, text: "half" }],
      provider: "p",
      model: "m",
      stopReason: "error" as const,
      timestamp: 0,
    };
    engine.emit({ type: "message_start", message });
    engine.emit({ type: "message_update", assistantMessageEvent: { type: "text_delta", delta: "half" } });
    engine.emit({ type: "message_end", message, discarded: true });
    await see("That attempt failed, and what it said is void");
  }));

Deno.test("many events make few frames: at most thirty a second", () =>
  inApp(async ({ engine, take }) => {
    await soon();
    take();
    const begun = performance.now();
    for (let at = 0; at < 150; at++) {
      engine.emit({ type: "message_update", assistantMessageEvent: { type: "text_delta", delta: "w " } });
      await new Promise((later) => setTimeout(later, 1));
    }
    const most = (performance.now() - begun) / 33 + 2;
    const frames = take().split("\x1b[?2026h").length - 1;
    assert(frames > 0 && frames <= most, `${frames} frames, ${most.toFixed(1)} at most`);
  }));

Deno.test("/model offers what the settings and the server know, and takes any other name as it is typed", () =>
  inApp(async ({ app, engine, take, see }) => {
    app.input("\x10");
    const list = await see("model-3");
    for (const id of ["model-1  now", "model-2", "model-3"]) assertStringIncludes(list, id);
    app.input("model-");
    app.input("\x1b[A"); // up from the first stays on the first
    app.input("9");
    assertStringIncludes(take(), "❯ model-9  as typed");
    app.input("\r");
    await until(() => engine.asked.length === 1);
    take();
    app.input("\x10");
    await see("model-3");
    app.input("model"); // a name that others begin with comes last
    take();
    for (let at = 0; at < 3; at++) app.input("\x1b[B");
    app.input("\r");
    await until(() => engine.asked.length === 2);
    assertEquals(engine.asked, ["setModel model-9", "setModel model"]);
  }));

Deno.test("the person's own keys take the place of the table's", async () => {
  const { app, engine, take, see } = await open(undefined, undefined, {
    keys: keyBindings({ model: "f2", thinking: [], newLine: "alt+n" }),
  });
  try {
    app.input("\x10"); // Ctrl+P means nothing any more
    app.input("\x1b[Z"); // nor does Shift+Tab
    await soon();
    assertEquals([take().includes("search:"), engine.asked], [false, []]);
    app.input("\x1bOQ"); // F2
    await see("search:");
    app.input("\x1b");
    await see(/./); // Escape counts a moment later, when nothing has followed
    app.input("one");
    app.input("\x1bn");
    app.input("two");
    app.input("\r");
    await until(() => engine.asked.length === 1);
    assertEquals(engine.asked, ["prompt one\ntwo"]);
  } finally {
    app.quit(0);
    await app.done;
  }
});

Deno.test("Ctrl+C twice quits only when nothing was typed between", () =>
  inApp(async ({ app, see }) => {
    app.input("\x03");
    app.input("a");
    app.input("\x03");
    app.input("b");
    await see("Ctrl+C again quits");
    let isOver = false;
    void app.done.then(() => isOver = true);
    await soon();
    assertEquals(isOver, false);
    app.input("\x03");
    app.input("\x03");
    assertEquals(await app.done, 0);
  }));

Deno.test("a wait before another attempt counts down", () =>
  inApp(async ({ engine, see }) => {
    engine.set({ isStreaming: true });
    engine.emit({ type: "agent_start" });
    engine.emit({ type: "auto_retry_start", attempt: 2, maxAttempts: 3, delayMs: 60_000, errorMessage: "It is down." });
    const first = /trying again in (\d+)s \(attempt 2 of 3\)/.exec(
      await see(/trying again in \d+s \(attempt 2 of 3\)/),
    );
    engine.emit({ type: "queue_update", steering: ["a"], followUp: [] });
    // The lines may be drawn in several goes, and late where the machine is busy: only the change of the number counts.
    await see(new RegExp(`trying again in (?!${first?.[1]}s)\\d+s \\(attempt 2 of 3\\)`));
    engine.emit({ type: "turn_start", turn: 2 });
    await see("waiting for the model");
  }));

Deno.test("a question says that it waits, and what Escape means then", () =>
  inApp(async ({ engine, questions, see }) => {
    engine.set({ isStreaming: true });
    engine.emit({ type: "agent_start" });
    const denial = { kind: "write" as const, target: "/x/a", grant: "/x" };
    const answer = questions.ask({ id: "1", toolName: "write", denial }, new AbortController().signal);
    const screen = await see("waiting for your answer");
    assert(!screen.split("waiting for your answer")[1]?.includes("Esc stops"));
    questions.release();
    assertEquals(await answer, "no");
  }));

Deno.test("a command that failed for no fault of its words does not come back into the editor", () =>
  inApp(async ({ app, take, see }) => {
    const said = [
      ["/resume", "There is nothing to resume"],
      ["/fork", "There is nothing to fork"],
      ["/tree", "There is no other place yet"],
    ] as const;
    for (const [line, what] of said) {
      app.input(line);
      app.input("\x1b"); // the list of completions
      await soon(); // what was typed before is a timer of this process, which comes first
      app.input("\r");
      await see(what);
    }
    app.input("!");
    assertStringIncludes(take(), "\r\x1b[2K! ");
  }));
