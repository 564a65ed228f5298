import { visibleJson } from "../../../src/core/support/text.ts";
import { assert, assertEquals } from "@std/assert";
import type { SessionEntry } from "../../../src/core/session.ts";
import { listLines } from "../../../src/session/export/list_text.ts";
import { markdownPieces } from "../../../src/session/export/markdown.ts";
import { textPieces } from "../../../src/session/export/text.ts";
import { treeLines } from "../../../src/session/export/tree_text.ts";
import { oneLine } from "../../../src/session/view/visible_text.ts";
import { loadSession } from "../../../src/session/load.ts";
import type { SessionSummary } from "../../../src/session/summary.ts";
import { inWorld, reply, result, user } from "../world.ts";
import { everyKind, viewEntries, viewOf } from "./sample.ts";

const at = { timestamp: "2026-03-07T08:00:00.000Z" };
const message = (id: string, parentId: string | null, message: unknown): SessionEntry =>
  // The tests' own messages
  ({ type: "message", id, parentId, ...at, message }) as SessionEntry;

const ENTRIES: readonly SessionEntry[] = [
  message("u1", null, user("Add a\n  sum")),
  { type: "custom", id: "m1", parentId: "u1", ...at, customType: "manifest", data: {} },
  message("a1", "m1", {
    ...reply("I look."),
    content: [{ type: "text", text: "I look." }, {
      type: "toolCall",
      id: "c",
      name: "read",
      arguments: { path: "a.ts" },
    }],
    stopReason: "toolUse",
  }),
  message("r1", "a1", result("c", "1 + 1\n")),
  message("a2", "r1", reply("Left.")),
  message("u2", "r1", user("Other way")),
  message("a3", "u2", reply("## Right\n\n~~~ts\n`````\n~~~")),
  message("u3", null, user("From the start")),
  message("u4", "u2", user("Third")),
  { type: "label", id: "l1", parentId: "u4", ...at, targetId: "u2", label: "fork" },
];

Deno.test("treeLines() moves in only where the session parts, and marks where it goes on", () => {
  assertEquals(
    [...treeLines(ENTRIES)].join(""),
    [
      "├─ u1 User: Add a sum",
      "│  a1 Assistant (m): I look. [read a.ts]",
      "│  r1 Result of read: 1 + 1",
      "│  ├─ a2 Assistant (m): Left.",
      '│  └─ u2 User: Other way "fork"',
      "│     ├─ a3 Assistant (m): ## Right ~~~ts ````` ~~~",
      "│     └─ u4 User: Third  <- here",
      "└─ u3 User: From the start",
      "",
    ].join("\n"),
  );
});

Deno.test("treeLines() of a chain of 100,000 entries neither overflows nor moves in", () => {
  const chain = Array.from({ length: 100_000 }, (_, i) => message(`e${i}`, i === 0 ? null : `e${i - 1}`, user("x")));
  const lines = [...treeLines(chain)];
  assertEquals([lines.length, lines[99_999]], [100_000, "e99999 User: x  <- here\n"]);
});

Deno.test("textPieces() indents what was said, below lines of its own R300", () => {
  assertEquals(
    [...textPieces(viewEntries(ENTRIES))].join(""),
    `Session     s
Workspace   /w
Model       openai/m
From        2026-03-07 08:00:00Z
To          2026-03-07 08:00:00Z
Messages    2 of the user, 2 of the model, 1 tool calls
Tokens      1,200 in, 34 out
Cost        $0.0123
Left out    3 other branches

u1  User  2026-03-07 08:00:00Z
  Add a
    sum

a1  Assistant (m)  2026-03-07 08:00:00Z
  I look.
  > read {"path":"a.ts"}

r1  Result of read  2026-03-07 08:00:00Z
  1 + 1

u2  User  2026-03-07 08:00:00Z  [fork]
  Other way

u4  User  2026-03-07 08:00:00Z
  Third
`,
  );
});

Deno.test("markdownPieces() has fences longer than what is in them, and branches under headings of their own", () => {
  const text = [...markdownPieces(viewEntries(ENTRIES, true))].join("");
  assertEquals(
    text.slice(text.indexOf("\n---")),
    `
---

# Branch that continues r1

## Assistant (m), 2026-03-07 08:00:00Z

Left.

---

# Branch that continues u2

## Assistant (m), 2026-03-07 08:00:00Z

#### Right

\`\`\`\`\`\`ts
\`\`\`\`\`
\`\`\`\`\`\`

---

# Another beginning

## User, 2026-03-07 08:00:00Z

\`\`\`text
From the start
\`\`\`
`,
  );
});

const CONTROLS = "a\x1b[2J\x1b]0;x\x07\x9b1mb\u202ec\x00";
const FORMS = [
  ["textPieces()", (path: string) => textPieces(viewOf(path, true))],
  ["markdownPieces()", (path: string) => markdownPieces(viewOf(path, true))],
  ["treeLines()", (path: string) => treeLines(loadSession(path).entries)],
  ["visibleJson()", (path: string) => [visibleJson(loadSession(path).entries, 2)]],
] as const;
for (const [name, form] of FORMS) {
  Deno.test(`${name} steers no terminal, whatever kind of entry it comes from`, () => {
    inWorld((world) => {
      const text = [...form(everyKind(world, CONTROLS))].join("");
      // deno-lint-ignore no-control-regex -- they are what must not be there
      assertEquals(text.match(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g), null);
      assert(text.includes("a"));
    });
  });
}

Deno.test("visibleJson() loses nothing", () => {
  assertEquals(JSON.parse(visibleJson({ a: CONTROLS })), { a: CONTROLS });
});

Deno.test("oneLine() cuts between characters, after the control sequences are gone", () => {
  assertEquals([oneLine("a\n\t b", 10), oneLine("\x1b[31mabcdef", 4), oneLine("💥💥💥", 2), oneLine("ab", 2)], [
    "a b",
    "abc…",
    "💥…",
    "ab",
  ]);
});

Deno.test("listLines() gives as much of an id as tells the sessions apart, and a title", () => {
  const session = (id: string, more: Partial<SessionSummary>): SessionSummary => {
    const time = new Date("2026-03-07T08:00:00Z");
    const rest = { path: "/p", cwd: "/w", created: time, modified: time, messageCount: 3, isWhole: true };
    return { id, ...rest, firstMessage: "", ...more };
  };
  const sessions = [
    session("01a2012f-6c4f", { firstMessage: "first\u001b[2J" }),
    session("01a2012f-6d00", { name: "named", firstMessage: "x", isWhole: false }),
    session("02", { messageCount: 1 }),
  ];
  assertEquals(listLines(sessions, false, () => 120).split("\n"), [
    "01a2012f-6c  2026-03-07 10:00      3 messages  first",
    "01a2012f-6d  2026-03-07 10:00     3+ messages  named",
    "02           2026-03-07 10:00      1 message   (nothing was said)",
    "",
  ]);
  assertEquals(
    listLines(sessions.slice(2), true, () => -600),
    "02        2026-03-06 22:00      1 message   (nothing was said)  /w\n",
  );
});
