import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { AgentMessage } from "../../src/core/message.ts";
import { textOf } from "../../src/core/message.ts";
import { serveGated } from "../helpers/gated_server.ts";
import { textReply } from "../helpers/server.ts";
import { until } from "../helpers/until.ts";
import { brought } from "./brought.ts";
import { withServer } from "./wire.ts";
import { withSession } from "./world.ts";

const read = { name: "read", args: { path: "a.txt" } };
const PICTURE = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const;

Deno.test("an extension's command runs at once while a reply streams, and a name that nobody has goes on as input R170 R171", async () => {
  const log: string[] = [];
  await using server = serveGated([[{ gate: "go" }, ...textReply("a longer reply")], textReply("two")]);
  await withSession({
    replies: [{ text: "" }],
    args: ["-m", "wire", "--base-url", server.baseUrl],
    ...brought((sp) => {
      sp.registerCommand("now", { handler: (args) => void log.push(`command ${args}`) });
      sp.on("input", (event) => void log.push(`input ${event.text}`));
      sp.on("agent_end", () => void log.push("agent_end"));
    }),
  }, async ({ engine, say }) => {
    const run = say("first");
    await until(() => engine.state().isStreaming && log.length > 0);
    assertEquals(await engine.prompt({ text: "/now please", source: "interactive" }), { kind: "command" });
    assertEquals(engine.state().isStreaming, true);
    assertEquals(engine.state().steering.concat(engine.state().followUp), []);
    server.open("go");
    assertEquals(await run, "a longer reply");
    assertEquals(await say("/nobody has this"), "two");
    assertEquals(log, ["input first", "command please", "agent_end", "input /nobody has this", "agent_end"]);
    assertEquals(engine.messages().flatMap((message) => message.role === "user" ? [message.content] : []), [
      "first",
      "/nobody has this",
    ]);
  });
});

Deno.test("input handlers get text, pictures and source, and each what the one before left R172 R173 R174 R175 R176 R178 R228 R418", async () => {
  const seen: unknown[] = [];
  let sources: unknown[] = [];
  await withSession({
    replies: [{ text: "one", expect: ["raw+1+2"] }, { text: "two" }, { text: "three" }, { text: "four" }],
    ...brought(
      (sp) => {
        sp.on("input", ({ text, images, source }) => {
          sources = [...sources, source];
          seen.push(["first", text, images?.length ?? 0]);
          return text === "raw" ? { action: "transform", text: `${text}+1`, images: [] } : { action: "continue" };
        });
        sp.on("input", ({ text, images }) => {
          seen.push(["second", text, images?.length ?? 0]);
          return text === "raw+1" ? { action: "transform", text: `${text}+2`, images: [PICTURE] } : undefined;
        });
        sp.registerCommand("say", { handler: async (args) => await sp.sendUserMessage(args) });
      },
      (sp) => sp.on("input", ({ text, images }) => void seen.push(["third", text, images?.length ?? 0])),
    ),
  }, async ({ engine, say }) => {
    await engine.prompt({ text: "raw", images: [PICTURE, PICTURE], source: "interactive" });
    assertEquals(seen, [["first", "raw", 2], ["second", "raw+1", 0], ["third", "raw+1+2", 1]]);
    const [sent] = engine.messages();
    assertEquals(sent?.role === "user" ? sent.content : "", [{ type: "text", text: "raw+1+2" }, PICTURE]);
    await engine.prompt({ text: "untouched", images: [PICTURE], source: "rpc" });
    const second = engine.messages().findLast(({ role }) => role === "user");
    assertEquals(second?.role === "user" ? second.content : "", [{ type: "text", text: "untouched" }, PICTURE]);
    await say("by hand");
    await engine.prompt({ text: "/say by an extension", source: "interactive" });
    assertEquals(sources, ["interactive", "rpc", "interactive", "extension"]);
    assertEquals(engine.messages().some((message) => message.role === "user" && message.content === "raw"), false);
  });
});

Deno.test("a handler that took a text ends its way: nobody after it, no run R177 R179", async () => {
  const log: string[] = [];
  await withSession({
    replies: [{ text: "never" }],
    ...brought(
      (sp) => {
        sp.on("input", () => ({ action: "handled" }));
        sp.on("before_agent_start", () => void log.push("before_agent_start"));
      },
      (sp) => sp.on("input", () => void log.push("input")),
    ),
  }, async ({ engine, events }) => {
    assertEquals(await engine.prompt({ text: "mine", source: "interactive" }), { kind: "handled" });
    assertEquals([log, engine.messages(), events.filter(({ type }) => type !== "notice")], [[], [], []]);
  });
});

