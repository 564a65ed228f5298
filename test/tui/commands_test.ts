import { assertEquals } from "@std/assert";
import { allCommands, parseSlash, SLASH_COMMANDS } from "../../src/tui/commands/table.ts";
import { treeChoices } from "../../src/tui/commands/tree.ts";
import { KEYS } from "../../src/tui/keys_table.ts";
import type { SessionEntry } from "../../src/core/session.ts";

Deno.test("SLASH_COMMANDS are those of the program, each once", () => {
  const names =
    "help model thinking tools policy prompt skills compact tree fork resume name label export reload audit cost clear quit";
  assertEquals(SLASH_COMMANDS.map(({ name }) => name).sort(), names.split(" ").sort());
});

Deno.test("docs/tui.md names every command and every key", () => {
  const page = Deno.readTextFileSync(new URL("../../docs/tui.md", import.meta.url));
  const names = [...SLASH_COMMANDS.map(({ name }) => `\`/${name}`), ...KEYS.flatMap(({ keys }) => keys.split(/,? /))];
  assertEquals(names.filter((name) => !page.includes(name)), []);
});

Deno.test("parseSlash() takes commands and leaves paths alone", () => {
  const cases = [
    ["/model gpt-5", { name: "model", args: "gpt-5" }],
    ["/skill:review the diff", { name: "skill:review", args: "the diff" }],
    ["/etc/hosts is wrong", undefined],
    ["look at /model", undefined],
    ["/", undefined],
  ] as const;
  for (const [text, parsed] of cases) assertEquals(parseSlash(text), parsed);
});

Deno.test("allCommands() has the program's own first, and nobody takes their names", () => {
  const names = allCommands([
    { name: "quit", description: "not this one", kind: "extension" },
    { name: "deploy", description: "d", kind: "extension" },
  ]).map(({ name }) => name);
  assertEquals([names.filter((name) => name === "quit").length, names.at(-1)], [1, "deploy"]);
});

Deno.test("treeChoices() shows branches where they part, labels, and the place at hand", () => {
  const base = { timestamp: "" };
  const user = (id: string, parentId: string | null, content: string): SessionEntry => ({
    ...base,
    id,
    parentId,
    type: "message",
    message: { role: "user", content, timestamp: 0 },
  });
  const entries: readonly SessionEntry[] = [
    user("1", null, "start"),
    user("2", "1", "left"),
    user("3", "1", "right\x1b[2J"),
    { ...base, id: "4", parentId: "3", type: "label", targetId: "2", label: "old" },
    { ...base, id: "5", parentId: "4", type: "model_change", provider: "p", modelId: "m" },
  ];
  assertEquals(treeChoices(entries, "5"), [
    { label: "❯ start", value: "1" },
    { label: "│ ❯ left", value: "2", detail: "old" },
    { label: "│ ❯ right", value: "3", detail: "here" },
  ]);
});
