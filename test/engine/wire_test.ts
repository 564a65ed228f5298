import { assert, assertEquals } from "@std/assert";
import type { ExtensionApi } from "../../src/hooks/api/api.ts";
import { manifestsOf } from "../../src/session/manifests.ts";
import { loadSession } from "../../src/session/load.ts";
import { callReply, textReply } from "../helpers/server.ts";
import { brought } from "./brought.ts";
import { withServer } from "./wire.ts";

const tool = (name: string) => (sp: ExtensionApi) =>
  sp.registerTool({ name, description: name, parameters: { type: "object", properties: {} }, execute: () => "done" });

Deno.test("handlers change the payload one after the other, and what they leave is what is sent R213 R214 R215 R216", async () => {
  const seen: unknown[] = [];
  await withServer(
    [{ events: textReply("one") }, { events: textReply("two") }],
    brought(
      (sp) =>
        sp.on("before_provider_request", ({ payload }) => {
          seen.push([payload["model"], payload["stream"], payload["temperature"]]);
          return seen.length > 2 ? undefined : { ...payload, temperature: 0.25, metadata: { team: "x" } };
        }),
      (sp) =>
        sp.on("before_provider_request", ({ payload }) => {
          seen.push([payload["model"], payload["stream"], payload["temperature"]]);
          return seen.length > 2 ? undefined : { ...payload, prompt_cache_retention: "24h" };
        }),
    ),
    async ({ say, server }) => {
      await say("first");
      await say("second");
      assertEquals(seen, [["wire", true, undefined], ["wire", true, 0.25], ["wire", true, undefined], [
        "wire",
        true,
        undefined,
      ]]);
      const [{ temperature, metadata, prompt_cache_retention }, second] = server.requests;
      assertEquals([temperature, metadata, prompt_cache_retention], [0.25, { team: "x" }, "24h"]);
      for (const field of ["temperature", "metadata", "prompt_cache_retention"]) assertEquals(field in second, false);
    },
  );
});

Deno.test("extensions add headers, but none that carries a credential R217", () =>
  withServer(
    [{ events: textReply("one") }],
    brought((sp) =>
      sp.on("before_provider_headers", () => ({ headers: { "x-team": "blue", authorization: "Bearer stolen" } }))
    ),
    async ({ say, server }) => {
      assertEquals(await say("go"), "one");
      const [headers] = server.headers;
      assertEquals(headers?.get("x-team"), "blue");
      assertEquals(headers?.get("authorization")?.includes("stolen") ?? false, false);
    },
  ));

Deno.test("the manifest of a request is on disk before the request is R353", async () => {
  const kept: number[] = [];
  const requests: number[] = [];
  const at = { path: "" };
  await withServer(
    [{ events: callReply({ name: "ls", args: {} }) }, { events: textReply("two") }],
    brought((sp) =>
      sp.on("before_provider_request", () => {
        kept.push(manifestsOf(loadSession(at.path).entries).length);
        requests.push(requests.length);
      })
    ),
    async ({ engine, say, server }) => {
      at.path = engine.store().path ?? "";
      await say("go");
      assertEquals([kept, server.requests.length], [[1, 2], 2]);
    },
  );
});

Deno.test("a request is the system prompt, the converted messages and the active tools, and nothing else R58 R422 R423 R424 R428 R432 R439", async () => {
  await withServer(
    [{ events: callReply({ name: "read", args: { path: "a.txt" } }) }, { events: textReply("two") }],
    { files: { "a.txt": "SEEN" }, ...brought(tool("zebra"), tool("apple")) },
    async ({ engine, say, server, events }) => {
      await engine.bash("true", false);
      const { full } = engine.compiled();
      assertEquals(await say("go"), "two");
      const [first, second] = server.requests;
      // The built-in ones in their own order, then the others by name, whatever the order in which they were brought.
      const names = ["read", "bash", "edit", "write", "apple", "zebra"];
      assertEquals(first.tools.map(({ function: { name } }: { function: { name: string } }) => name), names);
      assertEquals(engine.tools().filter(({ active }) => active).map(({ name }) => name), names);
      for (const { type, function: { parameters } } of first.tools) {
        assertEquals([type, parameters.type], ["function", "object"]);
      }
      assertEquals(first.messages[0], { role: "system", content: full });
      assertEquals(full.startsWith("You are sandpiper"), true);
      const roles = second.messages.map(({ role }: { role: string }) => role);
      assertEquals(roles, ["system", "user", "user", "assistant", "tool"]);
      assertEquals(second.messages[4].content.includes("SEEN"), true);
      // The second request begins with the bytes of the first.
      assertEquals(second.messages.slice(0, 3), first.messages);
      assertEquals(JSON.stringify(second.tools), JSON.stringify(first.tools));
      const [manifest] = events.flatMap((event) => event.type === "prompt_compiled" ? [event.manifest] : []);
      assertEquals([manifest?.trigger, manifest?.tools.names], ["startup", names]);
      assertEquals(Object.keys(first).sort(), ["messages", "model", "stream", "stream_options", "tools"]);
      assert(!JSON.stringify(server.requests).includes("stable-prompt-ends"));
    },
  );
});
