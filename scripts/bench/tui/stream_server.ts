// A scripted model in a worker of its own. A message "stream COUNT RATE" is answered with COUNT pieces of Markdown, RATE a
// second, and then "Zend".
const WORDS = [
  "Some ",
  "words ",
  "of `code` ",
  "and **more** ",
  "follow.\n\n",
  "- a\n",
  "- b\n\n",
  "```ts\nx = 1;\n```\n",
];
const encoder = new TextEncoder();

const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
  if (request.method !== "POST") return new Response(null, { status: 404 });
  const asked = [...(await request.text()).matchAll(/stream (\d+) (\d+)/g)].at(-1);
  const [count, rate] = [Number(asked?.[1] ?? 1), Number(asked?.[2] ?? 1)];
  return new Response(answer(count, rate), { headers: { "content-type": "text/event-stream" } });
});
// A worker of its own, whose global the library types as a window.
(self as unknown as Worker).postMessage(server.addr.port);

function answer(count: number, rate: number): ReadableStream<Uint8Array> {
  let sent = 0;
  const begun = performance.now();
  return new ReadableStream({
    async pull(controller) {
      // As many as are due: a timer that fires late would otherwise make the stream slow.
      const due = Math.min(count, Math.floor((performance.now() - begun) / 1000 * rate) + 1);
      let text = "";
      for (; sent < due; sent++) text += piece({ content: WORDS[sent % WORDS.length] });
      if (sent === count) text += piece({ content: "\n\nZend" }) + piece({}, "stop") + "data: [DONE]\n\n";
      controller.enqueue(encoder.encode(text));
      if (sent === count) return controller.close();
      await new Promise((later) => setTimeout(later, Math.max(1, begun + sent / rate * 1000 - performance.now())));
    },
  });
}

function piece(delta: object, reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: reason }];
  return `data: ${
    JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "bench", choices })
  }\n\n`;
}
