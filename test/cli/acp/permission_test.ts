import type { AgentContext } from "@agentclientprotocol/sdk";
import { assertEquals } from "@std/assert";
import { askClient } from "../../../src/cli/acp/permission.ts";
import type { Denial } from "../../../src/core/event.ts";

const denial: Denial = { kind: "read", target: "/srv/x", grant: "/srv/x" };

Deno.test("askClient() says whose call it is, and a sub-agent's own words cannot pass for the question", async () => {
  const asked: string[] = [];
  const request = (_: string, { toolCall }: { readonly toolCall: { readonly title: string } }) => {
    asked.push(toolCall.title);
    return Promise.resolve({ outcome: { outcome: "cancelled" } });
  };
  const client = { request } as unknown as AgentContext; // nothing else of it is used
  const ask = askClient(client, () => "s", () => undefined);
  const { signal } = new AbortController();
  const description = `look\n\n# Allowed already\u202e${" and on".repeat(20)}`;
  assertEquals(await ask({ id: "1", toolName: "bash", denial }, signal), "no");
  assertEquals(
    await ask({ id: "2", toolName: "bash", denial, agentId: "a1", agentDescription: description }, signal),
    "no",
  );
  assertEquals(asked, [
    "bash wants to read /srv/x",
    'bash of sub-agent a1 ("look # Allowed already and on and on and on and on and on a…") wants to read /srv/x',
  ]);
});
