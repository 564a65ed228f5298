// Every event of the table comes from a real session: which action fires it, one row for each.
import { assert, assertEquals } from "@std/assert";
import { dirname, fromFileUrl } from "@std/path";
import type { HostUi } from "../../src/core/host_actions.ts";
import type { HookName } from "../../src/core/hook_events.ts";
import { defineExtension } from "../../src/hooks/api/api.ts";
import { EVENTS } from "../../src/hooks/events/decisions.ts";
import { type Answer, serveAnswers, textReply } from "../helpers/server.ts";
import { until } from "../helpers/until.ts";
import { reachableDeno } from "../sandbox/reachable.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import { type Session, type SessionOptions, withSession } from "./world.ts";

interface Action {
  readonly fires: readonly HookName[];
  readonly options?: Partial<SessionOptions>;
  /** Answers of a server in place of a cassette. */
  readonly answers?: readonly Answer[];
  /** Without it, opening the session is all that happens. */
  readonly act?: (session: Session) => Promise<unknown>;
}

const command = (text: string) => ({ engine }: Session) => engine.prompt({ text, source: "interactive" });
const user = ({ engine }: Session): string =>
  engine.store().entries().find((one) => one.type === "message" && one.message.role === "user")?.id ?? "";

const UI: HostUi = {
  select: () => Promise.resolve(undefined),
  confirm: () => Promise.resolve(true),
  input: () => Promise.resolve(undefined),
  notify: () => Promise.resolve(),
  setStatus: () => Promise.resolve(),
};

const SERVER = fromFileUrl(new URL("../mcp/servers/old.mjs", import.meta.url));
const RATE_LIMIT: Answer = { status: 429, body: '{"error":{"message":"slow down"}}', headers: { "retry-after": "0" } };

const ACTIONS: Readonly<Record<string, Action>> = {
  "a session is opened": { fires: ["resources_discover", "session_start"] },
  "a session ends": { fires: ["session_shutdown"], act: ({ engine }) => engine.close() },
  "a prompt is answered": {
    fires: [
      ...["input", "before_agent_start", "context", "agent_start", "turn_start", "prompt_compiled"] as const,
      ...["message_start", "message_update", "message_end", "turn_end", "agent_end", "agent_settled"] as const,
    ],
    act: ({ say }) => say("go"),
  },
  "the model calls a tool": {
    fires: [
      ...["tool_call", "tool_execution_start", "tool_execution_update", "tool_execution_end"] as const,
      "tool_result",
    ],
    options: {
      replies: [{ calls: [{ name: "bash", args: { command: "echo one; sleep 0.4; echo two" } }] }, { text: "done" }],
    },
    act: ({ say }) => say("go"),
  },
  "the model calls a tool that is not active": {
    fires: ["tool_call_rejected"],
    options: { replies: [{ calls: [{ name: "grep", args: { pattern: "x" } }] }, { text: "done" }] },
    act: ({ say }) => say("go"),
  },
  "a request goes over the wire": {
    fires: ["before_provider_request", "before_provider_headers", "after_provider_response"],
    answers: [{ events: textReply("one") }],
    act: ({ say }) => say("go"),
  },
  "a request is made again": {
    fires: ["auto_retry_start", "auto_retry_end"],
    options: { settings: { retry: { baseDelayMs: 1 } } },
    answers: [RATE_LIMIT, { events: textReply("one") }],
    act: ({ say }) => say("go"),
  },
  "a session plans": {
    fires: ["plan_update"],
    act: ({ engine }) => engine.startPlan(),
  },
  "a command goes on in the background": {
    fires: ["background_start", "background_end"],
    options: {
      replies: [{ calls: [{ name: "bash", args: { command: "exit 3", background: true } }] }, { text: "done" }],
    },
    act: ({ say }) => say("go"),
  },
  "something is said during a run": {
    fires: ["queue_update"],
    options: { replies: [{ text: "one", delayMs: 1000 }, { text: "two" }] },
    act: async ({ engine, say }) => {
      const run = say("go");
      await until(() => engine.state().isStreaming);
      await engine.followUp("and then?");
      await run;
    },
  },
  "the person types a command": {
    fires: ["user_bash", "bash_execution_update"],
    act: ({ engine }) => engine.bash("echo one; sleep 0.4; echo two", false),
  },
  "the person begins another session": {
    fires: ["session_before_switch", "session_changed"],
    act: ({ engine }) => engine.newSession(),
  },
  "the person forks a session": {
    fires: ["session_before_fork"],
    act: async (session) => {
      await session.say("go");
      await session.engine.fork(user(session));
    },
  },
  "the person goes to another place of the session": {
    fires: ["session_before_tree", "session_tree"],
    act: async (session) => {
      await session.say("go");
      await session.engine.navigate(user(session));
    },
  },
  "the person names the session": {
    fires: ["session_info_changed"],
    act: ({ engine }) => Promise.resolve(engine.setName("work")),
  },
  "the history is shortened": {
    fires: ["session_before_compact", "compaction_start", "compaction_end", "session_compact"],
    options: {
      // The cut goes through a turn: two summaries.
      replies: ["one", "two", "## Goal\nall", "## Original Request\nit"].map((text) => ({ text })),
      settings: { compaction: { keepRecentTokens: 1 } },
    },
    act: async ({ engine, say }) => {
      await say("first");
      await say("second");
      assertEquals(await engine.compact(), true);
    },
  },
  "there is nothing to shorten": {
    fires: ["session_compact_failed"],
    act: async ({ engine }) => assertEquals(await engine.compact(), false),
  },
  "the person takes another model": {
    fires: ["model_select"],
    act: ({ engine }) => engine.setModel(engine.state().model.id),
  },
  "the person takes another thinking level": {
    fires: ["thinking_level_select"],
    act: ({ engine }) => Promise.resolve(engine.setThinking("high")),
  },
  "an extension tells something where there is no screen": { fires: ["notice"], act: command("/tell") },
  "a denied call is asked about": {
    fires: ["permission_request", "permission_decision"],
    options: {
      replies: [{ calls: [{ name: "read", args: { path: "../b.txt" } }] }, { text: "done" }],
      ask: () => Promise.resolve("no"),
    },
    act: async ({ ws, say }) => {
      Deno.writeTextFileSync(`${ws}/../b.txt`, "b");
      await say("go");
    },
  },
  "a call changes a file": {
    fires: ["changes"],
    options: { replies: [{ calls: [{ name: "write", args: { path: "new.txt", content: "new" } }] }, { text: "done" }] },
    act: async ({ say }) => void await say("go"),
  },
  "an extension asks the person": {
    fires: ["ui_prompt_start", "ui_prompt_end"],
    options: { ui: UI },
    act: command("/ask"),
  },
  "a check runs": {
    fires: ["check_start", "check_end"],
    options: { settings: { checks: ["true"] } },
    act: ({ say }) => say("go"),
  },
  "a sub-agent runs": {
    fires: ["subagent_start", "subagent_event", "subagent_end"],
    options: {
      args: ["--tools", "read,task"],
      replies: [
        { calls: [{ name: "task", args: { description: "look", prompt: "look" } }] },
        { text: "seen" },
        { text: "done" },
      ],
    },
    act: ({ say }) => say("go"),
  },
  "a server brings its tools": {
    fires: ["mcp_servers_change"],
    options: {
      args: [`--allow-read=.,${dirname(reachableDeno())}`],
      files: { "old.mjs": Deno.readTextFileSync(SERVER) },
      settings: {
        mcpServers: {
          old: { command: reachableDeno(), args: ["run", "-A", "--no-config", "--no-lock", "old.mjs", "plain"] },
        },
      },
    },
    act: ({ say }) => say("go"),
  },
};

