import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { open, type Opened } from "./open_app.ts";

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
    await soon();
    engine.set({ isStreaming: true });
    engine.emit({ type: "agent_start" });
    app.input("left");
    app.input("\r");
    app.input("right");
    app.input("\x1b\r");
    await soon();
    assertEquals(engine.asked, ["prompt hello", "prompt left (steer)", "prompt right (followUp)"]);
  }));

Deno.test("the screen knows commands of extensions, refuses unknown ones and gives the text back", () =>
  inApp(async ({ app, engine, take }) => {
    app.input("/deploy now");
    app.input("\r");
    await soon();
    assertEquals(engine.asked, ["prompt /deploy now"]);
    app.input("/depoly now");
    app.input("\r");
    await soon();
    assertStringIncludes(take(), "There is no command /depoly");
    app.input("!");
    assertStringIncludes(take(), "/depoly now!");
  }));

Deno.test("the screen sets model and thinking by picker and by key", () =>
  inApp(async ({ app, engine, take }) => {
    app.input("\x10"); // Ctrl+P
    await soon();
    assertStringIncludes(take(), "❯ model-1");
    for (const key of ["2", "\r"]) app.input(key);
    await soon();
    app.input("\x1b[Z"); // Shift+Tab
    await soon();
    assertEquals(engine.asked, ["setModel model-2", "setThinking minimal"]);
  }));

Deno.test("a reply that failed is void, and is said to be", () =>
  inApp(async ({ engine, take }) => {
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
    await soon();
    assertStringIncludes(take(), "That attempt failed, and what it said is void");
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
