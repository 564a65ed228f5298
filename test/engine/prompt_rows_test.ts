// What of the prompt only the bytes on the wire can show.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { textReply } from "../helpers/server.ts";
import { withServer } from "./wire.ts";
import { withSession } from "./world.ts";

const REPLIES = [{ events: textReply("ok") }];
const SKILL = "---\nname: tidy\ndescription: Tidies up.\n---\nFOLD-EVERYTHING-TWICE\n";

// deno-lint-ignore no-explicit-any -- a request of the wire format
const systemOf = (request: any): string => request.messages[0].content;
// deno-lint-ignore no-explicit-any -- a request of the wire format
const toolsOf = (request: any): string[] => (request.tools ?? []).map((tool: any) => tool.function.name);

Deno.test("a turn has profile full unless told otherwise R40", async () => {
  const files = { "AGENTS.md": "BE-KIND" };
  for (const [args, profile] of [[[], "full"], [["--profile", "minimal"], "minimal"]] as const) {
    await withServer(REPLIES, { files, args }, async ({ say, server, events }) => {
      await say("go");
      const profiles = events.flatMap((event) => event.type === "prompt_compiled" ? [event.manifest.profile] : []);
      assertEquals(profiles, [profile]);
      assertEquals(systemOf(server.requests[0]).includes("BE-KIND"), profile === "full");
    });
  }
});

Deno.test("a skill's text is sent when a turn names it, and never in the system prompt of another R107", () =>
  withServer(
    REPLIES,
    { files: { ".sandpiper/skills/tidy/SKILL.md": SKILL }, args: ["--trust"] },
    async ({ say, server }) => {
      for (const text of ["what can you do?", "please use $tidy", "and now?"]) await say(text);
      const [before, named, after] = server.requests;
      assertStringIncludes(systemOf(before), "<name>tidy</name>");
      assert(!JSON.stringify(before).includes("FOLD-EVERYTHING-TWICE"));
      assertStringIncludes(JSON.stringify(named), "FOLD-EVERYTHING-TWICE");
      assert(!systemOf(after).includes("FOLD-EVERYTHING-TWICE"));
    },
  ));

Deno.test("the request after a change of tools has the new list, guidelines and schemas, and none of the old R440", () =>
  withServer(REPLIES, { args: ["--no-session"] }, async ({ say, server, engine }) => {
    await say("one");
    engine.setActiveTools(["read", "grep"]);
    await say("two");
    engine.setActiveTools(["bash"]);
    await say("three");
    assertEquals(server.requests.map(toolsOf), [["read", "bash", "edit", "write"], ["read", "grep"], ["bash"]]);
    const listed = server.requests.map((request) =>
      [...systemOf(request).matchAll(/^- (read|bash|edit|write|grep|find|ls): /gm)].map(([, name]) => name)
    );
    assertEquals(listed, [["read", "bash", "edit", "write"], ["read", "grep"], ["bash"]]);
    const guidelines = server.requests.map((request) => systemOf(request).split("Guidelines:\n")[1]?.split("\n\n")[0]);
    assertEquals(new Set(guidelines).size, 3, guidelines.join("\n---\n"));
  }));

Deno.test("the environment section says nothing of what no active tool can do", async () => {
  const linesWith = async (...args: string[]): Promise<readonly string[]> => {
    let lines: readonly string[] = [];
    await withSession({ replies: [{ text: "one" }], args }, ({ engine }) => {
      const [, section = ""] = engine.compiled().stable.split("## Environment\n");
      lines = [...section.split("\n\n")[0]?.matchAll(/^- (Read|Write|Programs|Network):/gm) ?? []].map((
        [, name = ""],
      ) => name);
      return Promise.resolve();
    });
    return lines;
  };
  assertEquals(await linesWith(), ["Read", "Write", "Programs", "Network"]);
  assertEquals(await linesWith("--tools", "read,ls"), ["Read"]);
  assertEquals(await linesWith("--tools", "read,write"), ["Read", "Write"]);
  assertEquals(await linesWith("--no-tools"), []);
});

Deno.test("the setting appendSystemPrompt adds texts and files before those of the option and of APPEND_SYSTEM.md R11", () =>
  withSession({
    replies: [{ text: "one" }],
    files: { "more.md": "FROM A FILE" },
    settings: { appendSystemPrompt: ["FROM SETTINGS", "@more.md"] },
    args: ["--append-system-prompt", "FROM THE OPTION"],
  }, ({ engine }) => {
    const { full } = engine.compiled();
    const places = ["FROM SETTINGS", "FROM A FILE", "FROM THE OPTION"].map((text) => full.indexOf(text));
    assert(places.every((place, at) => place > (places[at - 1] ?? 0)), JSON.stringify(places));
    return Promise.resolve();
  }));

Deno.test("with builtInSections false a SYSTEM.md stands without the built-in sections, but with the user's own and the date R8 R15", async () => {
  const promptWith = async (settings: object, files: Record<string, string>): Promise<string> => {
    let full = "";
    await withSession({ replies: [{ text: "one" }], settings, files, args: ["--trust"] }, ({ engine }) => {
      full = engine.compiled().full;
      return Promise.resolve();
    });
    return full;
  };
  const files = { ".sandpiper/SYSTEM.md": "MINE", "AGENTS.md": "RULES" };
  const usual = await promptWith({}, files);
  for (const part of ["## Environment", "## Interaction", "sandpiper_runtime"]) assertStringIncludes(usual, part);
  const bare = await promptWith({ builtInSections: false }, files);
  for (const part of ["## Environment", "## Interaction", "sandpiper_runtime"]) {
    assertEquals(bare.includes(part), false);
  }
  for (const part of ["MINE", "RULES", "Current date", "Current working directory"]) assertStringIncludes(bare, part);
  // Without a SYSTEM.md the setting changes nothing.
  assertStringIncludes(await promptWith({ builtInSections: false }, {}), "## Environment");
});

Deno.test("facts that a program gives with a prompt go before it as one JSON object R413 R414 R416", () =>
  withServer(REPLIES, {}, async ({ engine, server }) => {
    const metadata = { trigger: "cron", correlationId: "c-1", job: { id: 7 } };
    await engine.prompt({ text: "hello", source: "rpc", metadata });
    const [, facts, said] = server.requests[0].messages;
    assertEquals([JSON.parse(facts.content), said.content], [{ sandpiper_runtime: metadata }, "hello"]);
    await engine.prompt({ text: "more", source: "rpc", metadata: { trigger: "cron", note: "x".repeat(5000) } });
    const last = server.requests[1].messages.at(-2);
    assertEquals(JSON.parse(last.content), { sandpiper_runtime: { truncated: true, trigger: "cron" } });
  }));
