// A model that does one task of ten turns. What it says next depends on the conversation alone, as a model's words do: so
// it goes on after a retry, an interruption or in another process wherever the conversation stands.
import { assertEquals } from "@std/assert";
import { join } from "@std/path";

/** One call of the model. */
export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the model says in one turn. */
export interface Turn {
  readonly text: string;
  readonly calls: readonly Call[];
}

export type Api = "chat" | "responses";

/** The last words. */
export const DONE = "All ten are done.";

/** What lies in the workspace before the task. */
export const BEFORE = { "notes.txt": "one\ntwo\nthree\n" };

const POEM = Array.from({ length: 40 }, (_, line) => `${line}: größer, 長い, 🦜 "quoted" \\ back\ttab`).join("\n") +
  "\n";
const log = (turn: number): Call => ({
  name: "bash",
  args: { command: `echo ${turn} >> log.txt; echo logged ${turn}` },
});
const write = (path: string, content: string): Call => ({ name: "write", args: { path, content } });

/** What a call's result says when it did what it was for. */
const SUCCESS: Readonly<Record<string, RegExp>> = {
  bash: /^(logged \d+|joined)/,
  read: /größer|three/,
  write: /^Successfully wrote/,
  // A run that was ended in the middle may have done it before.
  edit: /^Successfully replaced|Cannot edit/,
};

const TURNS: readonly Turn[] = [
  { text: "First I look around.", calls: [{ name: "read", args: { path: "notes.txt" } }] },
  { text: "", calls: [write("src/poem.txt", POEM)] },
  { text: "A line in the log.", calls: [log(3)] },
  { text: "", calls: [{ name: "edit", args: { path: "notes.txt", edits: [{ oldText: "two\n", newText: "2\n" }] } }] },
  { text: "Two at once.", calls: [write("src/a.txt", "a".repeat(500) + "\n"), write("src/b.txt", "b\n")] },
  { text: "", calls: [log(6), { name: "read", args: { path: "src/poem.txt", limit: 3 } }] },
  {
    text: "Together:",
    calls: [{ name: "bash", args: { command: "cat src/a.txt src/b.txt > src/c.txt; echo joined" } }],
  },
  { text: "", calls: [write("src/a.txt", "second\n")] },
  { text: "Last line.", calls: [log(9)] },
];

const EXPECTED: Readonly<Record<string, string>> = {
  "notes.txt": "one\n2\nthree\n",
  "src/poem.txt": POEM,
  "src/a.txt": "second\n",
  "src/b.txt": "b\n",
  "src/c.txt": "a".repeat(500) + "\nb\n",
};

const LOGGED = ["3", "6", "9"];

/**
 * Looks at the workspace of a task that is done.
 *
 * @param isOnce Whether nothing was interrupted, so that no command can have run twice.
 */
export function assertFiles(folder: string, isOnce: boolean): void {
  const found = Object.fromEntries(
    Object.keys(EXPECTED).map((name) => [name, Deno.readTextFileSync(join(folder, name))]),
  );
  assertEquals(found, EXPECTED);
  const lines = Deno.readTextFileSync(join(folder, "log.txt")).trimEnd().split("\n");
  assertEquals(isOnce ? lines : [...new Set(lines)], LOGGED);
  const names = [...Deno.readDirSync(folder), ...Deno.readDirSync(join(folder, "src"))].map(({ name }) => name).sort();
  assertEquals(names, ["a.txt", "b.txt", "c.txt", "log.txt", "notes.txt", "poem.txt", "src"]);
}

interface Answered {
  readonly id: string;
  readonly name: string;
  readonly args: string;
  readonly result: string;
}

/** What the conversation of a request asks for next. Throws where no server would take it. */
export function nextTurn(body: string, api: Api): Turn {
  const answered = api === "chat" ? chatCalls(JSON.parse(body)) : responsesCalls(JSON.parse(body));
  const isDone = (call: Call): boolean =>
    answered.some(({ name, args, result }) =>
      name === call.name && sameArguments(args, call.args) && SUCCESS[name]?.test(result) === true
    );
  const turn = TURNS.find(({ calls }) => !calls.every(isDone)) ?? { text: DONE, calls: [] };
  return { ...turn, calls: turn.calls.filter((call) => !isDone(call)) };
}

function sameArguments(text: string, args: Call["args"]): boolean {
  const sorted = (value: object): string => JSON.stringify(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
  return sorted(JSON.parse(text)) === sorted(args);
}

// deno-lint-ignore no-explicit-any -- the wire format, which this is a test of
function chatCalls({ messages }: any): Answered[] {
  const answered: Answered[] = [];
  for (let at = 0; at < messages.length; at++) {
    const calls = messages[at].tool_calls ?? [];
    if (messages[at].role === "tool") throw new Error(`message ${at} answers no call`);
    unique(calls.map(({ id }: { id: string }) => id));
    for (const { id, function: { name, arguments: args } } of calls) {
      const answer = messages[++at];
      if (answer?.role !== "tool" || answer.tool_call_id !== id) throw new Error(`call ${id} is not answered`);
      answered.push({ id, name, args, result: answer.content });
    }
  }
  return answered;
}

// deno-lint-ignore no-explicit-any -- the wire format, which this is a test of
function responsesCalls({ input }: any): Answered[] {
  const outputs = input.filter(({ type }: { type?: string }) => type === "function_call_output");
  const calls = input.filter(({ type }: { type?: string }) => type === "function_call");
  // Of the whole conversation: this API has no other order to go by.
  unique(calls.map(({ call_id }: { call_id: string }) => call_id));
  if (calls.length !== outputs.length) throw new Error(`${calls.length} calls and ${outputs.length} results`);
  // deno-lint-ignore no-explicit-any -- as above
  return calls.map(({ call_id: id, name, arguments: args }: any) => {
    const output = outputs.find((one: { call_id: string }) => one.call_id === id);
    if (output === undefined) throw new Error(`call ${id} is not answered`);
    return { id, name, args, result: output.output };
  });
}

function unique(ids: readonly string[]): void {
  if (new Set(ids).size !== ids.length) throw new Error(`the same id twice: ${ids.join(" ")}`);
}
