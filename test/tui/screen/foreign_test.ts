import { assert, assertEquals } from "@std/assert";
import { cleaned, cleanedEngine, cleanLine, cleanText } from "../../../src/tui/screen/foreign.ts";
import { onlyStyles } from "../../../src/tui/screen/only_styles.ts";
import type { AgentEvent } from "../../../src/core/event.ts";
import { scriptedEngine } from "../scripted_engine.ts";

const CASES = [
  { name: "the clipboard (OSC 52)", text: "a\x1b]52;c;aGk=\x07b", clean: "ab" },
  { name: "the title (OSC 0)", text: "a\x1b]0;owned\x1b\\b", clean: "ab" },
  { name: "an OSC without an end", text: "a\x1b]0;owned", clean: "a" },
  { name: "cursor moves (CSI)", text: "a\x1b[10;10Hb\x1b[2Jc", clean: "abc" },
  { name: "modes (DECSET)", text: "a\x1b[?1049h\x1b[?2004lb", clean: "ab" },
  { name: "colours", text: "a\x1b[31mb", clean: "ab" },
  { name: "C1 controls", text: "a\x9b31mb\x85c\x90qd", clean: "abc" },
  { name: "bell, backspace, carriage return", text: "a\x07b\x08c\rd", clean: "abc\nd" },
  { name: "overrides of direction", text: "a\u202eb\u2066c\u200fd", clean: "abcd" },
  { name: "separators of lines", text: "a\u2028b\u2029c", clean: "abc" },
  { name: "invisible tags", text: "a\u{e0041}b", clean: "ab" },
  { name: "tabs", text: "a\tb", clean: "a    b" },
  { name: "nothing else", text: "漢字 👩‍👩‍👧 é ­z", clean: "漢字 👩‍👩‍👧 é ­z" },
] as const;

for (const { name, text, clean } of CASES) {
  Deno.test(`cleanText() takes out ${name}`, () => assertEquals(cleanText(text), clean));
}

Deno.test("cleanText() leaves nothing when a sequence comes in pieces that are cleaned one by one", () => {
  const whole = "x\x1b]52;c;aGk=\x07y\x1b[31mz\x1b[?1049h";
  for (let size = 1; size < 6; size++) {
    const pieces = whole.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
    // deno-lint-ignore no-control-regex -- what must not be left
    assert(!/[\x00-\x09\x0b-\x1f\x7f-\x9f]/.test(pieces.map(cleanText).join("")), `pieces of ${size}`);
  }
});

Deno.test("cleanLine() is one line", () => assertEquals(cleanLine(" a\n\x1b[2Jb\t c "), "a b c"));

Deno.test("cleaned() cleans every string of a value, names of fields included", () => {
  const value = { "a\x1b[2J": ["b\x07", { c: "d\u202e", n: 1, u: undefined }], date: new Date(0) };
  assertEquals<unknown>(cleaned(value), { a: ["b", { c: "d", n: 1, u: undefined }], date: new Date(0) });
});

Deno.test("cleanedEngine() gives nothing on that could steer a terminal", async () => {
  const bad = "\x1b]0;owned\x07x";
  const engine = scriptedEngine([{ role: "user", content: bad, timestamp: 0 }]);
  engine.set({ sessionName: bad, cwd: bad, steering: [bad] });
  const clean = cleanedEngine({
    ...engine,
    notices: [bad],
    commands: () => [{ name: bad, description: bad, kind: "skill" }],
  });
  const events: AgentEvent[] = [];
  clean.subscribe((event) => events.push(event));
  engine.emit({ type: "notice", level: "info", message: bad });
  engine.emit({ type: "tool_execution_start", toolCallId: "1", toolName: bad, args: { [bad]: [bad] } });
  engine.emit({ type: "agent_end", messages: [{ role: "user", content: bad, timestamp: 0 }], ending: "done" });
  const seen = JSON.stringify([
    clean.notices,
    clean.state(),
    clean.messages(),
    clean.commands(),
    events,
    await clean.prompt({
      text: "a",
      source: "interactive",
    }),
  ]);
  assert(!/owned|\\u001b|\\u0007/.test(seen), seen);
});

Deno.test("onlyStyles() lets colours and text through and nothing else", () => {
  assertEquals(onlyStyles("\x1b[1;31mred\x1b[0m"), "\x1b[1;31mred\x1b[0m");
  assertEquals(onlyStyles("a\x1b]0;t\x07b\x1b[2Jc\x1bc\x9b1md\r\ne\u202ef"), "a]0;tb[2Jcc1mdef");
});
