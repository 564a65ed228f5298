import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/core/json.ts";
import type { PermissionAnswer } from "../../../src/core/event.ts";
import { plainEvents } from "../../../src/tui/plain/events.ts";
import { plainQuestion, type TakeLine } from "../../../src/tui/plain/questions.ts";
import type { Question } from "../../../src/tui/transcript/questions.ts";

const REQUEST = { id: "1", toolName: "write", denial: { kind: "write", target: "/x/a", grant: "/x" } } as const;
const WANTS = { name: "rules", path: "/x/rules.ts", hash: "ab", wants: { read: ["docs"] } };
type Ask = (done: (answer: unknown) => void) => Question;
const PERMISSION: Ask = (done) => ({ kind: "permission", request: REQUEST, done });
const GRANT: Ask = (done) => ({ kind: "grant", request: WANTS, done });
const CONFIRM: Ask = (done) => ({ kind: "confirm", title: "Deploy", message: "now?", done });

interface Answered {
  readonly answers: readonly unknown[];
  /** What was printed after the question. */
  readonly said: readonly string[];
  /** Lines that were not answers, but messages. */
  readonly messages: readonly string[];
}

/** Answers a question by lines. */
function answered(make: Ask, ...lines: readonly string[]): Answered {
  const answers: unknown[] = [];
  const printed: string[] = [];
  const messages: string[] = [];
  let take: TakeLine | undefined;
  plainQuestion(make((answer) => answers.push(answer)), (text) => printed.push(text), (next) => take = next);
  const asked = printed.length;
  for (const line of lines) {
    const now = take;
    take = undefined;
    if (now?.(line) === true) messages.push(line);
  }
  return { answers, said: printed.slice(asked), messages };
}

const CASES = [
  [PERMISSION, "o", "once"],
  [PERMISSION, " S ", "session"],
  [PERMISSION, "p", "project"],
  [PERMISSION, "no", "no"],
  [GRANT, "a", "always"],
  [GRANT, "n", "no"],
  [CONFIRM, "yes", true],
  [CONFIRM, "n", false],
] as const;
for (const [make, line, answer] of CASES) {
  Deno.test(`plainQuestion() takes ${JSON.stringify(line)} for ${answer}, and says nothing about it`, () => {
    assertEquals(answered(make, line), { answers: [answer], said: [], messages: [] });
  });
}

for (const [make, none] of [[PERMISSION, "no"], [GRANT, "no"], [CONFIRM, false]] as const) {
  for (const line of ["maybe", "", "constructor", "what is this?"]) {
    Deno.test(`plainQuestion() asks once more after ${JSON.stringify(line)}, then counts it as ${none}, and says so`, () => {
      const once = answered(make, line);
      assertEquals(once.answers, []);
      assertStringIncludes(once.said.join("\n"), "is none of the answers. Once more: ");
      const twice = answered(make, line, line);
      assertEquals(twice.answers, [none]);
      assertStringIncludes(twice.said[1] ?? "", "is none of the answers: taken as no.");
    });
  }
}

Deno.test("plainQuestion() after a run takes a line that is not an answer as no and as the next message", () => {
  const afterRun: Ask = (done) => ({ kind: "permission", request: REQUEST, isAfterRun: true, done });
  assertEquals(answered(afterRun, "s"), { answers: ["session"], said: [], messages: [] });
  for (const line of ["now run the tests", "/undo"]) {
    assertEquals(answered(afterRun, line), { answers: ["no"], said: [], messages: [line] });
  }
  const said = ["This is none of the answers: taken as no."];
  for (const line of [" ", "o"]) assertEquals(answered(afterRun, line), { answers: ["no"], said, messages: [] });
});

Deno.test("plainQuestion() takes the second line where it is an answer", () => {
  assertEquals(answered(PERMISSION, "maybe", "o").answers, ["once"]);
});

Deno.test("plainEvents() tells what was allowed and what was not", () => {
  const lines: string[] = [];
  const tell = plainEvents((line) => lines.push(line), "/w/app");
  const ask = (id: string, toolCallId: string, target: string): void => {
    const denial = { kind: "write", target, grant: "/o" } as const;
    tell({ type: "permission_request", id, toolCallId, toolName: "bash", denial });
  };
  for (const [id, answer] of ["once", "session", "project", "no"].entries()) {
    ask(String(id), "c", `/o/${id}`);
    tell({ type: "permission_decision", id: String(id), answer: answer as PermissionAnswer }); // one of those above
  }
  tell({ type: "permission_decision", id: "unheard", answer: "no" });
  assertEquals(lines.splice(0), [
    "Allowed once: write /o/0, with --allow-write=+/o/",
    "Allowed for this session: write /o/1, with --allow-write=+/o/",
    "Allowed for this project: write /o/2, with --allow-write=+/o/",
    "Not allowed: write /o/3",
    "Not allowed",
  ]);
  // A question is about one thing: what else was denied is said, too.
  ask("9", "d", "/o/9");
  tell({ type: "permission_decision", id: "9", answer: "no" });
  lines.length = 0;
  tell({
    type: "tool_execution_end",
    toolCallId: "d",
    toolName: "bash",
    isError: true,
    durationMs: 1,
    result: {
      content: [],
      details: {
        denials: [
          { kind: "write", target: "/o/9", grant: "/o" },
          { kind: "net", target: "a.test:443", grant: "a.test:443" },
          { kind: "read", target: "/s", why: "it may hold secrets" },
        ],
      },
    },
  });
  assertEquals(lines.slice(1, 3), [
    "Denied: connect to a.test:443. Allow it with /allow or --allow-net=+a.test:443",
    "Denied: read /s: it may hold secrets",
  ]);
});

Deno.test("plainEvents() tells each denial of a call once, by what it is; nothing that a command wrote hides one R480", () => {
  const said = (text: string, details: JsonObject): string[] => {
    const lines: string[] = [];
    const result = { content: [{ type: "text" as const, text }], details };
    const ended = { toolCallId: "d", toolName: "bash", isError: true, durationMs: 1, result };
    plainEvents((line) => lines.push(line), "/w/app")({ type: "tool_execution_end", ...ended });
    return lines.slice(1);
  };
  const secret = { kind: "read", target: "/s", why: "it may hold secrets" };
  const line = "Denied: read /s: it may hold secrets";
  const note = "Sandbox: cannot read /s: it may hold secrets.";
  // How many lines are the program's own is counted, not guessed.
  assertEquals(said(`cat: /s: no\n\n${note}`, { denials: [secret, secret], toldLines: 1 }), [line, "cat: /s: no"]);
  assertEquals(said(note, { denials: [secret], toldLines: 1 }), [line]);
  for (const own of [note, line]) {
    assertEquals(said(own, { denials: [{ ...secret, times: 3 }] }), [
      "Denied: read /s (3 times): it may hold secrets",
      own,
    ]);
  }
  // Without a question what could be allowed is said, too; an allowed one that is denied again is.
  const denial = { kind: "read", target: "/srv/x", grant: "/srv/x" };
  assertEquals(said("no", { denial }), ["Denied: read /srv/x. Allow it with /allow or --allow-read=+/srv/x", "no"]);
});
