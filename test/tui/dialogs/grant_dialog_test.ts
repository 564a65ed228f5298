import { assertEquals } from "@std/assert";
import { grantDialog } from "../../../src/tui/dialogs/question_form.ts";
import { themeOf } from "../../../src/tui/screen/theme.ts";
import { typedDraft } from "../draft.ts";

const LOOK = { width: 70, rows: 20, theme: themeOf("none"), expanded: false };

function dialog() {
  let time = 0;
  const draft = typedDraft();
  const answers: string[] = [];
  const made = grantDialog(
    {
      name: "rules\x1b[2J",
      path: "/home/ann/rules.ts",
      hash: "ab".repeat(32),
      wants: { net: ["example.com:443"], read: ["docs", "~/notes"], env: [] },
    },
    draft,
    () => time,
    (answer) => answers.push(answer),
  );
  return { made, draft, answers, wait: (ms: number) => void (time += ms) };
}

Deno.test("grantDialog() says which extension wants what, and for which files an answer holds; No is chosen", () => {
  // deno-lint-ignore no-control-regex -- styles
  const lines = dialog().made.lines(LOOK).map((line) => line.replace(/\x1b\[[0-9;]*m/g, ""));
  assertEquals(lines, [
    "▣ Extension rules asks for more than it has:",
    "  read docs, ~/notes",
    "  connect to example.com:443",
    "/home/ann/rules.ts, SHA-256 abababababababab…",
    "❯ n  No, it runs without",
    "  o  Yes, until it is loaded again",
    "  s  Yes, for this session",
    "  a  Always, until one of its files changes (kept in your settings)",
    "↑↓ or the letter, then Enter · Esc: no",
  ]);
});

for (
  const { name, keys, waits, answers } of [
    { name: "Enter after a while is no", keys: ["\r"], waits: 600, answers: ["no"] },
    { name: "a letter and Enter after a while answer", keys: ["a", "\r"], waits: 600, answers: ["always"] },
    { name: "Escape is no at once", keys: ["\x1b"], waits: 0, answers: ["no"] },
    { name: "letters and Enter at once answer nothing", keys: ["a", "s", "\r"], waits: 0, answers: [] },
  ] as const
) {
  Deno.test(`grantDialog() ${name}`, () => {
    const { made, draft, answers: given, wait } = dialog();
    wait(waits);
    draft.type(made, ...keys);
    assertEquals<readonly string[]>(given, answers);
  });
}
