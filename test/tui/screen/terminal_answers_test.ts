import { assertEquals } from "@std/assert";
import { terminalAnswers } from "../../../src/tui/screen/terminal_answers.ts";
import { until } from "../../helpers/until.ts";

const CASES = [
  { name: "white", answer: "\x1b]11;rgb:ffff/ffff/ffff\x07", ground: "light" },
  { name: "black", answer: "\x1b]11;rgb:0000/0000/0000\x1b\\", ground: "dark" },
  { name: "cream in two digits", answer: "\x1b]11;rgb:fd/f6/e3\x1b\\", ground: "light" },
  { name: "blue with transparency", answer: "\x1b]11;rgba:0000/2b2b/3636/ffff\x07", ground: "dark" },
  { name: "what is no colour", answer: "\x1b]11;none\x07", ground: undefined },
  { name: "no answer but that all is well", answer: "\x1b[0n", ground: undefined },
] as const;

for (const { name, answer, ground } of CASES) {
  Deno.test(`terminalAnswers() knows ${name}, in one piece or cut anywhere, and gives no byte of it to the keys`, async () => {
    for (let cut = 0; cut < answer.length; cut++) {
      // A lone ESC at an end is a key: nobody can tell it from one.
      if (cut === 1 || answer[cut - 1] === "\x1b") continue;
      if (answer.startsWith("\x1b[") && cut > 0) continue;
      let keys = "";
      const answers = terminalAnswers((text) => keys += text);
      const found = answers.ground();
      answers.push("a" + answer.slice(0, cut));
      answers.push(answer.slice(cut) + "b\x1b[0n");
      assertEquals([await found, keys, answers.isWaiting()], [ground, "ab", false]);
    }
  });
}

Deno.test("terminalAnswers() takes an answer that comes late, too, and nothing else away", () => {
  let keys = "";
  const answers = terminalAnswers((text) => keys += text);
  answers.push("\x1b]");
  answers.push("\x1b[A\x1b[200~x\x1b[201~\x1b");
  answers.push("\x1b]11;rgb:0/0/0\x07\x1b[0n");
  assertEquals(keys, "\x1b]\x1b[A\x1b[200~x\x1b[201~\x1b");
});

Deno.test("terminalAnswers() holds a key that looks like the beginning of an answer for a moment only", async () => {
  let keys = "";
  const answers = terminalAnswers((text) => keys += text);
  void answers.ground();
  answers.push("\x1b]");
  assertEquals(keys, "");
  await until(() => keys === "\x1b]");
});
