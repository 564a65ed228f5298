import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { serveGated, type Step } from "../helpers/gated_server.ts";
import { FULL_PROGRAM, inWorkspace } from "../helpers/program.ts";
import { callReply, textReply } from "../helpers/server.ts";
import { fetchPiClient, nodeFor, type PiClient } from "./pi_client.ts";

const fetched = await fetchPiClient();
if ("why" in fetched) console.log(`rpc is not tested with pi's client: ${fetched.why}`);

/** What the model was told in a request. */
// deno-lint-ignore no-explicit-any -- tests look at fields of the wire format
const told = (request: any): readonly string[] =>
  request.messages.filter(({ role }: { role: string }) => role !== "system").map((
    { content }: { content: unknown },
  ) => typeof content === "string" ? content : JSON.stringify(content));

interface Room {
  readonly client: PiClient;
  readonly server: ReturnType<typeof serveGated>;
  readonly ws: string;
  readonly home: string;
}

function test(name: string, answers: readonly (readonly Step[])[], work: (room: Room) => Promise<void>): void {
  Deno.test({
    name: `rpc with pi's client: ${name}`,
    ignore: "why" in fetched,
    fn: () =>
      inWorkspace({ "a.txt": "alpha" }, async ({ ws, home, outside }) => {
        if ("why" in fetched) return;
        await using server = serveGated(answers);
        const client = new fetched.RpcClient({
          cwd: ws,
          env: { PATH: `${nodeFor(FULL_PROGRAM, outside, { HOME: home })}:/usr/bin:/bin` },
          args: ["-m", "any", "--base-url", server.baseUrl],
        });
        await client.start();
        try {
          await work({ client, server, ws, home });
        } finally {
          await client.stop();
        }
        assertEquals(client.getStderr(), "");
      }),
  });
}

const reading = callReply({ name: "read", args: { path: "a.txt" } });

test("a prompt runs to its end, and what it left can be asked for R274", [
  reading,
  textReply("It says alpha."),
  textReply("Seen."),
], async ({ client, server }) => {
  const before = await client.getState();
  assertEquals([before.isStreaming, before.isCompacting, before.messageCount], [false, false, 0]);
  assertEquals([before.model.id, before.pendingMessageCount], ["any", 0]);
  const events = await client.promptAndWait("what is in a.txt?");
  const types = events.map(({ type }) => type);
  // What is not known of the model is told before.
  assertEquals(types.filter((type) => type.startsWith("agent_")), ["agent_start", "agent_end", "agent_settled"]);
  assertEquals(types.at(-1), "agent_settled");
  const ended = events.find(({ type }) => type === "tool_execution_end");
  assertEquals([ended.toolName, ended.isError, ended.result.content[0].text], ["read", false, "alpha"]);
  const deltas = events.filter(({ type }) => type === "message_update").map((event) => event.assistantMessageEvent);
  const said = deltas.filter(({ type }) => type === "text_delta").map(({ delta }) => delta).join("");
  assertEquals([said, await client.getLastAssistantText()], ["It says alpha.", "It says alpha."]);
  const messages = await client.getMessages();
  assertEquals(messages.map(({ role }: { role: string }) => role), ["user", "assistant", "toolResult", "assistant"]);
  const { userMessages, assistantMessages, toolCalls, toolResults, totalMessages, tokens } = await client
    .getSessionStats();
  assertEquals([userMessages, assistantMessages, toolCalls, toolResults, totalMessages], [1, 2, 1, 1, 4]);
  assertEquals(tokens.total, 25);
  const ran = { cancelled: false, truncated: false };
  assertEquals(await client.bash("cat a.txt; exit 3"), { output: "alpha", exitCode: 3, ...ran });
  assertEquals(await client.bash("true"), { output: "", exitCode: 0, ...ran });
  const long = await client.bash("seq 5000");
  assertEquals([long.truncated, Deno.readTextFileSync(long.fullOutputPath).split("\n").length], [true, 5001]);
  const shown = (await client.getMessages()).at(-3);
  assertEquals([shown.role, shown.command, shown.output], ["bashExecution", "cat a.txt; exit 3", "alpha"]);
  await client.promptAndWait("and now?");
  assertStringIncludes(told(server.requests[2]).join("\n"), "cat a.txt; exit 3");
});

