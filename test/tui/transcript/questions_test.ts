import { assertEquals } from "@std/assert";
import { createQuestions, type Question } from "../../../src/tui/transcript/questions.ts";
import type { PermissionAnswer } from "../../../src/core/event.ts";

const REQUEST = { id: "1", toolName: "write", denial: { kind: "write", target: "/a/b", grant: "/a" } } as const;

function screen() {
  const shown: Question[] = [];
  let hidden = 0;
  return {
    shown,
    hidden: () => hidden,
    show: (question: Question) => void shown.push(question),
    hide: () => void hidden++,
    notify: () => {},
    setStatus: () => {},
  };
}

function answer(question: Question | undefined, said: PermissionAnswer): void {
  if (question?.kind === "permission") question.done(said);
}

Deno.test("createQuestions() keeps questions until there is a screen and shows them one at a time", async () => {
  const questions = createQuestions();
  const on = screen();
  const signal = new AbortController().signal;
  const first = questions.ask(REQUEST, signal);
  const second = questions.ask({ ...REQUEST, id: "2" }, signal);
  questions.bind(on);
  assertEquals(on.shown.length, 1);
  answer(on.shown[0], "once");
  assertEquals([await first, on.shown.length], ["once", 2]);
  answer(on.shown[1], "session");
  answer(on.shown[1], "no"); // twice changes nothing
  assertEquals([await second, on.hidden()], ["session", 2]);
});

Deno.test("createQuestions() counts an abort, a time-out and the end of the screen as no", async () => {
  const questions = createQuestions();
  questions.bind(screen());
  const controller = new AbortController();
  const call = { extension: "x", signal: controller.signal };
  const asked = questions.ask(REQUEST, controller.signal);
  const timed = questions.ui.confirm("Sure?", "", { timeoutMs: 10 }, { ...call, signal: new AbortController().signal });
  controller.abort();
  assertEquals([await asked, await timed], ["no", false]);
  const open = questions.ui.input("Name", "", {}, { ...call, signal: new AbortController().signal });
  questions.release();
  assertEquals([await open, await questions.ask(REQUEST, new AbortController().signal)], [undefined, "no"]);
});
