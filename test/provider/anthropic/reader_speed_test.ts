// How long a stream of 8,000 events takes to be read, beside the vendor's package: in one process, one after the other and
// again, over real HTTP. Nothing may run beside this (scripts/tests/groups.ts).
import { cpuUsage } from "node:process";
import Anthropic from "@anthropic-ai/sdk";
import { assert, assertEquals } from "@std/assert";
import { collect, requestOf } from "../wire_server.ts";
import { connect, replyEvents } from "./wire.ts";

const EVENTS = 8000;
const ROUNDS = 15;
const WORD = "word ab ";

/** CPU milliseconds of the process that something takes. */
async function cost(work: () => Promise<number>): Promise<number> {
  const before = cpuUsage();
  assertEquals(await work(), EVENTS * WORD.length);
  const { user, system } = cpuUsage(before);
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

Deno.test("8,000 events cost no more than a tenth more than with the vendor's package", async () => {
  // Another process sends, so that only reading is measured.
  const text = replyEvents([{ type: "text", text: WORD.repeat(EVENTS) }], { step: WORD.length });
  const file = Deno.makeTempFileSync({ prefix: "sp-events-" });
  Deno.writeTextFileSync(file, text);
  const program = "const body = Deno.readTextFileSync(Deno.args[0]);" +
    "Deno.serve({ port: 0, hostname: '127.0.0.1', onListen: ({ port }) => console.log(port) }, async (request) => {" +
    "await request.text(); return new Response(body, { headers: { 'content-type': 'text/event-stream' } }); });";
  const args = ["eval", "--no-config", program, file];
  const server = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
  try {
    const said = await server.stdout.values({ preventCancel: true }).next();
    const url = `http://127.0.0.1:${new TextDecoder().decode(said.value).trim()}/v1`;
    const provider = connect(url);
    const ours = async (): Promise<number> => {
      const { message } = await collect(provider, requestOf());
      return message.content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
    };
    const client = new Anthropic({ baseURL: url.replace(/\/v1$/, ""), apiKey: "k", logLevel: "off" });
    const body = { model: "m", max_tokens: 9, messages: [{ role: "user" as const, content: "hi" }] };
    const theirs = async (): Promise<number> => {
      let length = 0;
      for await (const event of await client.messages.create({ ...body, stream: true })) {
        if (event.type === "content_block_delta" && event.delta.type === "text_delta") {
          length += event.delta.text.length;
        }
      }
      return length;
    };
    const accumulated = async (): Promise<number> => {
      const { content } = await client.messages.stream(body).finalMessage();
      return content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
    };
    const readers = [ours, theirs, accumulated] as const;
    const times = readers.map((): number[] => []);
    for (let round = 0; round < ROUNDS + 3; round++) {
      for (const [index, reader] of readers.entries()) {
        const ms = await cost(reader);
        if (round >= 3) times[index]?.push(ms); // the first ones are compiled
      }
    }
    const [own = NaN, raw = NaN, whole = NaN] = times.map(median);
    console.log(
      `${EVENTS} events, CPU ms: ours ${own.toFixed(1)}, its stream ${raw.toFixed(1)}, its accumulator ${
        whole.toFixed(1)
      }`,
    );
    assert(own <= raw * 1.1, `${own} ms against ${raw} ms`);
  } finally {
    server.kill();
    await server.stdout.cancel().catch(() => {});
    await server.status;
    Deno.removeSync(file);
  }
});
