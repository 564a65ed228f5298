import { assertEquals } from "@std/assert";
import { textOf } from "../../src/core/message.ts";
import type { HookName } from "../../src/core/hook_events.ts";
import { EVENTS } from "../../src/hooks/events/decisions.ts";
import { callReply, textReply } from "../helpers/server.ts";
import { brought } from "./brought.ts";
import { withServer } from "./wire.ts";
import type { Session } from "./world.ts";

const read = (path: string) => ({ name: "read", args: { path } });

Deno.test("one prompt with a handler on every event goes through its stages in their order (K1) R165 R166 R180 R181 R191 R211 R212 R218 R219 R262 R263 R273", async () => {
  const trace: string[] = [];
  const box: { engine?: Session["engine"] } = {};
  await withServer(
    [{ events: callReply(read("a.txt"), read("b.txt")) }, { events: textReply("done") }],
    {
      files: {
        "a.txt": "a",
        "b.txt": "b",
        ".sandpiper/skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies up.\n---\nTidy the room.\n",
        ".sandpiper/prompts/look.md": "Look at $1.",
      },
      args: ["--trust"],
      settings: { models: { wire: { contextWindow: 64_000 } } },
      ...brought((sp) => {
        // Every name of the table is one of an event.
        for (const name of EVENTS.keys() as Iterable<HookName>) {
          sp.on(name, (event) => {
            const what = detail(event as Readonly<Record<string, unknown>>); // what all events are
            const line = what === "" ? name : `${name} ${what}`;
            if (trace.at(-1) !== line) trace.push(line);
          });
        }
        sp.on("tool_call", async () => void await box.engine?.steer("/look here"));
      }),
    },
    async ({ engine, say, server }) => {
      box.engine = engine;
      trace.length = 0; // what belongs to the start of the session
      await say("/skill:tidy at once");
      assertEquals(trace, [
        "input /skill:tidy at once",
        "before_agent_start <skill … Tidy the room. … at once",
        "agent_start",
        "turn_start",
        ...said("user <skill … Tidy the room. … at once"),
        "context user",
        "prompt_compiled",
        ...WIRE,
        "message_start assistant",
        "message_update",
        "message_end assistant",
        "tool_call a.txt",
        "input /look here",
        "queue_update",
        "tool_execution_start a.txt",
        "tool_execution_end",
        "tool_result a",
        ...said("toolResult a"),
        ...said("toolResult Skipped due to queued user message"),
        "turn_end",
        "queue_update",
        "turn_start",
        ...said("user Look at here."),
        "context user assistant toolResult toolResult user",
        "prompt_compiled",
        ...WIRE,
        "message_start assistant",
        "message_update",
        "message_end assistant",
        "turn_end",
        "agent_end",
        "agent_settled",
      ]);
      assertEquals(server.requests.length, 2);
    },
  );
});

/** From the built request to the first byte of its answer. */
const WIRE = ["before_provider_request", "before_provider_headers", "after_provider_response 200"];

const said = (what: string): readonly string[] => [`message_start ${what}`, `message_end ${what}`];

/** What tells one event of a kind from another. */
function detail({ type, ...event }: Readonly<Record<string, unknown>>): string {
  // Fields as the events' own types have them.
  const { text, prompt, input, args, content, message, messages, status } = event as {
    // deno-lint-ignore no-explicit-any -- one reader for all events
    readonly [field: string]: any;
  };
  if (type === "input") return text;
  if (type === "before_agent_start") return short(prompt);
  if (type === "tool_call") return input.path;
  if (type === "tool_execution_start") return args.path;
  if (type === "tool_result") return short(textOf(content));
  if (type === "context") return messages.map(({ role }: { role: string }) => role).join(" ");
  if (type === "after_provider_response") return String(status);
  if (type === "message_start" || type === "message_end") {
    return message.role === "assistant" ? message.role : `${message.role} ${short(textOf(message.content))}`;
  }
  return "";
}

/** A skill's text without what differs from place to place. */
function short(text: string): string {
  return text.trim().replace(/^<skill[\s\S]*(Tidy the room\.)[\s\S]*?(at once)$/, "<skill … $1 … $2");
}
