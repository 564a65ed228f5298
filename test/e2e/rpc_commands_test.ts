// What commands of RPC mode do, where rpc_test.ts only shows that they are answered.
import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { cassette, FULL_PROGRAM, inWorkspace } from "../helpers/program.ts";
import { type Answer, serveAnswers, textReply } from "../helpers/server.ts";
import { isEvent, type RpcClient, rpcClient } from "./rpc_client.ts";

const settled = isEvent("agent_settled");
const TOO_MANY: Answer = { status: 429, body: "{}", headers: { "retry-after": "30" } };
const says = (text: string): Answer => ({ events: textReply(text) });

/** A client beside a server, and what its commands answer with; a refusal fails the test. */
interface Place {
  readonly client: RpcClient;
  // deno-lint-ignore no-explicit-any -- data of documented responses
  readonly data: (command: object) => Promise<any>;
  /** Sends a prompt and waits for the end of its run. */
  readonly say: (message: string) => Promise<void>;
  /** Bodies of the requests so far. */
  // deno-lint-ignore no-explicit-any -- tests look at fields of the wire format
  readonly requests: readonly any[];
  readonly home: string;
  readonly baseUrl: string;
}

async function withClient(
  answers: readonly Answer[],
  { settings = {}, files = {}, args = [] }: {
    readonly settings?: object;
    readonly files?: Readonly<Record<string, string>>;
    readonly args?: readonly string[];
  },
  work: (place: Place) => Promise<void>,
): Promise<void> {
  await inWorkspace(files, async ({ ws, home }) => {
    const server = serveAnswers(answers);
    try {
      Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
      const all = { model: "one", baseUrl: server.baseUrl, ...settings };
      Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify(all));
      await using client = rpcClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
      await work({
        client,
        requests: server.requests,
        home,
        baseUrl: server.baseUrl,
        async data(command) {
          const { success, error, data } = await client.ask(command);
          assert(success, error);
          return data;
        },
        async say(message) {
          const from = client.lines.length;
          await client.ask({ type: "prompt", message });
          await client.wait(settled, from);
        },
      });
    } finally {
      await server.close();
    }
  });
}

Deno.test("rpc: cycle_model and set_model go over to another model, which is asked from then on", () =>
  withClient(
    [says("Two."), says("One."), says("Own name.")],
    { settings: { models: { one: { contextWindow: 64_000, maxTokens: 900 }, two: { contextWindow: 32_000 } } } },
    async ({ client, data, say, requests, home, baseUrl }) => {
      const { models } = await data({ type: "get_available_models" });
      assertEquals(models.map((model: { id: string; provider: string }) => [model.provider, model.id]), [
        ["openai", "one"],
        ["openai", "two"],
      ]);
      const two = {
        provider: "openai",
        id: "two",
        name: "two",
        api: "openai-completions",
        baseUrl,
        reasoning: false,
        input: ["text"],
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        contextWindow: 32_000,
        maxTokens: 16_384,
      };
      assertEquals(models[1], { ...two, price: null });
      assertEquals(await data({ type: "cycle_model" }), { model: two, thinkingLevel: "off", isScoped: false });
      await say("first");
      assertEquals((await data({ type: "cycle_model" })).model, {
        ...two,
        id: "one",
        name: "one",
        contextWindow: 64_000,
        maxTokens: 900,
      });
      await say("second");
      assertEquals(await data({ type: "set_model", modelId: "two", provider: "openai" }), two);
      const refused = await client.ask({ type: "set_model", modelId: "one", provider: "acme" });
      assertEquals(refused.success, false);
      assertStringIncludes(refused.error, 'There is no provider "acme"');
      assertEquals((await data({ type: "get_state" })).model, two);
      // With its provider beside it a name is taken whole.
      assertEquals((await data({ type: "set_model", modelId: "openai/own", provider: "openai" })).id, "openai/own");
      await say("third");
      assertEquals(requests.map(({ model }) => model), ["two", "one", "openai/own"]);
      const file = cassette(home, [{ text: "From the cassette." }]);
      const replayed = await data({ type: "set_model", modelId: file, provider: "replay" });
      assertEquals([replayed.provider, replayed.id], ["replay", `replay:${file}`]);
      await say("fourth");
      assertEquals(await data({ type: "get_last_assistant_text" }), { text: "From the cassette." });
      assertEquals(requests.length, 3);
      const { entries } = await data({ type: "get_entries" });
      const changes = entries.flatMap((entry: Record<string, string>) =>
        entry["type"] === "model_change" ? [`${entry["provider"]} ${entry["modelId"]}`] : []
      );
      assertEquals(changes, ["openai two", "openai one", "openai two", "openai openai/own", `replay replay:${file}`]);
    },
  ));

Deno.test("rpc: compact answers with the summary, and the next request begins with it", () =>
  withClient(
    [says("One."), says("Two."), says("## Goal\nSUMMED UP"), says("## Original Request\nBEGUN"), says("Three.")],
    { settings: { compaction: { keepRecentTokens: 1 } } },
    async ({ client, data, say, requests }) => {
      await say("first words");
      await say("second words");
      const before = (await data({ type: "get_entries" })).entries;
      const made = await data({ type: "compact", customInstructions: "mind the tests" });
      assertStringIncludes(made.summary, "SUMMED UP");
      assert(made.tokensBefore > 0);
      assert(before.some(({ id }: { id: string }) => id === made.firstKeptEntryId));
      assertStringIncludes(JSON.stringify(requests[2]), "mind the tests");
      assertEquals(
        client.lines.filter(({ type }) => /^compaction/.test(type)).map(({ type, reason }) => [type, reason]),
        [["compaction_start", "manual"], ["compaction_end", "manual"]],
      );
      const { messages } = await data({ type: "get_messages" });
      assertEquals(messages[0].role, "compactionSummary");
      const { entries } = await data({ type: "get_entries" });
      assertEquals([entries.length, entries.at(-1).type], [before.length + 1, "compaction"]);
      await say("third words");
      const last = JSON.stringify(requests.at(-1).messages);
      assertEquals([last.includes("SUMMED UP"), last.includes("first words")], [true, false]);
    },
  ));

