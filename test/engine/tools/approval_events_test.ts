import { assertEquals } from "@std/assert";
import { permissionEvents } from "../../../src/engine/tools/approval.ts";
import type { AskPermission } from "../../../src/core/engine.ts";
import type { AgentEvent, Denial } from "../../../src/core/event.ts";

const DENIAL: Denial = { kind: "read", target: "/srv/a", grant: "/srv/a" };
const CALL = { toolCallId: "c1", toolName: "read" };

async function asked(ask: AskPermission, abort = false): Promise<{ readonly events: AgentEvent[]; answer: string }> {
  const events: AgentEvent[] = [];
  const ending = new AbortController();
  if (abort) ending.abort();
  const answer = await permissionEvents(ask, (event) => events.push(event), () => "q1").ask(
    DENIAL,
    CALL,
    ending.signal,
  );
  return { events, answer };
}

const request: AgentEvent = { type: "permission_request", id: "q1", ...CALL, denial: DENIAL };

for (
  const [claim, ask, abort, answer] of [
    ["an answer", () => Promise.resolve("session"), false, "session"],
    ["a failure", () => Promise.reject(new Error("gone")), false, "no"],
    ["an answer after the run was stopped", () => Promise.resolve("project"), true, "no"],
  ] as const satisfies readonly (readonly [string, AskPermission, boolean, string])[]
) {
  Deno.test(`permissionEvents() tells of the question and of ${claim} R480 R487`, async () => {
    assertEquals(await asked(ask, abort), {
      events: [request, { type: "permission_decision", id: "q1", answer }],
      answer,
    });
  });
}

Deno.test("permissionEvents() asks with the id of the event, and tells of trouble as a notice", async () => {
  const seen: unknown[] = [];
  await asked((question) => {
    seen.push(question);
    return Promise.resolve("no");
  });
  assertEquals(seen, [{ id: "q1", toolName: "read", denial: DENIAL }]);
  permissionEvents(() => Promise.resolve("no"), (event) => seen.push(event)).onTrouble?.("the disk is full");
  assertEquals(seen[1], { type: "notice", level: "warning", message: "the disk is full" });
});
