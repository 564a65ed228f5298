// Sub-agents on the screen of the real program: a line for each, and its own conversation behind Enter.
import { assert, assertMatch } from "@std/assert";
import { hasTmux, type Pty } from "./pty.ts";
import { inTerminal, type Places, type WorldOptions } from "./world.ts";

function test(title: string, options: WorldOptions, work: (pty: Pty, places: Places) => Promise<void>): void {
  Deno.test({ name: title, ignore: !hasTmux, fn: () => inTerminal({ columns: 110, ...options }, work) });
}

/** A command that waits for a file in the workspace. */
const waits = (file: string) => ({ name: "bash", args: { command: `until [ -e ${file} ]; do sleep 0.05; done` } });
const task = (args: object) => ({ name: "task", args });
const usage = { input: 100, output: 10, costUsd: 0.25 };

const TWO: WorldOptions = {
  files: { "a/x.txt": "x" },
  args: ["--tools", "read,bash,task"],
  replies: [
    {
      calls: [
        task({ description: "port the parser", prompt: "Sub-agent one", write: ["a"] }),
        task({ description: "find callers", prompt: "Sub-agent two" }),
      ],
    },
    {
      conversation: "Sub-agent one",
      text: "I begin with the lexer.",
      calls: [{ name: "bash", args: { command: "true" } }],
      usage,
    },
    { conversation: "Sub-agent one", calls: [waits("go-one")], usage },
    { conversation: "Sub-agent one", text: "The parser is ported.", usage },
    { conversation: "Sub-agent two", calls: [waits("go-two")] },
    { conversation: "Sub-agent two", text: "Nobody calls it." },
    { text: "Both have ended." },
  ],
};

async function say(pty: Pty, text: string): Promise<void> {
  await pty.type(text);
  await pty.keys("Enter");
}

test("each sub-agent has a line: what it may change, what it does now, turns and cost", TWO, async (pty, { ws }) => {
  await pty.see("write: .");
  await say(pty, "go");
  await pty.see("2 sub-agents work, Enter shows them");
  await pty.see(/a1 · writes a · \$ until \[ -e go-one \].* · 1 turn · \$0\.25/);
  await pty.see(/a2 · reads · \$ until \[ -e go-two \].* · 0 turns/);
  Deno.writeTextFileSync(`${ws}/go-two`, "");
  await pty.see("a sub-agent works, Enter shows it");
  Deno.writeTextFileSync(`${ws}/go-one`, "");
  await pty.see("Both have ended.");
  await say(pty, "/agents");
  await pty.see(/port the parser +a1 · writes a · done · 3 turns · \$0\.75/);
  await pty.see(/find callers +a2 · reads · done · 2 turns/);
});

test(
  "Enter on an empty line lists them while they work, Enter opens one's conversation, which goes on",
  TWO,
  async (pty, { ws }) => {
    await pty.see("write: .");
    await say(pty, "go");
    await pty.see(/a1 · writes a · \$ until/);
    await pty.see(/a2 · reads · \$ until/);
    await pty.keys("Enter");
    await pty.see("Sub-agents");
    const list = await pty.see("find callers");
    assertMatch(list, /port the parser +a1 · writes a/);
    await new Promise((later) => setTimeout(later, 700)); // a key counts when nothing was typed for half a second
    await pty.keys("Up");
    await pty.see("❯ port the parser");
    await pty.keys("Enter");
    const opened = await pty.see("I begin with the lexer.");
    assert(!opened.includes("Sub-agent two"), opened);
    Deno.writeTextFileSync(`${ws}/go-one`, "");
    await pty.see("The parser is ported.");
    await pty.keys("Escape");
    await pty.gone("I begin with the lexer.");
    Deno.writeTextFileSync(`${ws}/go-two`, "");
    await pty.see("Both have ended.");
    // After their end the list is still to be had, by its name.
    await say(pty, "/agents");
    await pty.see(/find callers +a2 · reads · done/);
    await new Promise((later) => setTimeout(later, 700));
    await pty.keys("Enter");
    await pty.see("Sub-agent one");
  },
);
