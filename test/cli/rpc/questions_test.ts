import { assertEquals } from "@std/assert";
import { type QuestionForm, type RpcQuestions, rpcQuestions } from "../../../src/cli/rpc/questions.ts";

const REQUEST = {
  id: "q1",
  toolName: "write",
  denial: { kind: "write", target: "/out/a.txt", grant: "/out" },
} as const;

interface Line {
  readonly type: string;
  readonly id: string;
  readonly [name: string]: unknown;
}

function opened(form?: QuestionForm, limitMs?: number): { readonly questions: RpcQuestions; readonly sent: Line[] } {
  const sent: Line[] = [];
  const questions = rpcQuestions(limitMs);
  questions.open((line) => void sent.push(line as Line));
  if (form) questions.announce(form);
  return { questions, sent };
}

const never = (): AbortSignal => new AbortController().signal;

Deno.test("a permission prompt is a select for clients of pi, and their choice is the answer", async () => {
  const { questions, sent } = opened();
  const answer = questions.ask(REQUEST, never());
  assertEquals(sent.map(({ id: _, ...line }) => line), [{
    type: "extension_ui_request",
    method: "select",
    title: "write wants to write /out/a.txt (allows /out)",
    options: ["Allow this call", "Allow until the session ends", "Always allow in this project", "No"],
    permissionRequestId: "q1",
    timeout: 30_000,
  }]);
  questions.answerUi(sent[0]?.id ?? "", { value: "Allow until the session ends" });
  assertEquals(await answer, "session");
  // A client that has answered is not limited in time.
  const next = questions.ask({ ...REQUEST, id: "q2" }, never());
  assertEquals(sent[1]?.["timeout"], undefined);
  questions.answerUi(sent[1]?.id ?? "", { cancelled: true });
  assertEquals(await next, "no");
});

for (const value of ["Maybe", "constructor", 5, undefined]) {
  Deno.test(`a choice that was not offered is no: ${value}`, async () => {
    const { questions, sent } = opened();
    const answer = questions.ask(REQUEST, never());
    questions.answerUi(sent[0]?.id ?? "", { value });
    assertEquals(await answer, "no");
  });
}

Deno.test("permission_response answers the same prompt, and a later choice is not heard", async () => {
  const { questions, sent } = opened();
  const answer = questions.ask(REQUEST, never());
  assertEquals(questions.answer("q1", "once"), true);
  assertEquals(await answer, "once");
  questions.answerUi(sent[0]?.id ?? "", { value: "Always allow in this project" });
  assertEquals(questions.answer("q1", "project"), false);
});

Deno.test("a client that never answers is not waited for: the call stays denied", async () => {
  const { questions } = opened(undefined, 1);
  assertEquals(await questions.ask(REQUEST, never()), "no");
});

Deno.test("a client that announced how it answers is asked that way alone, without a limit", async () => {
  const own = opened("permission_request");
  const first = own.questions.ask(REQUEST, never());
  assertEquals(own.sent, []);
  own.questions.answer("q1", "once");
  assertEquals(await first, "once");

  const pi = opened("extension_ui_request");
  const second = pi.questions.ask(REQUEST, never());
  assertEquals([pi.sent.length, pi.sent[0]?.["timeout"], pi.questions.answer("q1", "once")], [1, undefined, false]);
  pi.questions.answerUi(pi.sent[0]?.id ?? "", { value: "Allow this call" });
  assertEquals(await second, "once");

  const none = opened("none");
  assertEquals([await none.questions.ask(REQUEST, never()), none.sent], ["no", []]);
});

Deno.test("an aborted call and a closed session end the question", async () => {
  const { questions } = opened();
  const stop = new AbortController();
  const answer = questions.ask(REQUEST, stop.signal);
  stop.abort();
  assertEquals(await answer, "no");
  const other = questions.ask(REQUEST, never());
  questions.close();
  assertEquals(await other, "no");
});
