// What a sub-agent is denied: the advice for the model and for people, and what is said of changes that a person allowed.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { PermissionAnswer } from "../../src/core/event.ts";
import { textOf } from "../../src/core/message.ts";
import { refusalsIn } from "../../src/cli/output/denial_lines.ts";
import { type Session, withSession } from "./world.ts";

const TOOLS = ["--tools", "read,bash,edit,write,task"];
const task = (args: object) => ({ name: "task", args: { description: "a part", ...args } });
const write = (path: string) => ({ name: "write", args: { path, content: "2" } });
const bash = (command: string) => ({ name: "bash", args: { command } });

/** The failed calls inside of a sub-agent. */
function failures({ events }: Session) {
  return events.flatMap((event) =>
    event.type === "subagent_event" && event.event.type === "tool_execution_end" && event.event.isError
      ? [event.event]
      : []
  );
}

function taskText({ events }: Session): string {
  const ends = events.flatMap((event) =>
    event.type === "tool_execution_end" && event.toolName === "task" ? [textOf(event.result.content)] : []
  );
  return ends.join("\n");
}

const CASES: readonly (readonly [name: string, path: string, why: RegExp])[] = [
  ["the session may write", "b/y", /^the call of task names what it may write, .*; no option changes that$/],
  [
    "the session may not write either",
    "../elsewhere/y",
    /the session does not have it either: --allow-write=\S+\/elsewhere\/ gives it to the session alone$/,
  ],
];
for (const [name, path, why] of CASES) {
  Deno.test(`task: no option is said to help a sub-agent with a place that ${name}`, () =>
    withSession({
      args: TOOLS,
      files: { "a/x": "", "b/x": "", "../elsewhere/x": "" },
      replies: [
        { calls: [task({ prompt: "Child: write", write: ["a/"] })] },
        { conversation: "Child: write", calls: [write(path), bash(`echo 1 > ${path}`)] },
        { conversation: "Child: write", text: "Reported." },
        { text: "All done.", expect: ["Denied to it:"] },
      ],
    }, async (session) => {
      assertEquals(await session.say("go"), "All done.");
      const failed = failures(session);
      assertEquals(failed.map(({ toolName }) => toolName), ["write", "bash"]);
      for (const { toolName, result, isError } of failed) {
        const text = textOf(result.content);
        assertStringIncludes(text, "No option opens it for this task: report what is missing");
        assertEquals(text.includes("--allow-write"), false, text);
        const [refusal] = refusalsIn({ toolName, result, isError });
        assertMatch(refusal?.why ?? "", why);
        assertEquals(refusal?.grant, undefined);
      }
    }));
}

Deno.test("task: what a person let a sub-agent write outside of its task is not told as no change", async () => {
  for (const answer of ["once", "session"] as const) {
    await withSession({
      args: TOOLS,
      files: { "a/x": "", "b/x": "" },
      ask: (): Promise<PermissionAnswer> => Promise.resolve(answer),
      replies: [
        { calls: [task({ prompt: "Child: write", write: ["a/"] })] },
        { conversation: "Child: write", calls: [write("b/y")] },
        { conversation: "Child: write", text: "A done" },
        { text: "end" },
      ],
    }, async (session) => {
      assertEquals(await session.say("go"), "end");
      assertEquals(Deno.readTextFileSync(`${session.ws}/b/y`), "2");
      const text = taskText(session);
      assertEquals(text.includes("It changed no files"), false, text);
      assertStringIncludes(text, "Files that changed in its scope while it ran:\n- created b/y\n");
      assertStringIncludes(text, `The user also let it write in ${session.ws}/b.`);
      const files = session.events.flatMap((event) => event.type === "subagent_end" ? event.files ?? [] : []);
      assertEquals(files.map(({ path, kind, thing }) => [path, kind, thing]), [["b/y", "created", "file"]]);
    });
  }
});

