import { assertEquals, assertStringIncludes } from "@std/assert";
import type { AgentMessage } from "../../src/core/message.ts";
import type { ExtensionFactory } from "../../src/hooks/api/api.ts";
import { never, openWorld } from "./world.ts";

/** Hooks over factories in this process. */
const open = (...factories: readonly ExtensionFactory[]) =>
  openWorld({}, { inProcess: factories.map((factory, index) => ({ name: `x${index + 1}`, factory })) });

const user = (content: string): AgentMessage => ({ role: "user", content, timestamp: 1 });
const CALL = { toolName: "bash", toolCallId: "c1", input: { command: "ls" } };
const IMAGE = { type: "image", data: "AA==", mimeType: "image/png" } as const;

Deno.test("input() chains transforms, in load order and then in registration order R172 R174 R175 R176 R178 R228", async () => {
  using world = await open((sp) => {
    sp.on(
      "input",
      ({ text, images, source }) => ({ action: "transform", text: `${text} 1${source}${images?.length}` }),
    );
    sp.on("input", ({ text }) => ({ action: "transform", text: `${text} 2`, images: [IMAGE, IMAGE] }));
    sp.on("input", () => ({ action: "continue" }));
  }, (sp) => void sp.on("input", ({ text, images }) => ({ action: "transform", text: `${text} 3:${images?.length}` })));
  assertEquals(await world.hooks.input({ text: "/skill:x", images: [IMAGE], source: "rpc" }, never), {
    action: "continue",
    text: "/skill:x 1rpc1 2 3:2",
    images: [IMAGE, IMAGE],
  });
});

Deno.test("input() stops at the first that handles it R177 R179", async () => {
  let later = 0;
  using world = await open((sp) => {
    sp.on("input", () => ({ action: "handled" }));
    sp.on("input", () => void later++);
  }, (sp) => void sp.on("input", () => void later++));
  assertEquals(await world.hooks.input({ text: "x", source: "interactive" }, never), { action: "handled", by: "x1" });
  assertEquals(later, 0);
});

Deno.test("beforeAgentStart() chains the prompt and collects messages R181 R182 R186 R190", async () => {
  const message = (text: string) => ({ customType: "note", content: text, display: false });
  using world = await open(
    (sp) =>
      void sp.on(
        "before_agent_start",
        (e) => ({ systemPrompt: `${e.systemPrompt}+1 ${e.prompt}`, message: message("m1") }),
      ),
    (sp) => void sp.on("before_agent_start", () => ({ message: message("m2") })),
    (sp) => void sp.on("before_agent_start", (e) => ({ systemPrompt: `${e.systemPrompt}+3` })),
    (sp) => void sp.on("before_agent_start", () => {}),
  );
  assertEquals(await world.hooks.beforeAgentStart({ prompt: "go", systemPrompt: "base" }, never), {
    systemPrompt: "base+1 go+3",
    changedBy: ["x1", "x3"],
    messages: [message("m1"), message("m2")],
  });
});

Deno.test("beforeAgentStart() leaves the prompt alone when nobody returns one R183 R190", async () => {
  using world = await open((sp) => void sp.on("before_agent_start", () => {}));
  assertEquals(await world.hooks.beforeAgentStart({ prompt: "go", systemPrompt: "base" }, never), {
    changedBy: [],
    messages: [],
  });
});

Deno.test("context() chains lists and never changes the one it was given R192 R193 R194", async () => {
  using world = await open(
    (sp) =>
      void sp.on("context", ({ messages }) => {
        // deno-lint-ignore no-explicit-any -- an extension that ignores readonly
        (messages as any)[0].content = "stolen";
        // deno-lint-ignore no-explicit-any -- as above
        (messages as any).length = 0;
      }),
    (sp) => void sp.on("context", ({ messages }) => ({ messages: [...messages].reverse() })),
    (sp) => void sp.on("context", ({ messages }) => ({ messages: [...messages, user("added")] })),
  );
  const given = [user("a"), user("b")];
  assertEquals(await world.hooks.context(given, never), [user("b"), user("a"), user("added")]);
  assertEquals(given, [user("a"), user("b")]);
});

Deno.test("context() refuses a list with something that is no message, and says whose it was R227", async () => {
  const wrong: readonly unknown[] = [{ role: "system", content: "x" }];
  // The types forbid it, as they do in an extension that does not check them.
  using world = await open((sp) => void sp.on("context", () => ({ messages: wrong as AgentMessage[] })));
  const given = [user("a")];
  assertEquals(await world.hooks.context(given, never), given);
  assertEquals(world.problems, [{
    extension: "x1",
    level: "error",
    message: "context: its context handler returned something that is no result of this event",
  }]);
});

