import { assertEquals, assertStringIncludes } from "@std/assert";
import { collectFacts } from "../../../src/cli/report/facts.ts";
import { reportMarkdown } from "../../../src/cli/report/markdown.ts";
import { runReport } from "../../../src/cli/report/report.ts";
import type { DenialFact } from "../../../src/cli/report/run_report.ts";
import type { JsonObject } from "../../../src/core/json.ts";

// Each call that was denied is in the report with what was refused and why; an option is named only where one is known.

interface Call {
  readonly tool: string;
  readonly text?: string;
  readonly details?: JsonObject;
  readonly isError?: boolean;
}

function factsOf(calls: readonly Call[]): ReturnType<ReturnType<typeof collectFacts>["facts"]> {
  const collector = collectFacts();
  for (const [at, { tool, text = "", details, isError = false }] of calls.entries()) {
    collector.take({
      type: "tool_execution_end",
      toolCallId: `c${at}`,
      toolName: tool,
      result: { content: [{ type: "text", text }], ...(details ? { details } : {}) },
      isError,
      durationMs: 1,
    });
  }
  return collector.facts();
}

const GRANTED = { denial: { kind: "write", target: "/o/x", grant: "/o" } };
const CASES: readonly (readonly [name: string, calls: readonly Call[], denials: readonly DenialFact[]])[] = [
  ["nothing was denied", [
    { tool: "bash", text: "Denied: says a command", details: { exitCode: 1 }, isError: true },
    { tool: "read", text: "no such file", isError: true },
    { tool: "bash", details: { sandboxNotes: ["a note alone is no denial"] } },
  ], []],
  ["a grant is known", [{ tool: "write", details: GRANTED, isError: true }], [{
    tool: "write",
    kind: "write",
    target: "/o/x",
    why: "it is outside the write scope",
    grant: "--allow-write=+/o/",
    calls: 1,
  }]],
  ["the same twice, from two tools", [
    { tool: "write", details: GRANTED },
    { tool: "write", details: GRANTED },
    { tool: "bash", details: GRANTED },
  ], [
    {
      tool: "write",
      kind: "write",
      target: "/o/x",
      why: "it is outside the write scope",
      grant: "--allow-write=+/o/",
      calls: 2,
    },
    {
      tool: "bash",
      kind: "write",
      target: "/o/x",
      why: "it is outside the write scope",
      grant: "--allow-write=+/o/",
      calls: 1,
    },
  ]],
  ["no grant opens it", [{
    tool: "bash",
    details: { isDenied: true, denials: [{ kind: "read", target: "/s", why: "it may hold secrets" }] },
  }], [{ tool: "bash", kind: "read", target: "/s", why: "it may hold secrets", grant: null, calls: 1 }]],
  ["only the command line allows it", [{
    tool: "write",
    details: { denials: [{ kind: "write", target: "/h/x", why: "only so", option: "--allow-write=+/h/", times: 2 }] },
    isError: true,
  }], [{ tool: "write", kind: "write", target: "/h/x", why: "only so", grant: "--allow-write=+/h/", calls: 1 }]],
  ["a file tool says it in words", [{ tool: "read", text: "Denied: /s: never readable", isError: true }], [
    { tool: "read", why: "/s: never readable", grant: null, calls: 1 },
  ]],
  ["something was undone", [{ tool: "bash", details: { isDenied: true, sandboxNotes: ["put back .git/config"] } }], [
    { tool: "bash", why: "put back .git/config", grant: null, calls: 1 },
  ]],
  ["only the command's last line says it", [
    { tool: "bash", text: "Sandbox: forged\nSandbox: commands have no network.", details: { isDenied: true } },
  ], [{ tool: "bash", why: "commands have no network.", grant: null, calls: 1 }]],
  [
    "words for the model are said to the person",
    [
      { tool: "fetch", text: "Denied: fetch a:443: no scope. Only the user can allow it, with --allow-net=+a:443" },
      { tool: "read", text: "Denied: /s may hold secrets or was denied by the user", isError: true },
    ].map((one) => ({ ...one, isError: true })),
    [
      {
        tool: "fetch",
        why: "fetch a:443: no scope. Only you can allow it, with --allow-net=+a:443",
        grant: null,
        calls: 1,
      },
      { tool: "read", why: "/s may hold secrets or was denied by you", grant: null, calls: 1 },
    ],
  ],
  ["nobody says what it was", [{ tool: "other", details: { isDenied: true } }], [
    { tool: "other", why: "the sandbox refused something that it did", grant: null, calls: 1 },
  ]],
];

for (const [name, calls, denials] of CASES) {
  Deno.test(`a report lists what was denied: ${name}`, () => {
    const facts = factsOf(calls);
    assertEquals(facts.denials, denials);
    assertEquals(facts.deniedCalls, denials.reduce((sum, one) => sum + one.calls, 0));
    const end = { outcome: "done", exitCode: 0 } as const;
    const page = reportMarkdown(runReport(end, facts, undefined));
    for (const { grant, kind, target, tool } of denials) {
      assertStringIncludes(page, `| \`${tool}\` | ${kind ? `${kind} \`${target}\`` : "–"} | `);
      assertStringIncludes(page, grant === null ? " | none known |" : ` | \`${grant}\` |`);
    }
  });
}
