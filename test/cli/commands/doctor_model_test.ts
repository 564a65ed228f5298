// `sandpiper doctor --model`: nothing is sent or stored that nobody agreed to, and what is said is what was done.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { lookAtModel } from "../../../src/cli/commands/doctor_model.ts";
import { configure } from "../../../src/config/config.ts";
import { readWorld } from "../../../src/config/host_environment.ts";
import { parseCommandLine } from "../../../src/config/options/parse.ts";
import { openLearned } from "../../../src/engine/model/learned.ts";
import { serverChoice } from "../../helpers/server_choice.ts";
import { type Answer, serve, sse } from "../../provider/wire_server.ts";
import { replyOf } from "../../wire/replies.ts";

/** A server that knows no stream_options, sees the picture and takes two messages of a user in a row. */
const plain: Answer = (request, body) => {
  // deno-lint-ignore no-explicit-any -- bodies of the wire format
  const { messages, ...fields } = body as any;
  if ("stream_options" in fields) {
    const message = "Unrecognized request argument supplied: stream_options";
    return Response.json({ error: { message } }, { status: 400 });
  }
  const text = JSON.stringify(messages).includes("image_url") ? "Red." : "ready";
  return sse(replyOf("chat", [{ type: "text", text }]))(request, body);
};

interface Looked {
  readonly said: readonly string[];
  readonly asked: readonly string[];
  readonly requests: number;
  readonly stored: unknown;
  readonly seen: readonly string[];
}

/** Looks at a model under these options; `answers` are the person's, none where nobody can be asked. */
async function looked(
  answers: readonly boolean[] | undefined,
  args: readonly string[],
  again = false,
): Promise<Looked> {
  const home = await Deno.makeTempDir();
  await Deno.mkdir(`${home}/.sandpiper/agent`, { recursive: true });
  await using server = serve(plain);
  try {
    const world = { ...readWorld(), cwd: home, home, env: { HOME: home } };
    const config = configure(parseCommandLine(["doctor", "-m", "m", ...args]), world);
    const choice = serverChoice({ model: "m", baseUrl: server.url, apiKey: "k" });
    const look = async (): Promise<Looked> => {
      const [said, asked, left]: [string[], string[], boolean[]] = [[], [], [...answers ?? []]];
      const before = server.bodies.length;
      const ask = (question: string): boolean => (asked.push(question), left.shift() ?? false);
      const findings = await lookAtModel(
        choice,
        config,
        { ask: answers && ask, tell: (line) => void said.push(line) },
        new AbortController().signal,
      );
      return {
        said,
        asked,
        requests: server.bodies.length - before,
        stored: openLearned(choice.endpoint, config).recall(),
        seen: findings.filter(({ seen }) => seen).map(({ name }) => name),
      };
    };
    const first = await look();
    return again ? await look() : first;
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

const STORED = { streamOptions: false, images: true, alternation: false };

Deno.test("lookAtModel() says the cost and sends nothing where nobody agrees", async () => {
  const no = await looked([false], []);
  assertEquals([no.requests, no.stored, no.seen, no.asked], [0, {}, [], ["Send them?"]]);
  assertStringIncludes(no.said[0] ?? "", "At most 8 requests to m at 127.0.0.1");
  assertStringIncludes(no.said[0] ?? "", "Its price is not known: they are at most about 24000 tokens of input");
  assertEquals(no.said.slice(1), ["Nothing was sent."]);
});

Deno.test("lookAtModel() says how to agree where nobody can be asked", async () => {
  const alone = await looked(undefined, []);
  assertEquals([alone.requests, alone.said.at(-1)], [0, "Nothing was sent; --yes sends them."]);
});

Deno.test("lookAtModel() stores what was refused and what was seen to be taken, once somebody agrees to that, too", async () => {
  const yes = await looked([true, true], []);
  assertEquals(yes.stored, STORED);
  assertEquals(yes.asked.length, 2);
  assertEquals([...(yes.asked[1] ?? "").matchAll(/images|alternation|streamOptions/g)].map(([name]) => name).sort(), [
    "alternation",
    "images",
    "streamOptions",
  ]);
  assertStringIncludes(yes.said.at(-1) ?? "", "Stored: ");
  assertStringIncludes(yes.said[1] ?? "", `${yes.requests} requests were sent.`);
  assertEquals(yes.seen.includes("images"), true);
});

Deno.test("lookAtModel() stores nothing that is refused", async () => {
  const no = await looked([true, false], []);
  assertEquals([no.stored, no.said.at(-1)], [{}, "Nothing was stored."]);
});

Deno.test("lookAtModel() agrees to all with --yes, and finds nothing new the second time", async () => {
  assertEquals((await looked(undefined, ["--yes"])).stored, STORED);
  const again = await looked(undefined, ["--yes"], true);
  assertEquals([again.stored, again.said.at(-1)], [STORED, "Nothing new was found out: there is nothing to store."]);
});

Deno.test("lookAtModel() says of a run that keeps nothing that nothing was stored", async () => {
  const none = await looked(undefined, ["--yes", "--no-session"]);
  assertEquals([none.stored, none.said.at(-1)], [{}, "It was not stored: nothing is kept."]);
});