Deno.test("before_agent_start gets the expanded prompt and hands its prompt on; messages join in order R181 R182 R186 R187 R190", async () => {
  const seen: string[] = [];
  await withSession({
    replies: [{ text: "ok", expect: ["FIRST ADDITION", "SECOND ADDITION"] }],
    files: { ".sandpiper/prompts/look.md": "Look at $1." },
    args: ["--trust"],
    ...brought(
      (sp) =>
        sp.on("before_agent_start", ({ prompt, systemPrompt, images }) => {
          seen.push(prompt, String(images?.length), systemPrompt.slice(0, 17));
          return {
            systemPrompt: `${systemPrompt}\nFIRST ADDITION`,
            message: { customType: "n", content: "m1", display: true },
          };
        }),
      (sp) => sp.on("before_agent_start", () => ({ message: { customType: "n", content: "m2", display: true } })),
      (sp) =>
        sp.on("before_agent_start", ({ systemPrompt }) => {
          seen.push(systemPrompt.slice(-14));
          return { systemPrompt: `${systemPrompt}\nSECOND ADDITION` };
        }),
    ),
  }, async ({ engine }) => {
    await engine.prompt({ text: "/look here", images: [PICTURE], source: "interactive" });
    assertEquals(seen, ["Look at here.", "1", "You are sandpiper", "FIRST ADDITION"]);
    assertEquals(
      engine.messages().map((message) => [message.role, "content" in message ? textOf(message.content) : ""]),
      [
        ["user", "Look at here."],
        ["custom", "m1"],
        ["custom", "m2"],
        ["assistant", "ok"],
      ],
    );
  });
});

Deno.test("context handlers filter, reorder, put in and replace for the request alone R191 R192 R193 R194 R195 R197", async () => {
  const calls: number[] = [];
  const user = (content: string): AgentMessage => ({ role: "user", content, timestamp: 1 });
  await withServer(
    [{ events: textReply("one") }, { events: textReply("two") }],
    brought(
      (sp) =>
        sp.on("context", ({ messages }) => {
          calls.push(messages.length);
          if (messages.length < 3) return undefined;
          // Changing what it was given is no way to change anything, either.
          for (const message of messages) Object.assign(message, { content: "CHANGED IN PLACE" });
          const note: AgentMessage = {
            role: "custom",
            customType: "n",
            content: "put in",
            display: false,
            timestamp: 1,
          };
          const first = { ...messages[0]!, content: "replaced" } as AgentMessage; // a user's message with another text
          return { messages: [user("reordered"), note, first], systemPrompt: "ANOTHER PROMPT" };
        }),
      (sp) =>
        sp.on(
          "context",
          ({ messages }) =>
            messages.length < 3 || messages[0]?.role !== "user" || messages[0].content !== "reordered"
              ? undefined
              : { messages: [...messages, user("by the second")] },
        ),
    ),
    async ({ engine, say, server }) => {
      await say("first words");
      await say("second words");
      assertEquals(calls, [1, 3]);
      const [first, second] = server.requests.map(({ messages }) => messages);
      assertEquals(first.map(({ role }: { role: string }) => role), ["system", "user"]);
      // The extension's message comes out as the user's: conversion runs after the hook.
      assertEquals(
        second.slice(1).map((message: { role: string; content: unknown }) => [message.role, message.content]),
        [
          ["user", "reordered"],
          ["user", "put in"],
          ["user", "replaced"],
          ["user", "by the second"],
        ],
      );
      assertEquals(second[0], first[0]);
      const stored = engine.messages().map((message) => "content" in message ? textOf(message.content) : "");
      assertEquals(stored, ["first words", "one", "second words", "two"]);
      const { path } = engine.store();
      assert(path !== undefined && !/CHANGED|replaced|reordered/.test(Deno.readTextFileSync(path)));
    },
  );
});

Deno.test("context handlers see every kind of message, and no extension replaces the conversion R196 R204", async () => {
  const roles: string[][] = [];
  const names: string[] = [];
  const calls = { calls: [read] };
  await withSession({
    replies: [calls, { text: "1" }, calls, { text: "2" }, { text: "3" }, { text: "## Goal\nbranch" }, { text: "4" }],
    files: { "a.txt": "a" },
    settings: { compaction: { keepRecentTokens: 1 } },
    ...brought((sp) => {
      names.push(...Object.keys(sp));
      sp.on("context", ({ messages }) => void roles.push(messages.map(({ role }) => role)));
      sp.on("session_before_compact", ({ preparation: { firstKeptEntryId, tokensBefore } }) => ({
        compaction: { summary: "## Goal\nall", firstKeptEntryId, tokensBefore },
      }));
      sp.registerCommand("note", { handler: () => sp.sendMessage({ customType: "n", content: "noted" }) });
    }),
  }, async ({ engine, say }) => {
    await say("first");
    assertEquals(await engine.compact(), true);
    await say("second");
    await say("third");
    const third = engine.store().entries().findLast((one) => one.type === "message" && one.message.role === "user");
    assertEquals(await engine.navigate(third?.id ?? "", { summarize: true }), { text: "third" });
    await engine.prompt({ text: "/note", source: "interactive" });
    await engine.bash("true", false);
    await say("fourth");
    assertEquals(roles.at(-1), [
      ...["compactionSummary", "assistant", "user", "assistant", "toolResult", "assistant"],
      ...["branchSummary", "custom", "bashExecution", "user"],
    ]);
    assert(names.includes("on"));
    assertEquals(names.filter((name) => /convert|llm/i.test(name)), []);
  });
});

