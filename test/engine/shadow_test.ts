import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { textOf } from "../../src/core/message.ts";
import { textReply } from "../helpers/server.ts";
import { type Session, withSession } from "./world.ts";
import { withServer } from "./wire.ts";

const READER = `export default (sp) => sp.registerTool({
  name: "read",
  description: "Reads in its own way",
  promptSnippet: "Read as it likes",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  execute: (_id, { path }) => "shadow of " + path,
});\n`;
const FILES = { "a.txt": "the file itself", "reader.ts": READER };
const SHADOW = { extensions: { shadow: ["read"] } };
const ONE_CALL = [{ calls: [{ name: "read", args: { path: "a.txt" } }] }, { text: "done" }];

/** What the call of `read` gave. */
async function readOnce({ engine, say }: Session): Promise<string> {
  assertEquals(await say("read it"), "done");
  const result = engine.messages().find((message) => message.role === "toolResult");
  assert(result !== undefined);
  return textOf(result.content);
}

const notices = ({ events, engine }: Session): string =>
  [...engine.notices, ...events.flatMap((event) => event.type === "notice" ? [event.message] : [])].join("\n");

Deno.test("an extension's tool does not stand in for a built-in one by itself, nor by the word of a project", () =>
  withSession({
    replies: ONE_CALL,
    files: { ...FILES, ".sandpiper/settings.json": JSON.stringify(SHADOW) },
    args: ["--trust", "-e", "reader.ts"],
  }, async (session) => {
    assertStringIncludes(await readOnce(session), "the file itself");
    assertStringIncludes(notices(session), "extensions");
    assertEquals(session.engine.tools().filter(({ name }) => name === "read").map(({ origin }) => origin), ["builtin"]);
  }));

Deno.test("with the user's word an extension's tool is the one that runs, and the only one of its name", () =>
  withSession({
    replies: ONE_CALL,
    files: FILES,
    settings: SHADOW,
    args: ["-e", "reader.ts"],
  }, async (session) => {
    assertEquals(await readOnce(session), "shadow of a.txt");
    const views = session.engine.tools().filter(({ name }) => name === "read");
    assertEquals(views, [{ name: "read", description: "Reads in its own way", active: true, origin: "extension" }]);
  }));

Deno.test("a request names a tool that stands in for another one once", () =>
  withServer(
    [{ events: textReply("ok") }],
    { files: FILES, settings: SHADOW, args: ["-e", "reader.ts"] },
    async ({ say, server, engine }) => {
      await say("go");
      const sent = server.requests[0].tools.map((tool: { function: { name: string; description: string } }) =>
        tool.function
      ).filter(({ name }: { name: string }) => name === "read");
      assertEquals(sent.map(({ description }: { description: string }) => description), ["Reads in its own way"]);
      assertEquals(engine.compiled().full.match(/^- read:.*/gm), ["- read: Read as it likes"]);
    },
  ));
