import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { callReply, textReply } from "../helpers/server.ts";
import { withServer } from "./wire.ts";

const SKILL = "---\nname: shout\ndescription: Says it louder\n---\nWrite in capitals.\n";
const FILES = { ".sandpiper/skills/shout/SKILL.md": SKILL };
const said = (text: string) => ({ events: textReply(text) });

Deno.test("a skill whose instructions the request contains is in it once X11", () =>
  withServer([said("one"), said("two"), said("three")], { files: FILES, args: ["--trust"] }, async ({
    engine,
    say,
    server,
  }) => {
    const sections = [];
    for (const text of ["/skill:shout hello", "/skill:shout again", "and $shout"]) {
      await say(text);
      sections.push(engine.compiled().dynamic);
    }
    for (const dynamic of sections) {
      assertStringIncludes(dynamic, "- shout (shout): Says it louder");
      assert(!dynamic.includes("Before you use"), dynamic);
      assert(!dynamic.includes("Write in capitals"), dynamic);
    }
    const texts = server.requests[2].messages.map((one: unknown) => JSON.stringify(one));
    assertEquals(texts.filter((text: string) => text.includes("Write in capitals")).length, 1);
    assertStringIncludes(texts[3], "are in an earlier message of this conversation");
    assertStringIncludes(texts[3], "again");
    // The bytes of an earlier message do not change with what comes after it.
    assertEquals(server.requests[1].messages.slice(1), server.requests[2].messages.slice(1, 4));
  }));

Deno.test("a skill is sent whole again where the request does not contain the earlier message any more", async () => {
  const long = Array.from({ length: 2500 }, (_, i) => String(100_000 + i)).join(" ");
  const settings = {
    history: "rolling",
    models: { wire: { contextWindow: 10_000 } },
    compaction: { reserveTokens: 2000 },
  };
  await withServer(
    [said("done"), said(long), said("SUMMARY"), said("b"), said("again")],
    { files: FILES, args: ["--trust"], settings },
    async ({ say, server }) => {
      for (const text of ["/skill:shout do it", "a", "b", "/skill:shout again"]) await say(text);
      const last = JSON.stringify(server.requests.at(-1).messages);
      assertStringIncludes(last, "SUMMARY");
      assertStringIncludes(last, "Write in capitals");
    },
  );
  await withServer(
    [said("one"), said("two"), said("## Goal\nSUMMARY"), said("three")],
    { files: FILES, args: ["--trust"], settings: { compaction: { keepRecentTokens: 1 } } },
    async ({ say, engine, server }) => {
      await say("/skill:shout hello");
      await say("/skill:shout once more");
      await engine.compact();
      await say("more");
      const last = JSON.stringify(server.requests.at(-1).messages);
      assertEquals(last.includes("hello"), false);
      // The message with the second call stayed, and it has the instructions now.
      if (last.includes("once more")) assertStringIncludes(last, "Write in capitals");
      await say("$shout");
      assertStringIncludes(JSON.stringify(server.requests.at(-1).messages), "Write in capitals");
    },
  );
});

Deno.test("a skill with paths is active once a tool touched a file that they match R129", () =>
  withServer(
    [{ events: callReply({ name: "read", args: { path: "web/a.tsx" } }) }, said("two"), said("three")],
    {
      files: {
        ".sandpiper/skills/shout/SKILL.md": SKILL.replace("\n---\nW", "\nmetadata:\n  paths: web/**\n---\nW"),
        "web/a.tsx": "x",
      },
      args: ["--trust"],
    },
    async ({ say, server }) => {
      await say("look around");
      const systems = server.requests.map(({ messages }) => JSON.stringify(messages[0]));
      assertEquals(systems.map((text) => text.includes("Write in capitals")), [false, true]);
      await say("and now");
      assertEquals(JSON.stringify(server.requests[2].messages[0]).includes("Write in capitals"), false);
    },
  ));