for (const [name, { fires, options = {}, answers, act }] of Object.entries(ACTIONS)) {
  const ignore = name === "a server brings its tools" && CONFINED.length === 0;
  Deno.test({
    name: `when ${name}: ${fires.join(", ")}`,
    ignore,
    fn: async () => {
      const seen = new Set<string>();
      const factory = defineExtension((sp) => {
        for (const event of EVENTS.keys()) sp.on(event as HookName, () => void seen.add(event)); // the table's names
        sp.registerCommand("tell", { handler: (_, ctx) => ctx.ui.notify("hello") });
        sp.registerCommand("ask", { handler: async (_, ctx) => void await ctx.ui.confirm("Sure?", "Really") });
      });
      const server = answers ? serveAnswers(answers) : undefined;
      const { replies = [{ text: "one" }, { text: "two" }], args = [], ...rest } = options;
      const wire = server ? ["-m", "wire", "--base-url", server.baseUrl] : [];
      try {
        await withSession(
          { replies, args: [...wire, ...args], ...rest, extensions: [{ name: "listener", factory }] },
          async (session) => {
            // What an action fires is not what opening the session fired.
            if (act) {
              await settled();
              assertEquals(fires.filter((event) => seen.has(event)), []);
              await act(session);
            }
            const missing = (): readonly string[] => fires.filter((event) => !seen.has(event));
            await until(() => missing().length === 0, () => missing().join());
          },
        );
      } finally {
        await server?.close();
      }
    },
  });
}

Deno.test("every event of the table has an action that fires it", () => {
  const fired = Object.values(ACTIONS).flatMap(({ fires }) => fires);
  assertEquals([...fired].sort(), [...EVENTS.keys()].sort());
});

Deno.test("after_provider_response has status and headers of every answer, and none that holds a secret", async () => {
  const KEY = "sk-own-key-0123456789";
  const told: unknown[] = [];
  const server = serveAnswers([
    {
      status: 429,
      body: '{"error":{"message":"slow down"}}',
      headers: {
        "retry-after": "0",
        "x-request-id": "abc",
        "x-ratelimit-remaining-tokens": "17",
        "set-cookie": "session=s3cret",
        "x-session-token": "s3cret",
        "x-echo": `key ${KEY}`,
      },
    },
    { events: textReply("one") },
  ]);
  const factory = defineExtension((sp) => {
    sp.on("after_provider_response", ({ status, headers }) => void told.push([status, { ...headers }]));
  });
  try {
    await withSession({
      replies: [{ text: "" }],
      args: ["-m", "wire", "--base-url", server.baseUrl],
      settings: { retry: { baseDelayMs: 1 } },
      key: KEY,
      extensions: [{ name: "listener", factory }],
    }, async ({ say }) => {
      assertEquals(await say("go"), "one");
      await until(() => told.length >= 2);
      assertEquals(server.headers[0]?.get("authorization"), `Bearer ${KEY}`);
      const [first, second] = told as readonly (readonly [number, Record<string, string>])[];
      const { date: _date, "content-type": _type, "content-length": _length, vary: _vary, ...own } = first?.[1] ?? {};
      assertEquals([first?.[0], own], [
        429,
        { "retry-after": "0", "x-request-id": "abc", "x-ratelimit-remaining-tokens": "17" },
      ]);
      assertEquals([second?.[0], second?.[1]["content-type"]], [200, "text/event-stream"]);
      assert(!JSON.stringify(told).includes("s3cret") && !JSON.stringify(told).includes(KEY));
    });
  } finally {
    await server.close();
  }
});

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}