Deno.test("rpc: abort_retry ends a run that waits for its next attempt, and set_auto_retry lets none wait", () =>
  withClient([TOO_MANY, TOO_MANY, TOO_MANY, says("At last.")], {}, async ({ client, data, say, requests }) => {
    const waits = async (): Promise<void> => {
      const from = client.lines.length;
      await client.ask({ type: "prompt", message: "go" });
      const { attempt, delayMs } = await client.wait(isEvent("auto_retry_start"), from);
      assertEquals([attempt, delayMs], [1, 30_000]);
      await data({ type: "abort_retry" });
      assertEquals((await client.wait(settled, from)).aborted, true);
      const end = await client.wait(isEvent("auto_retry_end"), from);
      assertEquals([end.success, end.finalError], [false, "The run was stopped"]);
    };
    assertEquals((await data({ type: "get_state" })).autoRetryEnabled, true);
    await waits();
    assertEquals(requests.length, 1);
    await data({ type: "set_auto_retry", enabled: false });
    assertEquals((await data({ type: "get_state" })).autoRetryEnabled, false);
    const from = client.lines.length;
    await say("once");
    const told = client.lines.slice(from);
    assertEquals(told.filter(({ type }) => /^auto_retry/.test(type)), []);
    assertEquals(told.find(isEvent("agent_end"))?.ending, "error");
    assertEquals(requests.length, 2);
    await data({ type: "set_auto_retry", enabled: true });
    await waits();
    await say("again");
    assertEquals(await data({ type: "get_last_assistant_text" }), { text: "At last." });
    const wrong = await client.ask({ type: "set_auto_retry", enabled: "yes" });
    assertMatch(wrong.error, /^enabled: /);
  }));

Deno.test("rpc: clone goes on in a session of its own that begins with the whole conversation", () =>
  withClient([says("One."), says("Two.")], {}, async ({ data, say }) => {
    await say("first");
    const old = await data({ type: "get_state" });
    const { messages } = await data({ type: "get_messages" });
    const kept = Deno.readTextFileSync(old.sessionFile);
    assertEquals(await data({ type: "clone" }), { cancelled: false });
    const now = await data({ type: "get_state" });
    assertNotEquals([now.sessionId, now.sessionFile], [old.sessionId, old.sessionFile]);
    assertEquals((await data({ type: "get_messages" })).messages, messages);
    await say("second");
    assertEquals((await data({ type: "get_state" })).messageCount, 4);
    // The first session has none of that.
    assertEquals(Deno.readTextFileSync(old.sessionFile), kept);
    assertStringIncludes(Deno.readTextFileSync(now.sessionFile), "second");
  }));

Deno.test("rpc: get_commands has what /name reaches, whoever brought it", () =>
  withClient(
    [says("Unused.")],
    {
      files: {
        "greet.ts": `export default (sp) => sp.registerCommand("greet", { description: "greets", handler() {} });\n`,
        ".sandpiper/prompts/look.md": "---\ndescription: looks at something\n---\nLook at $1.\n",
        ".sandpiper/skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies up.\n---\nTidy.\n",
      },
      args: ["--trust", "-e", "greet.ts"],
    },
    async ({ client, data }) => {
      const { cwd } = await data({ type: "get_state" });
      const { commands } = await data({ type: "get_commands" });
      // deno-lint-ignore no-explicit-any -- tests look at fields of documented lines
      const ours = commands.filter(({ name }: any) => /greet|look|tidy/.test(name)).map((
        // deno-lint-ignore no-explicit-any -- see above
        { sourceInfo: { path, scope, ...rest }, ...command }: any,
      ) => {
        assertEquals(rest, { source: "local", origin: "top-level" });
        assertEquals([path, scope], command.path ? [command.path, "project"] : ["<extension:greet>", "temporary"]);
        return command;
      });
      assertEquals(ours, [
        { name: "greet", description: "greets", source: "extension" },
        {
          name: "look",
          description: "looks at something",
          path: `${cwd}/.sandpiper/prompts/look.md`,
          source: "prompt",
        },
        {
          name: "skill:tidy",
          description: "Tidies up.",
          path: `${cwd}/.sandpiper/skills/tidy/SKILL.md`,
          source: "skill",
        },
      ]);
      assertEquals((await client.ask({ type: "prompt", message: "/greet" })).data, { disposition: "handled" });
    },
  ));

Deno.test("rpc: set_label names an entry of the tree and takes the name away", () =>
  withClient([says("One.")], {}, async ({ client, data, say }) => {
    await say("first");
    const [{ entryId }] = (await data({ type: "get_fork_messages" })).messages;
    // deno-lint-ignore no-explicit-any -- a node of the tree, as documented
    const labelOf = (nodes: readonly any[]): unknown => {
      for (const { entry, label, children } of nodes) {
        const found = entry.id === entryId ? label ?? "none" : labelOf(children);
        if (found !== undefined) return found;
      }
    };
    const label = async (): Promise<unknown> => labelOf((await data({ type: "get_tree" })).tree);
    assertEquals(await label(), "none");
    await data({ type: "set_label", entryId, label: "the beginning" });
    assertEquals(await label(), "the beginning");
    await data({ type: "set_label", entryId });
    assertEquals(await label(), "none");
    assertEquals((await client.ask({ type: "set_label", entryId: "nobody", label: "x" })).success, false);
  }));
