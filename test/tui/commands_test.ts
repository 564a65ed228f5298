import { assertEquals, assertThrows } from "@std/assert";
import { stripControls } from "../../src/core/support/text.ts";
import { UserError } from "../../src/core/error.ts";
import type { CommandContext } from "../../src/tui/commands/command.ts";
import { toolsCommand } from "../../src/tui/commands/model.ts";
import { scriptedEngine } from "./scripted_engine.ts";
import { allCommands, parseSlash, SLASH_COMMANDS } from "../../src/tui/commands/table.ts";
import { hasLine, treeChoices } from "../../src/tui/commands/tree.ts";
import { promptCommand } from "../../src/tui/commands/show.ts";
import { type Theme, themeOf } from "../../src/tui/screen/theme.ts";
import { keyBindings } from "../../src/tui/widgets/key_bindings.ts";
import type { SessionEntry } from "../../src/core/session.ts";

Deno.test("SLASH_COMMANDS are those of the program, each once", () => {
  const names =
    "help model thinking theme plan background allow tools output policy prompt skills compact tree undo redo trial fork resume name label export copy reload audit agents cost clear quit";
  assertEquals(SLASH_COMMANDS.map(({ name }) => name).sort(), names.split(" ").sort());
});

Deno.test("/help keeps to its columns in a terminal of 80 columns", () => {
  const help = SLASH_COMMANDS.find(({ name }) => name === "help");
  const engine = { commands: () => [] };
  const shown: string[] = [];
  // Only what this command uses.
  const context = {
    engine,
    world: { keys: keyBindings() },
    page: (lines: Parameters<CommandContext["page"]>[0]) =>
      void shown.push(...lines(themeOf("none")).map(stripControls)),
  } as unknown as CommandContext;
  help?.run(context, "");
  assertEquals(shown.includes("Commands"), true);
  assertEquals(shown.filter((line) => line.length > 80), []);
});

Deno.test("docs/tui.md names every command and every key", () => {
  const page = Deno.readTextFileSync(new URL("../../docs/tui.md", import.meta.url));
  const names = [
    ...SLASH_COMMANDS.map(({ name }) => `\`/${name}`),
    ...keyBindings().rows.flatMap(({ keys }) => keys.split(/,? /)),
  ];
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

Deno.test("hasLine() is true of what /tree shows, so that a label is seen", () => {
  const base = { id: "1", parentId: null, timestamp: "" };
  const assistant = (text: string): SessionEntry => ({
    ...base,
    type: "message",
    message: {
      role: "assistant",
      content: [{ type: "text", text }],
      provider: "p",
      model: "m",
      stopReason: "stop",
      timestamp: 0,
    },
  });
  const result: SessionEntry = {
    ...base,
    type: "message",
    message: { role: "toolResult", toolCallId: "c", toolName: "read", content: [], isError: false, timestamp: 0 },
  };
  assertEquals([assistant("said"), assistant(""), result].map(hasLine), [true, false, false]);
});

Deno.test("/tools refuses a name that no tool of the session has, and switches nothing then", () => {
  const engine = scriptedEngine();
  const asked: (readonly string[])[] = [];
  const tools = [{ name: "read", description: "Reads.", active: true, origin: "builtin" as const }];
  const context = {
    engine: { ...engine, tools: () => tools, setActiveTools: (names: readonly string[]) => (asked.push(names), names) },
    page: () => {},
  } as unknown as CommandContext; // the command needs no more of it
  const error = assertThrows(() => toolsCommand(context, "-read +nosuch"), UserError);
  assertEquals([error.what, asked], ['There is no tool "nosuch" in this session', []]);
  toolsCommand(context, "-read");
  assertEquals(asked, [[]]);
});

Deno.test("/prompt says nothing of persona files that there are not, and names a draft", () => {
  const file = (name: string, message: string, section: string) => ({
    code: "missing_file" as const,
    message,
    file: `/w/${name}`,
    section,
  });
  const diagnostics = [
    file("SOUL.md", "There is no SOUL.md. To have one, write it into /w", "soul_core"),
    file(
      "IDENTITY.md",
      'IDENTITY.md is a draft. Remove "status: draft" from its first lines to use it',
      "identity_core",
    ),
    { code: "file_read_error" as const, message: "It cannot be read", file: "/w/USER.md", section: "user_persona" },
  ];
  const manifest = { sections: [], diagnostics, tools: { names: [] }, fingerprints: { stable: "", dynamic: "" } };
  let shown: readonly string[] = [];
  const context = {
    engine: { compiled: () => ({ manifest, full: "" }) },
    page: (lines: (theme: Theme) => readonly string[]) => void (shown = lines(themeOf("none"))),
  } as unknown as CommandContext; // the command needs no more of it
  promptCommand(context, "");
  assertEquals(shown.filter((line) => line.startsWith("!")).map((line) => line.slice(0, 32)), [
    "! missing_file: IDENTITY.md is a",
    "! file_read_error: It cannot be ",
  ]);
});
