import { assert, assertEquals } from "@std/assert";
import { allowsSampling, askForm, type AskUser, samplingRequest } from "../../src/mcp/user_input.ts";

/** A user who gives these answers in order, and what they were asked. */
function user(answers: readonly (string | undefined)[]): { readonly ask: AskUser; readonly asked: string[] } {
  const asked: string[] = [];
  const next = (title: string): Promise<string | undefined> => {
    asked.push(title);
    return Promise.resolve(answers[asked.length - 1]);
  };
  return { asked, ask: { select: (title) => next(title), input: (title) => next(title) } };
}

const signal = new AbortController().signal;
const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name", description: "of you" },
    age: { type: "integer", default: 30 },
    sure: { type: "boolean" },
    color: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] },
    days: { type: "array", items: { enum: ["mon", "tue"] } },
  },
  required: ["name"],
};
const form = { message: "Who\x1b[31m are you?", requestedSchema: SCHEMA };

Deno.test("askForm() asks for each field and gives values of its type", async () => {
  const { ask, asked } = user(["Answer", "Ann", "seven", "7", "No", "Green", "mon, tue"]);
  assertEquals(await askForm("s", form, ask, signal), {
    action: "accept",
    content: { name: "Ann", age: 7, sure: false, color: "g", days: ["mon", "tue"] },
  });
  assertEquals(asked[0], 'The MCP server "s" asks: Who are you?');
  assertEquals(asked[1], "Name: of you");
  assert(asked[3]?.includes("does not fit"));
});

Deno.test("askForm() leaves optional fields out, and takes defaults", async () => {
  const { ask } = user(["Answer", "Ann", "", "(leave out)", "(leave out)", ""]);
  assertEquals(await askForm("s", form, ask, signal), { action: "accept", content: { name: "Ann", age: 30 } });
});

for (
  const [name, answers] of [
    ["a value", ["Answer", "Ann", undefined]],
    ["a choice", ["Answer", "Ann", "7", undefined]],
    ["the last value", ["Answer", "Ann", "7", "No", "Green", undefined]],
  ] as const
) {
  Deno.test(`askForm() is cancelled, and sends nothing, if the user closes the question for ${name}`, async () => {
    assertEquals(await askForm("s", form, user(answers).ask, signal), { action: "cancel" });
  });
}

Deno.test("askForm() is cancelled if no answer to a field fits", async () => {
  assertEquals(await askForm("s", form, user(["Answer", "Ann", "a", "b", "c"]).ask, signal), { action: "cancel" });
});

for (const [first, action] of [["Decline", "decline"], [undefined, "cancel"], ["other", "cancel"]] as const) {
  Deno.test(`askForm() that is answered with ${first} is ${action}`, async () => {
    assertEquals(await askForm("s", form, user([first]).ask, signal), { action });
  });
}

Deno.test("askForm() without a required field is cancelled", async () => {
  assertEquals(await askForm("s", form, user(["Answer", ""]).ask, signal), { action: "cancel" });
});

Deno.test("samplingRequest() and allowsSampling(): the user sees what the model would be asked", async () => {
  const request = samplingRequest({
    messages: [{ role: "user", content: { type: "text", text: "Sum it up" } }, {
      role: "user",
      content: [{ type: "image" }],
    }],
    systemPrompt: "Be brief",
    maxTokens: 1e9,
  });
  assertEquals(request, {
    system: "Be brief",
    text: "user: Sum it up\n\nuser: [a part that is not text is left out]",
    maxTokens: 8_192,
  });
  const yes = user(["Allow this request"]);
  assertEquals(await allowsSampling("s", request, yes.ask, signal), true);
  assert(yes.asked[0]?.includes("Sum it up"));
  const long = user([undefined]);
  await allowsSampling("s", { ...request, text: "x".repeat(2_000) }, long.ask, signal);
  assert(long.asked[0]?.endsWith("(1010 more characters not shown)"), long.asked[0]);
  for (const answer of ["Deny", undefined]) {
    assertEquals(await allowsSampling("s", request, user([answer]).ask, signal), false);
  }
});
