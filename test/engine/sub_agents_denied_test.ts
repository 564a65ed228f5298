// What a sub-agent is denied: the advice for the model and for people, and what is said of changes that a person allowed.
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
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
      assertEquals(text.includes("It changed no files."), false, text);
      assertStringIncludes(
        text,
        `The user let it write besides in ${session.ws}/b; what changed there is not counted here`,
      );
    });
  }
});
