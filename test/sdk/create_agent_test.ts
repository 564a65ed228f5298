import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import * as z from "zod/mini";
import { sha256 } from "../../src/core/support/digest.ts";
import type {
  AgentEvent,
  Manifest,
  PromptAugment,
  PromptBuilderInput,
  Provider,
  ProviderRequest,
} from "../../src/mod.ts";
import { type AgentOptions, defineExtension, defineTool, UserError } from "../../src/mod.ts";
import { cassette, inWorkspace } from "../helpers/program.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import { serveAnswers, textReply } from "../helpers/server.ts";
import { createAgent, isEmbedded } from "./which_sdk.ts";

/** A workspace, and the options of an agent in it whose model plays these replies. */
async function withOptions(
  replies: readonly unknown[],
  work: (options: AgentOptions & { readonly cwd: string }, home: string) => Promise<void>,
): Promise<void> {
  await inWorkspace({ "a.txt": "alpha" }, async ({ ws, home }) => {
    const env = { HOME: home, PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin" };
    await work({ cwd: ws, model: `replay:${cassette(home, replies)}`, env }, home);
  });
}

const environment = (): string => JSON.stringify(Object.entries(Deno.env.toObject()).sort());

Deno.test("createAgent() runs prompts, tells events, keeps nothing and leaves the process as it was", async () => {
  await withOptions([
    { calls: [{ name: "read", args: { path: "a.txt" } }] },
    { text: "It says alpha.", expect: ["alpha"] },
    { text: "Yes." },
  ], async (options, home) => {
    const before = [Deno.cwd(), environment(), console.log];
    const seen: AgentEvent["type"][] = [];
    await using agent = await createAgent(options);
    agent.subscribe(({ type }) => void seen.push(type));
    const types: string[] = [];
    const events = agent.run("what does it say?");
    let step = await events.next();
    for (; !step.done; step = await events.next()) types.push(step.value.type);
    assertEquals(step.value, { kind: "run", ending: "done" });
    assertEquals(types, seen);
    assertEquals([types[0], types.at(-1)], ["agent_start", "agent_settled"]);
    assertEquals(await agent.answer("sure?"), "Yes.");
    assertEquals(agent.messages().length, 6);
    assertEquals([Deno.cwd(), environment(), console.log], before);
    assertEquals(agent.state().sessionFile, undefined);
    assertEquals([...Deno.readDirSync(home)].map(({ name }) => name).filter((name) => name === ".sandpiper"), []);
  });
});

Deno.test("createAgent() has tools of its own: zod checks what the model sends, throwing is an error result, a plain schema goes through", async () => {
  const asked: unknown[] = [];
  const weather = defineTool({
    name: "weather",
    description: "Tells the weather of a town",
    promptSnippet: "Knows the weather",
    parameters: z.object({ town: z.string() }),
    execute: (id, { town }, signal, _onUpdate, ctx) => {
      asked.push(town);
      assertEquals([typeof id, signal.aborted, typeof ctx.cwd], ["string", false, "string"]);
      if (town === "Nowhere") throw new Error("no such town");
      return `Sunny in ${town}`;
    },
  });
  const plain = {
    name: "count",
    description: "Counts",
    parameters: { type: "object", properties: { of: { type: "string" } }, required: ["of"] },
    execute: (_id: string, { of }: { of: string }) => ({ content: [{ type: "text" as const, text: `3 of ${of}` }] }),
  };
  await withOptions([
    {
      calls: [
        { name: "weather", args: { town: "Oslo" } },
        { name: "weather", args: { town: "Nowhere" } },
        { name: "weather", args: { town: { name: "Oslo" } } },
        { name: "count", args: { of: "birds" } },
      ],
    },
    { text: "Done.", expect: ["Sunny in Oslo", "no such town", "3 of birds"] },
  ], async (options) => {
    await using agent = await createAgent({ ...options, tools: [], customTools: [weather, plain] });
    assertEquals(agent.tools().filter(({ active }) => active).map(({ name }) => name), ["count", "weather"]);
    assertStringIncludes(agent.compiled().full, "- weather: Knows the weather\n");
    assertEquals(await agent.answer("go"), "Done.");
    assertEquals(asked, ["Oslo", "Nowhere"]);
    const results = agent.messages().filter((message) => message.role === "toolResult");
    assertEquals(results.map(({ isError }) => isError), [false, true, true, false]);
  });
});

Deno.test("createAgent() R50 R52 R53 R407 R410 puts rules, blocks, a channel and a dynamic text of the program's own into the prompt", async () => {
  await withOptions([{ text: "Hello." }], async (options) => {
    const manifests: Manifest[] = [];
    const augments: readonly PromptAugment[] = [
      { channel: "rpc", blocks: () => [{ title: "Replaced", content: "not in use" }] },
      {
        channel: "chat",
        blocks: ({ audience }) => [
          { title: "Chat", content: "Plain text only." },
          ...audience === "group" ? [{ title: "Group", content: "Answer when you are named." }] : [],
        ],
      },
    ];
    await using agent = await createAgent({
      ...options,
      rules: ["Answer in Dutch.", "Name no prices.\n# Heading"],
      blocks: [{ title: "Zebra", content: "first" }, { title: "Apple", content: "second" }],
      dynamicContext: "The shop closes at six.",
      augments,
      channel: "chat",
      audience: "group",
    });
    agent.subscribe((event) => void (event.type === "prompt_compiled" && manifests.push(event.manifest)));
    assertEquals(await agent.answer("hello"), "Hello.");
    const { stable, dynamic, manifest } = agent.compiled();
    assertStringIncludes(stable, "\n- Answer in Dutch.\n- Name no prices. # Heading\n");
    assertStringIncludes(stable, "## Zebra\nfirst\n\n## Apple\nsecond\n");
    assertStringIncludes(dynamic, "## Chat\nPlain text only.\n\n## Group\nAnswer when you are named.\n");
    assertStringIncludes(dynamic, "\nThe shop closes at six.\n");
    assert(!dynamic.includes("not in use") && !dynamic.includes("Interaction"));
    const own = ["rules", "blocks", "channel_augment", "dynamic_context"];
    for (const { sections } of [manifest, ...manifests]) {
      const all = sections.map(({ id }) => id);
      const five = ["identity_base", "tools_list", "rules", "skills_listing", "blocks"];
      assertEquals(all.filter((id) => five.includes(id)), five);
      const found = sections.filter(({ id }) => own.includes(id));
      assertEquals(found.map(({ id, sources }) => `${id}: ${sources.map(({ kind, ref }) => `${kind} ${ref}`)}`), [
        "rules: caller rules",
        "blocks: caller blocks:1,caller blocks:2",
        "channel_augment: runtime chat:1,runtime chat:2",
        "dynamic_context: caller dynamic_context",
      ]);
    }
    assertEquals(manifests.length, 1);
    await using direct = await createAgent({ ...options, augments, channel: "chat" });
    const text = direct.compiled().full;
    assertEquals([text.includes("Plain text only."), text.includes("when you are named")], [true, false]);
    await using plain = await createAgent({ ...options, rules: [], blocks: [] });
    const ids = plain.compiled().manifest.sections.map(({ id }) => id).filter((id) => own.includes(id));
    assertEquals(ids, ["channel_augment"]);
  });
});

Deno.test("createAgent() R54 lets hooks block calls and a prompt builder write the system prompt from tools and task", async () => {
  await withOptions([
    { calls: [{ name: "read", args: { path: "a.txt" } }], expect: ["You are terse. Asked: look"] },
    { text: "Blocked.", expect: ["not today"] },
    { text: "Again.", expect: ["You are terse. Asked: and now?"] },
  ], async (options) => {
    const guard = defineExtension((sp) => {
      sp.on("tool_call", ({ toolName }) => toolName === "read" ? { block: true, reason: "not today" } : undefined);
      sp.on("before_agent_start", ({ systemPrompt }) => ({ systemPrompt: `${systemPrompt}\n\nOF AN EXTENSION` }));
    });
    const given: Omit<PromptBuilderInput, "signal">[] = [];
    await using agent = await createAgent({
      ...options,
      tools: ["read", "ls"],
      extensions: [guard],
      promptBuilder: async ({ signal, ...input }) => {
        given.push(input);
        await Promise.resolve();
        return signal.aborted ? "wrong" : `You are terse. Asked: ${input.prompt}`;
      },
    });
    const manifests: Manifest[] = [];
    agent.subscribe((event) => void (event.type === "prompt_compiled" && manifests.push(event.manifest)));
    assertEquals(await agent.answer("look"), "Blocked.");
    assertEquals(await agent.answer("and now?"), "Again.");
    assertEquals(given.map(({ prompt }) => prompt), ["look", "and now?"]);
    for (const { tools, definitions, systemPrompt } of given) {
      assertEquals(tools.map(({ name, origin }) => `${origin} ${name}`), ["builtin read", "builtin ls"]);
      assertEquals(definitions.map(({ name }) => name), ["read", "ls"]);
      assert(systemPrompt.startsWith(agent.compiled().full) && systemPrompt.endsWith("OF AN EXTENSION"));
    }
    const kept = manifests.map((
      { round, sections: [first, ...later], tools, hooks },
    ) => [round, first, later.map(({ id }) => id), tools.names, hooks.length]);
    assertEquals(kept, [
      [1, custom("You are terse. Asked: look"), [], ["read", "ls"], 1],
      [2, custom("You are terse. Asked: look"), ["retry_instruction"], ["read", "ls"], 1],
      [1, custom("You are terse. Asked: and now?"), [], ["read", "ls"], 1],
    ]);
  });
});

/** What a manifest says of a builder's text. */
function custom(text: string): Manifest["sections"][number] {
  const size = { chars: text.length, kept: text.length, sha256: sha256(text) };
  const source = { kind: "caller", ref: "prompt_builder", status: "loaded", ...size } as const;
  return { id: "custom_prompt", stability: "stable", ...size, sources: [source] };
}

Deno.test("createAgent() R54 sends nothing when the prompt builder fails, is blank or is stopped, and goes on afterwards", async () => {
  await withOptions([{ text: "Fine.", expect: ["You help. Asked: third"] }, {
    text: "On.",
    expect: ["You help. Asked: stop"],
  }], async (options) => {
    const asked: string[] = [];
    const waits = Promise.withResolvers<void>();
    await using agent = await createAgent({
      ...options,
      promptBuilder: ({ prompt }) => {
        asked.push(prompt);
        if (prompt === "first") throw new RangeError("no such customer");
        if (prompt === "stop" && asked.length === 4) {
          waits.resolve();
          return new Promise(() => {});
        }
        return prompt === "second" ? " \n" : `You help. Asked: ${prompt}`;
      },
    });
    const seen: AgentEvent["type"][] = [];
    agent.subscribe(({ type }) => void seen.push(type));
    await assertRejects(() => agent.answer("first"), RangeError, "no such customer");
    const blank = await assertRejects(() => agent.answer("second"), UserError);
    assertEquals(blank.what, "The prompt builder returned no text");
    assertEquals([seen, agent.messages()], [[], []]);
    assertEquals(await agent.answer("third"), "Fine.");
    const stopped = agent.prompt({ text: "stop", source: "rpc" });
    await waits.promise;
    seen.length = 0;
    await agent.abort();
    assertEquals(await stopped, { kind: "run", ending: "aborted" });
    assert(!seen.includes("prompt_compiled"));
    // Without new words, too, the program's prompt is the one that is sent.
    assertEquals(await agent.resume(), { kind: "run", ending: "done" });
    assertEquals(asked, ["first", "second", "third", "stop", "stop"]);
  });
});

Deno.test("createAgent() takes steering and follow-ups, and whoever walks away from the events stops the run R274", async () => {
  const slow = {
    name: "slow",
    description: "Waits",
    parameters: { type: "object", properties: {} },
    execute: async (_id: string, _args: unknown, signal: AbortSignal) => {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      return "stopped";
    },
  };
  await withOptions([{ text: "One." }, { text: "Two." }, { calls: [{ name: "slow", args: {} }] }], async (options) => {
    await using agent = await createAgent({ ...options, customTools: [slow] });
    await agent.followUp("and then?");
    assertEquals(await agent.answer("first"), "Two.");
    for await (const event of agent.run("now wait")) if (event.type === "tool_execution_start") break;
    assertEquals(agent.state().isStreaming, false);
    assertEquals(agent.messages().at(-1)?.role, "toolResult");
  });
});

Deno.test("createAgent() asks about denials, and permissions and read-only hold as on the command line", async () => {
  await inWorkspace({ "a.txt": "alpha" }, async ({ ws, home, outside }) => {
    Deno.writeTextFileSync(`${outside}/x.txt`, "OUTSIDE");
    const env = { HOME: home, PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin" };
    const replies = [{ calls: [{ name: "read", args: { path: `${outside}/x.txt` } }] }, { text: "Done." }];
    const model = `replay:${cassette(home, replies)}`;
    const isRead = async (options: AgentOptions): Promise<boolean> => {
      await using agent = await createAgent({ cwd: ws, env, model, ...options });
      await agent.answer("read it");
      return JSON.stringify(agent.messages()).includes("OUTSIDE");
    };
    const questions: string[] = [];
    assertEquals(await isRead({}), false);
    const ask: NonNullable<AgentOptions["ask"]> = ({ denial }) => {
      questions.push(denial.target);
      return Promise.resolve("once");
    };
    assertEquals(await isRead({ ask }), true);
    assertEquals(questions, [`${outside}/x.txt`]);
    assertEquals(await isRead({ permissions: { read: [ws, outside] } }), true);
    assertEquals(await isRead({ permissions: { read: "all", denyRead: [outside] } }), false);
    await using agent = await createAgent({ cwd: ws, env, model, permissions: { readOnly: true } });
    assertEquals(agent.tools().filter(({ active }) => active).map(({ name }) => name), ["read", "bash"]);
  });
});

Deno.test("createAgent() refuses readOnly beside a scope for writing or running", async () => {
  await withOptions([], async (options) => {
    for (const [name, scope] of [["write", "all"], ["write", ["x"]], ["run", ["git"]]] as const) {
      const permissions = { readOnly: true, [name]: scope };
      const error = await assertRejects(() => createAgent({ ...options, permissions }), UserError);
      assertEquals(error.what, `permissions.readOnly and permissions.${name} contradict each other`);
    }
    await using _agent = await createAgent({ ...options, permissions: { readOnly: true, write: [] } });
  });
});

Deno.test("createAgent() keeps a session when it should, and goes on with it", async () => {
  await withOptions([{ text: "Noted." }, { text: "Forty-two.", expect: ["Noted."] }], async (options, home) => {
    const sessionDir = `${home}/kept`;
    let id = "";
    {
      await using agent = await createAgent({ ...options, session: "file", sessionDir });
      await agent.answer("remember 42");
      id = agent.state().sessionId;
    }
    const model = `replay:${cassette(home, [{ text: "Forty-two.", expect: ["remember 42", "Noted."] }])}`;
    for (const session of [{ fork: id }, { resume: id }, "continue"] as const) {
      await using agent = await createAgent({ ...options, model, session, sessionDir });
      assertEquals(await agent.answer("which number?"), "Forty-two.");
    }
  });
});

Deno.test("createAgent() gives the key to the endpoint alone, and two agents do not know of each other", async () => {
  const server = serveAnswers([{ events: textReply("Hello.") }]);
  try {
    await withOptions([{ text: "From the cassette." }], async (options) => {
      const { model: _model, ...rest } = options;
      await using one = await createAgent(options);
      await using two = await createAgent({ ...rest, model: "any", baseUrl: server.baseUrl, apiKey: "sk-only-here" });
      assertEquals(await Promise.all([one.answer("a"), two.answer("b")]), ["From the cassette.", "Hello."]);
      assertEquals(server.headers[0]?.get("authorization"), "Bearer sk-only-here");
      assert(one.state().sessionId !== two.state().sessionId);
      await two.close();
      await two.close();
    });
  } finally {
    await server.close();
  }
});

Deno.test("setModel() of an agent keeps the key that the program gave, and goes back to the program's own model", async () => {
  const server = serveAnswers([{ events: textReply("Hello.") }]);
  const said = (text: string): Provider => ({
    name: "own",
    model: "own-1",
    async *stream() {
      const message = { role: "assistant" as const, provider: "own", model: "own-1", timestamp: 1 };
      yield { type: "end", message: { ...message, content: [{ type: "text", text }], stopReason: "stop" } };
    },
  });
  try {
    await withOptions([], async ({ model: _model, ...rest }) => {
      const at = { ...rest, baseUrl: server.baseUrl, apiKey: "sk-only-here" };
      await using agent = await createAgent({ ...at, model: "first" });
      await agent.setModel("second");
      assertEquals(await agent.answer("hello"), "Hello.");
      await using own = await createAgent({ ...at, apiKeyEnv: "MY_KEY", model: said("From the program.") });
      await own.setModel("third");
      assertEquals(await own.answer("hello"), "Hello.");
      await own.setModel("own-1");
      assertEquals(await own.answer("hello"), "From the program.");
    });
    assertEquals(server.requests.map(({ model }) => model), ["second", "third"]);
    assertEquals(server.headers.map((headers) => headers.get("authorization")), Array(2).fill("Bearer sk-only-here"));
  } finally {
    await server.close();
  }
});

Deno.test({
  name: "createAgent() closes the process to debuggers only when it is asked to",
  ignore: Deno.build.os !== "linux" || !isEmbedded(),
  fn: async () => {
    await withOptions([], async (options, home) => {
      const from = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
      const isDumpable = async (more: object): Promise<string> => {
        const script = `import { createAgent } from ${from("mod.ts")}; import { systemCall } from ${
          from("sandbox/system/ffi.ts")
        };
          await using agent = await createAgent(${JSON.stringify({ ...options, ...more })});
          const PR_GET_DUMPABLE = 3;
          console.log(systemCall("prctl", PR_GET_DUMPABLE));`;
        Deno.writeTextFileSync(`${home}/script.ts`, script);
        const config = fromFileUrl(new URL("../../deno.json", import.meta.url));
        const args = ["run", "-A", "--no-prompt", "--no-check", "--quiet", "--config", config, `${home}/script.ts`];
        const { stdout } = await new Deno.Command(Deno.execPath(), { args, env: { NO_COLOR: "1" } }).output();
        return new TextDecoder().decode(stdout).trim();
      };
      assertEquals([await isDumpable({}), await isDumpable({ hardenProcess: true })], ["1", "0"]);
    });
  },
});

Deno.test({
  name: "createAgent() in a process that is not closed to debuggers shows nothing of it to a confined command",
  ignore: CONFINED.length === 0 || !isEmbedded(),
  fn: async () => {
    const mark = `sp-sdk-${crypto.randomUUID()}`;
    await withOptions([], async (options, home) => {
      const from = JSON.stringify(new URL("../../src/mod.ts", import.meta.url).href);
      Deno.writeTextFileSync(
        `${home}/script.ts`,
        `import { createAgent } from ${from};
        await using agent = await createAgent(${JSON.stringify(options)});
        const own = new TextDecoder().decode(Deno.readFileSync("/proc/self/environ")).includes(${JSON.stringify(mark)});
        const { output } = await agent.bash(\`tr '\\\\0' '\\\\n' < /proc/\${Deno.pid}/environ; head -c 1 /proc/\${Deno.pid}/mem; echo end\`, true);
        console.log(own, output.includes(${JSON.stringify(mark)}), output.trim().endsWith("end"));`,
      );
      const config = fromFileUrl(new URL("../../deno.json", import.meta.url));
      const args = ["run", "-A", "--no-prompt", "--no-check", "--quiet", "--config", config, `${home}/script.ts`];
      const env = { NO_COLOR: "1", SOME_MARK: mark };
      const { stdout } = await new Deno.Command(Deno.execPath(), { args, env }).output();
      assertEquals(new TextDecoder().decode(stdout).trim(), "true false true");
    });
  },
});

const WRONG: readonly { readonly name: string; readonly options: AgentOptions; readonly says: string }[] = [
  { name: "a folder that is not there", options: { cwd: "/nonexistent/folder" }, says: "does not exist" },
  { name: "an unknown tool", options: { tools: ["raed"] }, says: "raed" },
  { name: "an unknown setting", options: { settings: { modle: "x" } }, says: "modle" },
  { name: "a channel that nothing describes", options: { channel: "pigeon" }, says: "pigeon" },
  { name: "a wrong setting", options: { settings: { limits: { maxTurns: "many" } } }, says: "limits.maxTurns" },
];
for (const { name, options, says } of WRONG) {
  Deno.test(`createAgent() refuses ${name} with what to do`, async () => {
    await withOptions([{ text: "Unused." }], async (given) => {
      const error = await assertRejects(() => createAgent({ ...given, ...options }), UserError);
      assertStringIncludes(`${error.what} ${error.why}`, says);
    });
  });
}

Deno.test("answer() throws for a run that did not get to its end, with the reason", async () => {
  await withOptions([{ error: { status: 401, message: "no such key" } }], async (options) => {
    await using agent = await createAgent(options);
    const error = await assertRejects(() => agent.answer("go"), UserError);
    assertStringIncludes(error.why, "key");
  });
});

Deno.test("createAgent() takes a provider of the program's own", async () => {
  await withOptions([], async (options) => {
    const asked: ProviderRequest[] = [];
    const parrot: Provider = {
      name: "parrot",
      model: "parrot-1",
      async *stream(request) {
        asked.push(request);
        const last = request.messages.at(-1);
        const text = `You said: ${last?.role === "user" && typeof last.content === "string" ? last.content : ""}`;
        yield { type: "text_delta", delta: text };
        const message = {
          role: "assistant",
          content: [{ type: "text", text }],
          provider: "parrot",
          model: "parrot-1",
        } as const;
        yield { type: "end", message: { ...message, stopReason: "stop", timestamp: Date.now() } };
      },
    };
    await using agent = await createAgent({ ...options, model: parrot, contextWindow: 64_000 });
    assertEquals(await agent.answer("hello"), "You said: hello");
    assertEquals(agent.state().model, { provider: "parrot", id: "parrot-1", contextWindow: 64_000 });
    assertEquals(asked[0]?.tools.map(({ name }) => name), ["read", "bash", "edit", "write"]);
  });
});

Deno.test("createAgent({ answerSchema }) gives exactly the JSON, binds the server where it has to ask again, and fails of what never fits", async () => {
  const answerSchema = { type: "object", properties: { level: { enum: ["low", "high"] } }, required: ["level"] };
  const server = serveAnswers([
    { events: textReply("It is low.") },
    { events: textReply('```json\n{ "level": "low" }\n```') },
    { events: textReply("It is low.") },
  ]);
  try {
    await withOptions([], async ({ model: _, ...options }) => {
      const own = { ...options, model: "m", baseUrl: server.baseUrl, apiKey: "k", answerSchema };
      await using agent = await createAgent(own);
      assertEquals(await agent.answer("which?"), '{ "level": "low" }');
      assertEquals("response_format" in server.requests[0], false);
      assertEquals(server.requests[1].response_format.json_schema.schema, answerSchema);
      const error = await assertRejects(() => agent.answer("and now?"), UserError);
      assertEquals([error.exitCode, server.requests.length], [5, 5]);
      assertStringIncludes(error.message, "the answer does not fit answerSchema: it is no JSON");
      const wrong = { ...own, answerSchema: { $ref: "#/nowhere" } };
      assertStringIncludes((await assertRejects(() => createAgent(wrong), UserError)).message, "answerSchema");
    });
  } finally {
    await server.close();
  }
});

Deno.test("createAgent({ agent }) runs as the agent's file says, which no option widens, and answer() gives its JSON", async () => {
  const verdict = { verdict: "good", findings: [] };
  const command = { name: "bash", args: { command: "cat a.txt; echo bad > a.txt" } };
  await withOptions([
    {
      calls: [command, { name: "write", args: { path: "b.txt", content: "b" } }],
      expect: ["You are the agent review."],
    },
    { text: "fine" },
    { text: `\n${JSON.stringify(verdict)}\n` },
  ], async (options) => {
    const { cwd } = options;
    await using agent = await createAgent({ ...options, agent: "review", permissions: { write: "all" } });
    assertEquals(agent.state().policy.write, { all: false, list: [] });
    assertEquals(agent.tools().filter(({ active }) => active).map(({ name }) => name), [
      "read",
      "bash",
      "grep",
      "find",
      "ls",
    ]);
    assertEquals(await agent.answer("judge"), JSON.stringify(verdict));
    assertEquals([...Deno.readDirSync(cwd)].map(({ name }) => name), ["a.txt"]);
    assertEquals(Deno.readTextFileSync(`${cwd}/a.txt`), "alpha");
    const error = await assertRejects(() => createAgent({ ...options, agent: "reviw" }), UserError);
    assertEquals([error.what, error.fix], ['There is no agent "reviw"', "Did you mean review?"]);
    await using readers = await createAgent({ ...options, agent: "review", tools: ["read"] });
    assertEquals(readers.tools().filter(({ active }) => active).map(({ name }) => name), ["read"]);
  });
});
