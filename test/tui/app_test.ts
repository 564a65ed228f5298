import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { keyBindings } from "../../src/tui/widgets/key_bindings.ts";
import type { UserCommandOutcome } from "../../src/core/engine.ts";
import { createAttention } from "../../src/tui/options/attention.ts";
import { questionForm } from "../../src/tui/dialogs/question_form.ts";
import { themeOf } from "../../src/tui/screen/theme.ts";
import { until } from "../helpers/until.ts";
import { typedDraft } from "./draft.ts";
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

// deno-lint-ignore no-control-regex -- styles
const bare = (text: string): string => text.replace(/\x1b\[[0-9;]*m/g, "");

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
    await see("❯ p/model-1");
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
    for (const id of ["p/model-1  now", "model-2", "model-3"]) assertStringIncludes(list, id);
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
    const failed = { type: "auto_retry_start", maxAttempts: 3, delayMs: 60_000, errorMessage: "It is down." } as const;
    engine.emit({ ...failed, attempt: 1 });
    engine.emit({ ...failed, attempt: 2 });
    const shown = await see(/trying again in \d+s \(attempt 2 of 3\)/);
    // The same failure is told once.
    assertEquals(shown.split("It is down. It is tried again, up to 3 times").length, 2, shown);
    const first = /trying again in (\d+)s \(attempt 2 of 3\)/.exec(shown);
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

const QUESTION = { id: "1", toolName: "write", denial: { kind: "write", target: "/x/a", grant: "/x" } } as const;

Deno.test("a message that is typed at a question goes into the editor whole, and allows nothing", () =>
  inApp(async ({ app, engine, questions, take, see }) => {
    engine.set({ isStreaming: true });
    const answer = questions.ask(QUESTION, new AbortController().signal);
    await see("The sandbox refused");
    await new Promise((later) => setTimeout(later, 600)); // longer than a question waits for quiet
    for (const key of "please no") app.input(key);
    app.input("\r");
    app.input("\x0c"); // the screen anew
    const screen = take();
    assertStringIncludes(screen.slice(screen.lastIndexOf("The sandbox refused")), "please no");
    assertStringIncludes(screen, "letters go into the text");
    app.input("\x1b");
    assertEquals(await answer, "no");
  }));

Deno.test("a letter chooses what Enter confirms, and does not stay in the editor", () =>
  inApp(async ({ app, questions, take, see }) => {
    const answer = questions.ask(QUESTION, new AbortController().signal);
    await see("The sandbox refused");
    await new Promise((later) => setTimeout(later, 600)); // longer than a question waits for quiet
    app.input("s");
    await see("❯ s");
    app.input("\r");
    assertEquals(await answer, "session");
    take();
    app.input("!");
    assertStringIncludes(take(), "\r\x1b[2K! ");
  }));

Deno.test("the whole conversation can be read at any time, the call behind a question included", () =>
  inApp(async ({ app, engine, questions, take, see }) => {
    const content = Array.from({ length: 300 }, (_, at) => `row ${at + 1}`).join("\n");
    engine.set({ isStreaming: true });
    engine.emit({ type: "tool_execution_start", toolCallId: "1", toolName: "write", args: { path: "/x/a", content } });
    const answer = questions.ask(QUESTION, new AbortController().signal);
    const asked = await see("The sandbox refused");
    assertStringIncludes(asked, "row 6");
    assertStringIncludes(asked, "Ctrl+O shows the whole call");
    app.input("\x0f");
    await see(/\[other screen\][^]*A question waits for your answer/);
    app.input("\x1b[H");
    assertStringIncludes(take(), "write /x/a");
    for (let page = 0; page < 14; page++) app.input("\x1b[6~");
    assertStringIncludes(take(), "row 300");
    for (const key of ["y", "o", "p", "s"]) app.input(key); // answers to nothing here
    app.input("\x1b");
    await see("[first screen]");
    questions.release();
    assertEquals(await answer, "no");
  }));

Deno.test("Ctrl+C twice quits while a run waits for an answer, which is no", () =>
  inApp(async ({ app, engine, questions, see }) => {
    engine.set({ isStreaming: true });
    engine.emit({ type: "agent_start" });
    const signal = new AbortController().signal;
    const answers = [questions.ask(QUESTION, signal), questions.ask({ ...QUESTION, id: "2" }, signal)];
    await see("The sandbox refused");
    app.input("\x03");
    app.input("\x03");
    let code: number | undefined;
    void app.done.then((ended) => code = ended);
    await until(() => code === 0);
    assertEquals(await Promise.all(answers), ["no", "no"]);
  }));

Deno.test("what the model thought is shown from a key on, and hidden again", () =>
  inApp(async ({ app, engine, take, see }) => {
    const thought = "First I look at the file, then I think about it.";
    engine.emit({ type: "message_update", assistantMessageEvent: { type: "thinking_delta", delta: thought } });
    engine.emit({ type: "message_update", assistantMessageEvent: { type: "text_delta", delta: "Done." } });
    await see("∴ thought");
    app.input("\x14"); // Ctrl+T
    await see(thought);
    take();
    app.input("\x14");
    await see("∴ thought");
  }));

Deno.test("thoughts are shown from the start where the settings say so, those of a resumed session, too", async () => {
  const { app, see } = await open(
    scriptedEngine([{
      role: "assistant",
      content: [{ type: "thinking", thinking: "I thought of it before." }, { type: "text", text: "Done." }],
      provider: "p",
      model: "m",
      stopReason: "stop",
      timestamp: 0,
    }]),
    undefined,
    { showsThinking: true },
  );
  await see(/∴ I thought of it before\.[^]*Done\./);
  app.quit(0);
  await app.done;
});

Deno.test("the window says where it is, what goes on, and that somebody is asked; never what others put into a name", () =>
  inApp(async ({ engine, questions, titles }) => {
    await until(() => titles.at(-1) === "app · sandpiper");
    engine.set({ isStreaming: true, sessionName: "fix\x07\x1b]2;evil\x07 it" });
    engine.emit({ type: "agent_start" });
    await until(() => titles.at(-1) === "● fix it · sandpiper", () => JSON.stringify(titles));
    const asked = questions.ask(QUESTION, new AbortController().signal);
    await until(() => titles.at(-1) === "? fix it · sandpiper");
    questions.release();
    await asked;
  }));

Deno.test("a question rings the bell, or notifies, or does not", async () => {
  const cases = [["bell", "\x07"], ["notification", "\x1b]9;sandpiper asks: app\x07"], ["off", ""]] as const;
  for (const [notify, rung] of cases) {
    const { app, questions, see } = await open(undefined, undefined, { notify });
    const asked = questions.ask(QUESTION, new AbortController().signal);
    const said = await see("The sandbox refused");
    // deno-lint-ignore no-control-regex -- what rings
    assertEquals((said.match(/(?:\x1b\]9;[^\x07]*)?\x07/g) ?? []).join(""), rung);
    app.quit(0);
    await app.done;
    await asked;
  }
});

