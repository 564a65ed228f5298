import { assertEquals } from "@std/assert";
import type { FileChange } from "../../../src/core/changes.ts";
import { collectFacts } from "../../../src/cli/report/facts.ts";
import { reportMarkdown } from "../../../src/cli/report/markdown.ts";
import { runReport } from "../../../src/cli/report/report.ts";

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