test("what is said during a run is queued, delivered or given back R266 R267 R268 R269 R274", [
  [...textReply("First.").slice(0, 1), { gate: "first" }, ...textReply("First.").slice(1)],
  textReply("Second."),
  textReply("Third."),
  [...textReply("Fourth.").slice(0, 1), { gate: "never" }],
], async ({ client, server }) => {
  const update = (): Promise<void> =>
    new Promise((resolve) => {
      const end = client.onEvent(({ type }) => type === "message_update" && (end(), resolve()));
    });
  const streaming = update();
  assertEquals(await client.prompt("one"), "started");
  await streaming;
  const idle = client.waitForIdle();
  assertEquals(await client.steer("two"), "queued");
  assertEquals(await client.followUp("three"), "queued");
  assertEquals(await client.prompt("two and a half", [], "steer"), "queued");
  await assertRejects(() => client.prompt("four"), Error, "streamingBehavior");
  const { isStreaming, pendingMessageCount } = await client.getState();
  assertEquals([isStreaming, pendingMessageCount], [true, 3]);
  assertEquals(await client.clearQueue(), { steering: ["two", "two and a half"], followUp: ["three"] });
  assertEquals(await client.followUp("three"), "queued");
  assertEquals(await client.steer("two"), "queued");
  server.open("first");
  await idle;
  assertEquals(told(server.requests[2]), ["one", "First.", "two", "Second.", "three"]);
  const again = update();
  assertEquals(await client.prompt("four"), "started");
  await again;
  await client.abort();
  assertEquals((await client.getState()).isStreaming, false);
});

test("sessions are named, forked, cloned, left and taken up again R274", [
  textReply("One."),
  textReply("Two."),
], async ({ client, home }) => {
  await client.promptAndWait("first");
  await client.promptAndWait("second");
  await client.setSessionName("mine");
  const first = await client.getState();
  assertEquals(first.sessionName, "mine");
  const said = await client.getForkMessages();
  assertEquals(said.map(({ text }: { text: string }) => text), ["first", "second"]);
  const { entries, leafId } = await client.getEntries();
  assertEquals(entries.at(-1).id, leafId);
  assertEquals(await client.getEntries(entries.at(-3).id), { entries: entries.slice(-2), leafId });
  assertEquals(await client.getEntries(leafId), { entries: [], leafId });
  await assertRejects(() => client.getEntries("nowhere"), Error, "nowhere");
  assertEquals((await client.getTree()).tree[0].entry.id, entries[0].id);
  const { path } = await client.exportHtml(`${home}/out.html`);
  assertStringIncludes(Deno.readTextFileSync(path), "Two.");
  assertEquals(await client.fork(said[1].entryId), { text: "second", cancelled: false });
  assertEquals((await client.getState()).messageCount, 2);
  assertEquals(await client.newSession(), { cancelled: false });
  const fresh = await client.getState();
  assertEquals([fresh.messageCount, await client.getLastAssistantText()], [0, null]);
  await assertRejects(() => client.clone(), Error);
  await assertRejects(() => client.switchSession(`${home}/none.jsonl`), Error);
  assertEquals(await client.switchSession(first.sessionFile), { cancelled: false });
  const back = await client.getState();
  assertEquals([back.sessionId, back.sessionName, back.messageCount], [first.sessionId, "mine", 4]);
  assertEquals(await client.clone(), { cancelled: false });
  assert((await client.getState()).sessionId !== first.sessionId);
});

test("models, levels and modes are looked at and set R274", [textReply("One.")], async ({ client }) => {
  // Servers of models that happen to run on this machine are listed, too.
  assert((await client.getAvailableModels()).some(({ id }: { id: string }) => id === "any"));
  assertEquals(await client.cycleModel(), null);
  assertEquals((await client.setModel("openai", "other")).id, "other");
  await client.setThinkingLevel("low");
  assertEquals(await client.cycleThinkingLevel(), { level: "medium" });
  assert((await client.getAvailableThinkingLevels()).includes("medium"));
  await client.setSteeringMode("all");
  await client.setFollowUpMode("all");
  await client.setAutoCompaction(false);
  await client.setAutoRetry(false);
  const { model, thinkingLevel, steeringMode, followUpMode, autoCompactionEnabled, autoRetryEnabled } = await client
    .getState();
  assertEquals([model.id, thinkingLevel], ["other", "medium"]);
  assertEquals([steeringMode, followUpMode, autoCompactionEnabled, autoRetryEnabled], ["all", "all", false, false]);
  await client.abortRetry();
  await client.abortBash();
  const commands = await client.getCommands();
  assert(commands.length > 0 && commands.every(({ source }: { source: string }) => source === "skill"));
  await assertRejects(() => client.compact("the plan"), Error);
});
