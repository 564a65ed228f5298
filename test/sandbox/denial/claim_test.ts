import { assertEquals } from "@std/assert";
import type { JsonValue } from "../../../src/core/json.ts";
import { readAnswer } from "../../../src/core/protocol.ts";
import { textResult } from "../../../src/core/tool.ts";
import type { ToolResult } from "../../../src/core/tool_result.ts";
import { claimIn, withDenial } from "../../../src/sandbox/denial/claim.ts";
import { pendingCall } from "../../../src/sandbox/runner_client/session.ts";

const CLAIM = { kind: "read", target: "/srv/a" } as const;

const LIES: readonly (readonly [lie: string, denial: JsonValue])[] = [
  ["an unknown kind", { kind: "env", target: "HOME" }],
  ["a kind of the prototype", { kind: "toString", target: "/" }],
  ["no kind", { target: "/srv/a" }],
  ["no target", { kind: "read" }],
  ["an empty target", { kind: "read", target: "" }],
  ["a target that is a list", { kind: "read", target: ["/srv/a"] }],
  ["an endless target", { kind: "read", target: `/${"a".repeat(5000)}` }],
  ["a text", "read /srv/a"],
  ["a list", [CLAIM]],
  ["nothing", null],
];

/** What is left of a runner's answer when it has crossed the boundary. */
function settled(denial: JsonValue): ToolResult {
  const answer = readAnswer(JSON.stringify({
    v: 1,
    id: "x",
    ok: { content: [], isError: true, details: { exitCode: 1, denial } },
  }));
  const results: ToolResult[] = [];
  if ("ok" in answer) pendingCall(() => {}, (result) => results.push(result)).settle(answer.ok);
  return results[0] ?? textResult("none");
}

for (const [lie, denial] of LIES) {
  Deno.test(`pendingCall() drops a denial that is ${lie}, and keeps the rest of the details R480`, () => {
    assertEquals(claimIn({ denial }), undefined);
    assertEquals(settled(denial), { content: [], isError: true, details: { exitCode: 1 } });
  });
}

Deno.test("pendingCall() takes kind and target of a denial, and no grant from a runner R480", () => {
  assertEquals(settled({ ...CLAIM, grant: "/", more: true }).details, { exitCode: 1, denial: CLAIM });
});

Deno.test("withDenial() adds, replaces and removes a denial and leaves other results as they are", () => {
  const plain = textResult("x");
  assertEquals(withDenial(plain, undefined) === plain, true);
  assertEquals(withDenial(plain, CLAIM), textResult("x", { denial: CLAIM }));
  assertEquals(
    withDenial(textResult("x", { a: 1, denial: "lie" }), { ...CLAIM, grant: "/srv" }),
    textResult("x", { a: 1, denial: { ...CLAIM, grant: "/srv" } }),
  );
  assertEquals(withDenial(textResult("x", { denial: CLAIM }), undefined), plain);
});