Deno.test("toolCall() blocks with the first reason, and shows a copy of the input R206 R207 R208", async () => {
  const seen: unknown[] = [];
  using world = await open((sp) =>
    void sp.on("tool_call", (event) => {
      seen.push(structuredClone(event));
      // deno-lint-ignore no-explicit-any -- an extension that ignores readonly
      (event.input as any).command = "rm -rf /";
    }), (sp) => {
    sp.on("tool_call", ({ input }) => ({ block: true, reason: `not ${input["command"]}` }));
    sp.on("tool_call", () => ({ block: true, reason: "second" }));
  });
  const call = structuredClone(CALL);
  assertEquals(await world.hooks.toolCall(call, never), "not ls");
  assertEquals(call, CALL);
  assertEquals(seen, [{ type: "tool_call", ...CALL }]);
});

Deno.test("toolCall() and userBash() refuse when a handler throws, the rest goes on R227", async () => {
  using world = await open((sp) => {
    for (const name of ["tool_call", "user_bash", "input", "context", "tool_result", "turn_start"] as const) {
      sp.on(name, () => {
        throw new Error(`no ${name}`);
      });
    }
  });
  const { hooks } = world;
  assertEquals(
    await hooks.toolCall(CALL, never),
    'The call was not run: extension "x1" has to look at it first and failed (no tool_call)',
  );
  assertEquals(await hooks.userBash({ command: "ls", excludeFromContext: false, cwd: "/" }, never), {
    block: true,
    reason: 'Not run: extension "x1" has to look at it first and failed (no user_bash)',
  });
  const result = await hooks.toolResult(CALL, { content: [{ type: "text", text: "secret" }] }, never);
  assertEquals(result.isError, true);
  assertEquals(JSON.stringify(result).includes("secret"), false);
  assertStringIncludes(JSON.stringify(result), "withheld");
  assertEquals(await hooks.input({ text: "t", source: "interactive" }, never), {
    action: "continue",
    text: "t",
    images: [],
  });
  assertEquals(await hooks.context([user("a")], never), [user("a")]);
  await hooks.observe({ type: "turn_start", turn: 1 });
  assertEquals(world.problems.map(({ message }) => message), [
    "tool_call: no tool_call",
    "user_bash: no user_bash",
    "tool_result: no tool_result",
    "input: no input",
    "context: no context",
    "turn_start: no turn_start",
  ]);
});

Deno.test("toolResult() patches field by field, in order R209 R210", async () => {
  const text = (value: string) => [{ type: "text" as const, text: value }];
  using world = await open((sp) => {
    sp.on("tool_result", ({ content }) => ({ content: [...content, ...text("1")], details: { by: "first" } }));
    sp.on("tool_result", () => {});
  }, (sp) => void sp.on("tool_result", ({ content }) => ({ content: [...content, ...text("2")], isError: true })));
  assertEquals(await world.hooks.toolResult(CALL, { content: text("0") }, never), {
    content: [...text("0"), ...text("1"), ...text("2")],
    details: { by: "first" },
    isError: true,
  });
  // The lines that tell of denials are counted for the text as it was.
  const details = { denials: [], toldLines: 1 };
  using other = await open((sp) => void sp.on("tool_result", () => ({ content: text("mine") })));
  assertEquals(await other.hooks.toolResult(CALL, { content: text("0"), details }, never), {
    content: text("mine"),
    details: { denials: [] },
  });
  // Nobody else says which lines a screen leaves out: not where the denials that they tell of are taken away, ...
  using taker = await open((sp) => void sp.on("tool_result", () => ({ details: { toldLines: 1 } })));
  assertEquals(await taker.hooks.toolResult(CALL, { content: text("0"), details }, never), {
    content: text("0"),
    details: {},
  });
  // ... and no more of them than were counted.
  using more = await open((sp) => void sp.on("tool_result", () => ({ details: { denials: [], toldLines: 9 } })));
  assertEquals(await more.hooks.toolResult(CALL, { content: text("0"), details }, never), {
    content: text("0"),
    details,
  });
  using none = await open((sp) => void sp.on("tool_result", () => {}));
  assertEquals(await none.hooks.toolResult(CALL, { content: text("0"), details }, never), {
    content: text("0"),
    details,
  });
});

Deno.test("beforeProviderRequest() takes a payload in the form of the event, too", async () => {
  using world = await open(
    (sp) => void sp.on("before_provider_request", ({ payload }) => ({ payload: { ...payload, temperature: 0 } })),
    (sp) => void sp.on("before_provider_request", ({ payload }) => ({ ...payload, seen: payload["temperature"] ?? 1 })),
  );
  assertEquals(await world.hooks.beforeProviderRequest({ model: "m" }, never), { model: "m", temperature: 0, seen: 0 });
  // A body that has such a field besides others stays what it is.
  using other = await open((sp) => void sp.on("before_provider_request", () => ({ payload: { a: 1 }, model: "m" })));
  assertEquals(await other.hooks.beforeProviderRequest({}, never), { payload: { a: 1 }, model: "m" });
});

