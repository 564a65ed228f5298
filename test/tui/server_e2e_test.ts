// The screen with a server that answers, refuses, goes away in the middle and comes back.
import { assert, assertStringIncludes } from "@std/assert";
import { hasTmux, type Pty } from "./pty.ts";
import { inTerminal } from "./world.ts";

const encoder = new TextEncoder();
/** A picture of one point, in ASCII. */
const DOT = "GIF87a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

function piece(delta: object, reason: string | null = null): Uint8Array<ArrayBuffer> {
  const choices = [{ index: 0, delta, finish_reason: reason }];
  return encoder.encode(
    `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`,
  );
}

/** An answer in pieces; `isCut`: the connection breaks after them. */
function streamed(words: readonly string[], isCut: boolean): Response {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async start(controller) {
      for (const word of words) {
        controller.enqueue(piece({ content: word }));
        await new Promise((later) => setTimeout(later, 30));
      }
      if (isCut) return controller.error(new Error("cut"));
      controller.enqueue(piece({}, "stop"));
      controller.enqueue(encoder.encode("data: [DONE]\n\n"));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** A server whose requests for an answer are answered in turn; it lists two models. */
async function withServer(
  answers: (() => Response)[],
  work: (pty: Pty, requests: readonly string[]) => Promise<void>,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  const requests: string[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {}, onError: () => new Response() },
    async (request) => {
      if (new URL(request.url).pathname === "/v1/models") {
        return Response.json({
          data: [{ id: "two" }, { id: "one" }],
        });
      }
      requests.push(await request.text());
      return answers.shift()?.() ?? new Response("no more", { status: 400 });
    },
  );
  const args = ["--base-url", `http://127.0.0.1:${server.addr.port}/v1`, "-m", "one"];
  try {
    await inTerminal({ args, files }, (pty) => work(pty, requests));
  } finally {
    await server.shutdown();
  }
}

async function say(pty: Pty, text: string): Promise<void> {
  await pty.type(text);
  await pty.keys("Enter");
}

Deno.test({
  name: "a server that goes away in the middle: what it said is void, the wait counts down, and the answer comes",
  ignore: !hasTmux,
  fn: () =>
    withServer([
      () => streamed(["half ", "an ", "answer "], true),
      () => Response.json({ error: { message: "too many" } }, { status: 429, headers: { "retry-after": "6" } }),
      () => streamed(["whole"], false),
    ], async (pty) => {
      await pty.see("write: .");
      await say(pty, "hello");
      await pty.see("That attempt failed, and what it said is void");
      const left = /trying again in (\d)s \(attempt 2 of 3\)/;
      const first = Number(left.exec(await pty.see(left))?.[1]);
      await pty.see(new RegExp(`trying again in [0-${first - 1}]s \\(attempt 2 of 3\\)`));
      const screen = await pty.see("whole");
      assertStringIncludes(screen, "The connection to 127.0.0.1:");
      assertStringIncludes(screen, "too many");
    }),
});

Deno.test({
  name: "/model offers what the server lists",
  ignore: !hasTmux,
  fn: () =>
    withServer([], async (pty) => {
      await pty.see("write: .");
      await say(pty, "/model");
      await pty.see(/❯ one {2}now\n {2}two\n/);
      await pty.type("tw");
      await pty.see("❯ two");
      await pty.keys("Enter");
      const screen = await pty.see("Model: openai/two");
      assert(/ openai\/two\n▣/.test(screen), screen);
    }),
});

Deno.test({
  name: "a picture whose path is typed goes with the message",
  ignore: !hasTmux,
  fn: () =>
    withServer(
      [() => streamed(["A dot."], false)],
      async (pty, requests) => {
        await pty.see("write: .");
        await say(pty, "what is in dot.gif");
        await pty.see("A dot.");
        assertStringIncludes(requests[0] ?? "", "what is in dot.gif");
        assertStringIncludes(requests[0] ?? "", `data:image/gif;base64,${btoa(DOT)}`);
      },
      { "dot.gif": DOT },
    ),
});