Deno.test("a failing handler is named and passed over, but a tool_call handler that fails blocks the call R206 R207 R208 R227", async () => {
  const seen: unknown[] = [];
  await withSession({
    replies: [
      { calls: [read, { name: "read", args: { path: "b.txt" } }, { name: "read", args: { path: "c.txt" } }] },
      { text: "on", expect: ["not b", "had a bad day", "SEE"] },
    ],
    files: { "a.txt": "SEE", "b.txt": "b", "c.txt": "c" },
    ...brought((sp) => {
      sp.on("context", () => {
        throw new Error("context is broken");
      });
      sp.on("turn_start", () => {
        throw new Error("turn_start is broken");
      });
      sp.on("tool_call", (event) => {
        const { toolName, toolCallId, input } = event;
        seen.push([toolName, toolCallId !== "", { ...input }]);
        if (input["path"] === "b.txt") return { block: true, reason: "not b" };
        if (input["path"] === "c.txt") throw new Error("had a bad day");
        Object.assign(input, { path: "b.txt" }); // a copy: what runs is still a.txt
      });
    }),
  }, async ({ engine, say, events }) => {
    assertEquals(await say("go"), "on");
    assertEquals(seen, ["a.txt", "b.txt", "c.txt"].map((path) => ["read", true, { path }]));
    const results = engine.messages().flatMap((message) => message.role === "toolResult" ? [message] : []);
    assertEquals(results.map(({ isError }) => isError), [false, true, true]);
    const notices = events.flatMap((event) => event.type === "notice" ? [event.message] : []);
    for (const event of ["context", "turn_start", "tool_call"]) {
      assert(notices.some((notice) => notice.includes("ext1") && notice.includes(event)), `${event} was not reported`);
    }
    const started = events.filter(({ type }) => type === "tool_execution_start");
    assertEquals(started.length, 1);
  });
});

Deno.test("tool_result handlers chain in the order of registration R209 R210", () =>
  withSession({
    replies: [{ calls: [read] }, { text: "ok", expect: ["a, seen by one, seen by two"] }],
    files: { "a.txt": "a" },
    ...brought(
      (sp) =>
        sp.on("tool_result", ({ content }) => ({
          content: [{ type: "text", text: `${textOf(content).trim()}, seen by one` }],
          details: { by: "one" },
        })),
      (sp) =>
        sp.on("tool_result", ({ content, details }) => ({
          content: [{ type: "text", text: `${textOf(content)}, seen by two` }],
          isError: details?.["by"] === "one",
        })),
    ),
  }, async ({ engine, say }) => {
    assertEquals(await say("go"), "ok");
    const result = engine.messages().find((message) => message.role === "toolResult");
    assertEquals([result?.isError, result?.details], [true, { by: "one" }]);
  }));

Deno.test("an extension's message finds its place: at once, as steering, at the end, with the next prompt R188 R229 R272", async () => {
  await withSession({
    replies: [
      { calls: [read, read] },
      { text: "steered", expect: ["steering note"] },
      { text: "followed", expect: ["follow-up note"] },
      { text: "next", expect: ["waiting note"] },
      { text: "triggered", expect: ["trigger note"] },
    ],
    files: { "a.txt": "a" },
    ...brought((sp) => {
      const send = (content: string, options?: Parameters<typeof sp.sendMessage>[1]) =>
        sp.sendMessage({ customType: "n", content, display: false }, options);
      let calls = 0;
      sp.on("tool_call", async () => {
        if (++calls > 1) return;
        await send("steering note");
        await send("follow-up note", { deliverAs: "followUp" });
        await send("waiting note", { deliverAs: "nextTurn" });
      });
      sp.on(
        "before_agent_start",
        ({ prompt }) => ({ message: { customType: "n", content: `of ${prompt}`, display: true } }),
      );
      sp.registerCommand("idle", { handler: () => send("idle note") });
      sp.registerCommand("trigger", { handler: () => send("trigger note", { triggerTurn: true }) });
    }),
  }, async ({ engine, say }) => {
    const texts = () =>
      engine.messages().flatMap((one) => one.role === "user" || one.role === "custom" ? [textOf(one.content)] : []);
    assertEquals(await say("first"), "followed");
    assertEquals(texts(), ["first", "of first", "steering note", "follow-up note"]);
    await engine.prompt({ text: "/idle", source: "interactive" });
    assertEquals(texts().at(-1), "idle note");
    assertEquals(await say("second"), "next");
    assertEquals(texts().slice(5), ["second", "waiting note", "of second"]);
    await engine.prompt({ text: "/trigger", source: "interactive" });
    await engine.waitForIdle();
    const last = engine.messages().at(-1);
    assertStringIncludes(last?.role === "assistant" ? textOf(last.content) : "", "triggered");
  });
});