Deno.test("createAttention() calls for the end of a long run, not of one that was watched", () => {
  let rung = 0;
  const attention = createAttention("bell", () => rung++);
  attention.ended(9_999, "done");
  assertEquals(rung, 0);
  attention.ended(10_000, "done");
  assertEquals(rung, 1);
});

Deno.test("a confirm of an extension is a question with yes and no, and no is what stands there", () => {
  for (
    const [keys, said] of [[["y", "\r"], true], [["y"], undefined], [["n", "\r"], false], [["\r"], false], [
      ["\x03"],
      false,
    ]] as const
  ) {
    let at = 0;
    const draft = typedDraft();
    const form = questionForm(
      { kind: "confirm", title: "Deploy", message: "to production?", done: (answer) => answers.push(answer) },
      draft,
      () => at,
    );
    const answers: boolean[] = [];
    const lines = form.lines({ width: 60, rows: 20, theme: themeOf("none"), expanded: false });
    assertEquals(lines.map((line) => bare(line)).slice(0, 4), [
      "Deploy",
      "to production?",
      "❯ n  No",
      "  y  Yes",
    ]);
    at = 1000;
    draft.type(form, ...keys);
    assertEquals(answers, said === undefined ? [] : [said]);
  }
});

Deno.test("/theme changes the colours at once and keeps the choice; auto asks the terminal", async () => {
  const kept: string[] = [];
  const size = { columns: 80, rows: 24, ground: "light" as const };
  const { app, engine, see, take } = await open(undefined, size, {
    keepTheme: (name) => Promise.resolve(void kept.push(name)),
  });
  const type = (line: string): void => {
    app.input(line);
    app.input("\x1b"); // the list of completions
  };
  for (const name of ["light", "dark", "auto", "blue"]) {
    type(`/theme ${name}`);
    await soon();
    app.input("\r");
    await see(name === "blue" ? '"blue" is no theme' : name === "auto" ? "Theme: auto, light here" : `Theme: ${name}`);
    take();
  }
  assertEquals([kept, engine.asked], [["light", "dark", "auto"], []]);
  app.quit(0);
  await app.done;
});

Deno.test("a low window shows all that is asked", () => {
  const denial = {
    kind: "read" as const,
    target: "/root/a-long-name-of-a-folder/and-another/file.txt",
    grant: "/root/a",
  };
  const form = questionForm(
    { kind: "permission", request: { id: "1", toolName: "read", denial }, done: () => {} },
    typedDraft(),
    () => 0,
  );
  const lines = (rows: number) => form.lines({ width: 40, rows, theme: themeOf("none"), expanded: false });
  assert(lines(20).length > 8);
  assert(lines(6).length <= 6, lines(6).join("\n"));
  assertStringIncludes(bare(lines(6).join("\n")), "❯ n No · o once · s session · p project");
});

Deno.test("a message is shown from the moment that it is sent, until the conversation contains it", async () => {
  const scripted = scriptedEngine();
  const started = Promise.withResolvers<void>();
  const opened = await open({
    ...scripted,
    prompt: async (input) => {
      await started.promise; // as while servers start
      return await scripted.prompt(input);
    },
  });
  const { app, engine, see, take } = opened;
  try {
    for (const key of ["my first message", "\r"]) app.input(key);
    await see("not sent yet: my first message");
    const message = { role: "user" as const, content: "my first message", timestamp: 0 };
    engine.emit({ type: "message_start", message });
    engine.emit({ type: "message_end", message });
    await see("❯ my first message");
    started.resolve();
    await until(() => engine.asked.length === 1);
    take();
    app.input("x");
    await see("x");
    assertEquals(take().includes("not sent yet"), false);
  } finally {
    app.quit(0);
    await app.done;
  }
});