Deno.test("beforeProviderRequest() chains payloads R213 R214 R215 R216", async () => {
  using world = await open(
    (sp) => void sp.on("before_provider_request", ({ payload }) => ({ ...payload, temperature: 0 })),
    (sp) => void sp.on("before_provider_request", () => {}),
    (sp) =>
      void sp.on(
        "before_provider_request",
        ({ payload }) => ({ ...payload, metadata: { t: payload["temperature"] ?? 1 } }),
      ),
  );
  assertEquals(await world.hooks.beforeProviderRequest({ model: "m" }, never), {
    model: "m",
    temperature: 0,
    metadata: { t: 0 },
  });
});

Deno.test("beforeProviderHeaders() adds headers, returned or set in place, and never shows a key R217", async () => {
  const seen: unknown[] = [];
  using world = await open(
    (sp) =>
      void sp.on("before_provider_headers", ({ headers }) => {
        seen.push({ ...headers });
        // deno-lint-ignore no-explicit-any -- in place, as extensions of pi do it
        (headers as any)["x-one"] = "1";
      }),
    (sp) =>
      void sp.on(
        "before_provider_headers",
        () => ({ headers: { "x-two": "2", "Authorization": "Bearer mine", "x-gone": null } }),
      ),
  );
  const headers = { "Authorization": "Bearer key", "X-Api-Key": "key", "user-agent": "s" };
  assertEquals(await world.hooks.beforeProviderHeaders(headers, never), { "x-one": "1", "x-two": "2", "x-gone": null });
  assertEquals(seen, [{ "user-agent": "s" }]);
});

Deno.test("decide() can cancel, and a compaction can be supplied R221 R222 R223", async () => {
  const compaction = { summary: "s", firstKeptEntryId: "e1", tokensBefore: 5 };
  using world = await open((sp) => {
    sp.on("session_before_switch", () => ({ cancel: true }));
    sp.on("session_before_fork", () => ({ skipConversationRestore: true }));
    sp.on("session_before_compact", () => ({ compaction }));
    sp.on("session_before_compact", () => ({ cancel: true }));
    sp.on("session_before_tree", () => {});
  });
  const { hooks } = world;
  const preparation = { messagesToSummarize: [], firstKeptEntryId: "e1", tokensBefore: 5 };
  assertEquals(await hooks.decide("session_before_switch", { reason: "new" }, never), { cancel: true });
  assertEquals(await hooks.decide("session_before_fork", { entryId: "e", position: "at" }, never), {
    skipConversationRestore: true,
  });
  assertEquals(
    await hooks.decide(
      "session_before_compact",
      { preparation, branchEntries: [], reason: "manual", willRetry: false },
      never,
    ),
    { compaction },
  );
});

Deno.test("resourcesDiscover() collects paths of all, themes too R163 R224 R225", async () => {
  using world = await open(
    (sp) => void sp.on("resources_discover", ({ reason }) => ({ promptPaths: [`/p/${reason}`], themePaths: ["/t"] })),
    (sp) => void sp.on("resources_discover", () => ({ promptPaths: ["/q"], skillPaths: ["/s"] })),
  );
  assertEquals(await world.hooks.resourcesDiscover("reload", never), {
    skillPaths: [{ extension: "x2", path: "/s" }],
    promptPaths: [{ extension: "x1", path: "/p/reload" }, { extension: "x2", path: "/q" }],
    themePaths: [{ extension: "x1", path: "/t" }],
  });
});

Deno.test("observe() tells listeners, turns with their index R211 R218 R220 R223 R226", async () => {
  const seen: unknown[] = [];
  using world = await openWorld({}, {
    now: () => 7,
    inProcess: [{
      name: "x",
      factory: (sp) => {
        sp.on("turn_start", (event) => void seen.push(event));
        sp.on("model_select", (event) => void seen.push(event));
      },
    }],
  });
  const select = {
    type: "model_select",
    model: { provider: "p", id: "new" },
    previousModel: { provider: "p", id: "old" },
    source: "set",
  } as const;
  await world.hooks.observe({ type: "agent_start" });
  await world.hooks.observe({ type: "turn_start", turn: 1 });
  await world.hooks.observe({ type: "turn_start", turn: 2 });
  await world.hooks.observe(select);
  assertEquals(seen, [
    { type: "turn_start", turn: 1, turnIndex: 0, timestamp: 7 },
    { type: "turn_start", turn: 2, turnIndex: 1, timestamp: 7 },
    select,
  ]);
});

Deno.test("has() knows who listens, also after a handler was taken back", async () => {
  let stop = (): void => {};
  using world = await open((sp) => void (stop = sp.on("context", () => {})));
  assertEquals([world.hooks.has("context"), world.hooks.has("input")], [true, false]);
  stop();
  assertEquals(world.hooks.has("context"), false);
});

Deno.test("on() refuses a name that is no event", async () => {
  // deno-lint-ignore no-explicit-any -- a name that the types forbid
  using world = await open((sp) => void sp.on("tool_cal" as any, () => {}));
  assertEquals(world.problems, [{
    extension: "x1",
    level: "error",
    message: 'is not loaded: on(): there is no event "tool_cal"',
  }]);
});