/** Calls inside of a sub-agent that are denied, and why, for the user; OUT is a directory beside the workspace. */
const REASONS: readonly {
  readonly name: string;
  readonly args?: readonly string[];
  readonly scope?: object;
  readonly call: object;
  readonly why: RegExp;
  readonly option?: RegExp;
}[] = [
  {
    name: "a host, which the task has from the session",
    args: ["--allow-net=b.example"],
    call: { name: "fetch", args: { url: "http://a.example:8080/" } },
    why: /^the session does not have it: --allow-net=\+a\.example:8080 gives it to the session and to this task$/,
    option: /^--allow-net=\+a\.example:8080$/,
  },
  {
    name: "reading, which the task has from the session",
    call: { name: "read", args: { path: "../elsewhere/x" } },
    why: /^the session does not have it: --allow-read=\S+\/elsewhere\/x gives it to the session and to this task$/,
    option: /^--allow-read=/,
  },
  {
    name: "reading that the task names",
    scope: { read: ["a"] },
    call: { name: "read", args: { path: "b/x" } },
    why: /^the call of task names what it may read, and this is not among it; no option changes that$/,
  },
  {
    name: "reading that neither names",
    scope: { read: ["a"] },
    call: { name: "read", args: { path: "../elsewhere/x" } },
    why: /not among it, and the session does not have it either: --allow-read=\S+ gives it to the session alone$/,
  },
  {
    name: "writing in a read-only session",
    args: ["--read-only"],
    call: bash("echo 1 > b/y"),
    why: /not among it, and the session does not have it either: --read-only or the project's settings forbid it$/,
  },
  {
    name: "writing in the home, about which nobody is asked",
    scope: { write: ["a/"] },
    call: { name: "write", args: { path: "~/y", content: "2" } },
    why: /^the call of task names what it may write, .*: --allow-write=\S+\/home\/ gives it to the session alone$/,
  },
];
for (const { name, args = [], scope = {}, call, why, option = /^none$/ } of REASONS) {
  Deno.test(`task: advice and reason for ${name}`, () =>
    withSession({
      args: ["--tools", "read,bash,edit,write,fetch,task", ...args],
      files: { "a/x": "", "b/x": "", "../elsewhere/x": "" },
      replies: [
        { calls: [task({ prompt: "Child: try", ...scope })] },
        { conversation: "Child: try", calls: [call] },
        { conversation: "Child: try", text: "Reported." },
        { text: "All done." },
      ],
    }, async (session) => {
      assertEquals(await session.say("go"), "All done.");
      const [failed] = failures(session);
      assert(failed, taskText(session));
      const text = textOf(failed.result.content);
      assertEquals(/--allow-|--sandbox|--deny-|--read-only/.test(text), false, text);
      const [refusal] = refusalsIn(failed);
      assertMatch(refusal?.why ?? "", why);
      assertMatch(refusal?.grant ?? "none", option);
    }));
}

Deno.test("task: a change in a directory that is not scanned is not told as no change", () =>
  withSession({
    args: TOOLS,
    files: { "a/node_modules/p/x": "1", "b/x": "" },
    replies: [
      { calls: [task({ prompt: "Child: top", write: ["a/"] }), task({ prompt: "Child: look" })] },
      { conversation: "Child: top", calls: [write("a/node_modules/y"), write("a/node_modules/p/x")] },
      { conversation: "Child: top", text: "A done" },
      { conversation: "Child: look", calls: [{ name: "read", args: { path: "b/x" } }] },
      { conversation: "Child: look", text: "B done" },
      { text: "end" },
    ],
  }, async (session) => {
    assertEquals(await session.say("go"), "end");
    const texts = session.events.flatMap((event) =>
      event.type === "tool_execution_end" && event.toolName === "task" ? [textOf(event.result.content)] : []
    );
    const [top = "", look = ""] = texts[0]?.includes("A done") ? texts : texts.toReversed();
    assertEquals(top.includes("changed no files"), false, top);
    assertStringIncludes(top, "Where the program scans, no file changed. It does not scan directories");
    assertStringIncludes(top, "- changed a/node_modules/ (a directory that is not scanned)");
    assertEquals(look.includes("- changed"), false, look);
  }));
