import { assert, assertEquals } from "@std/assert";
import { createAgent, type Provider } from "../../../src/mod.ts";
import { inWorkspace } from "../../helpers/program.ts";
import { serve, sse } from "../wire_server.ts";
import { type CacheCounts, createCache } from "./cache_rules.ts";
import { type Block, connect, replyEvents } from "./wire.ts";

// deno-lint-ignore no-explicit-any -- bodies of the wire format
type Body = any;

const read = (turn: number, name: string, number = 0): Block => ({
  type: "tool_use",
  id: `toolu_${turn}_${number}`,
  name: "read",
  input: { path: name },
});

const thought = (turn: number): Block => ({ type: "thinking", thinking: `Thought ${turn}.`, signature: `SIG${turn}` });

/** What the model does in each of twenty turns: thoughts, one call, several, more than the cache looks back, words. */
function repliesOf(turn: number): readonly Block[] {
  if (turn === 6) return [thought(turn), ...Array.from({ length: 26 }, (_, i) => read(turn, `f${i % 20}.txt`, i))];
  if (turn === 9) {
    return [thought(turn), { type: "redacted_thinking", data: "X" }, read(turn, "a.txt"), read(turn, "b.txt", 1)];
  }
  if ([4, 8, 12, 16, 19].includes(turn)) return [thought(turn), { type: "text", text: `Answer ${turn}. `.repeat(20) }];
  return [thought(turn), { type: "text", text: `I look at f${turn}.txt. ` }, read(turn, `f${turn}.txt`)];
}

const FILES = {
  "AGENTS.md": "Rules of the project.\n".repeat(40),
  "a.txt": "alpha\n",
  "b.txt": "beta\n",
  ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}.txt`, `line of file ${i}\n`.repeat(60)])),
};

/** Twenty requests of one session, over the real engine and its tools; what the server's cache made of each. */
async function session(
  reply: (turn: number) => readonly Block[],
  connected: (url: string) => Provider,
  files: Readonly<Record<string, string>> = FILES,
) {
  const cache = createCache();
  const counts: CacheCounts[] = [];
  let usage = {};
  await using server = serve(async (request, body: Body) => {
    const turn = counts.length;
    const count = cache(body);
    counts.push(count);
    const { input, read, written } = count;
    usage = {
      input_tokens: input,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: 9,
    };
    return await sse(replyEvents(reply(turn), { usage }))(request, body);
  });
  let totals = { input: 0, cacheRead: 0, cacheWrite: 0 };
  await inWorkspace(files, async ({ ws, home }) => {
    const env = { HOME: home, PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin" };
    await using agent = await createAgent({ cwd: ws, model: connected(server.url), env, thinking: "high" });
    for (let prompt = 0; counts.length < 20; prompt++) {
      const answer = await agent.answer(`Question ${prompt}: what do the files say?`);
      assert(answer !== "", "every prompt is answered");
    }
    const { input, cacheRead, cacheWrite } = agent.state().totals;
    totals = { input, cacheRead, cacheWrite };
  });
  return { counts, bodies: server.bodies, totals };
}

/** A model that keeps little, and one that keeps only long prefixes, in a project with longer rules. */
const MODELS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["claude-sonnet-4-5", FILES],
  ["claude-sonnet-5", FILES],
  ["claude-opus-4-7", { ...FILES, "AGENTS.md": FILES["AGENTS.md"].repeat(15) }],
];

const sumOf = (counts: readonly CacheCounts[], key: keyof CacheCounts): number =>
  counts.reduce((sum, count) => sum + count[key], 0);

function shareOf(counts: readonly CacheCounts[]): number {
  return sumOf(counts, "read") / (sumOf(counts, "read") + sumOf(counts, "input") + sumOf(counts, "written"));
}

Deno.test("a session of twenty turns reads nine tenths of its input from the server's cache X25 X27", async () => {
  for (const [model, files] of MODELS) await checkSession(model, files);
});

async function checkSession(model: string, files: Readonly<Record<string, string>>): Promise<void> {
  const { counts, bodies, totals } = await session(repliesOf, (url) => connect(url, { model }), files);
  assertEquals(counts.length, 20);
  assert(shareOf(counts) >= 0.9, `${model} ${shareOf(counts)}: ${JSON.stringify(counts)}`);
  // Nothing but what a turn added is ever read anew: no turn but the first pays for what came before it.
  for (const [turn, { read }] of counts.entries()) {
    const before = counts[turn - 1];
    if (before) assertEquals(read, before.read + before.written, `turn ${turn}`);
  }
  assert(bodies.every((body) => JSON.stringify(body).match(/"cache_control"/g)?.length !== 5));
  assertEquals([totals.cacheRead, totals.cacheWrite], [sumOf(counts, "read"), sumOf(counts, "written")]);
  console.log(`${model}: ${(shareOf(counts) * 100).toFixed(1)} % of the input of ${counts.length} turns were cached`);
}

Deno.test("a call that fails costs nothing of the cache: what the next round is told stands behind the conversation", async () => {
  const reply = (turn: number): readonly Block[] =>
    [5, 10, 11].includes(turn) ? [thought(turn), read(turn, "missing.txt")] : repliesOf(turn);
  const { counts, bodies } = await session(reply, (url) => connect(url, { model: "claude-sonnet-5" }));
  assertEquals(new Set(bodies.map((body: Body) => JSON.stringify(body.system))).size, 1);
  const told = bodies.flatMap((body: Body, turn) => {
    const last: Body = body.messages.at(-1).content.at(-1);
    return last.type === "text" && last.text.includes("The last tool call failed") ? [turn] : [];
  });
  assertEquals(told, [6, 11, 12]);
  for (const [turn, { read }] of counts.entries()) {
    const before = counts[turn - 1];
    if (before) assertEquals(read, before.read + before.written, `turn ${turn}`);
  }
  assert(shareOf(counts) >= 0.9, `${shareOf(counts)}`);
  console.log(`with failed calls: ${(shareOf(counts) * 100).toFixed(1)} %`);
});
