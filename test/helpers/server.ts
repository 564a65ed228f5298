/** One scripted answer of the test server. */
export type Answer =
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  /** Server-sent events; `cut` breaks the connection after them. */
  | { readonly events: readonly unknown[]; readonly cut?: boolean; readonly done?: boolean };

/** A server on this machine that plays answers in order and keeps what it was asked. */
export interface TestServer {
  readonly baseUrl: string;
  /** Bodies of the requests so far, parsed. */
  // deno-lint-ignore no-explicit-any -- tests look at fields of the wire format
  readonly requests: any[];
  readonly headers: Headers[];
  close(): Promise<void>;
}

/** Serves chat completions; the last answer is repeated when there are more requests. */
export function serveAnswers(answers: readonly Answer[]): TestServer {
  const requests: unknown[] = [];
  const headers: Headers[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    requests.push(await request.json());
    headers.push(request.headers);
    return respond(answers[Math.min(requests.length, answers.length) - 1] ?? { status: 500, body: "no answer" });
  });
  return {
    baseUrl: `http://127.0.0.1:${server.addr.port}/v1`,
    requests,
    headers,
    close: () => server.shutdown(),
  };
}

function respond(answer: Answer): Response {
  if ("status" in answer) return new Response(answer.body, { status: answer.status, headers: { ...answer.headers } });
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const event of answer.events) controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
      if (answer.cut) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        controller.error(new Error("cut"));
        return;
      }
      if (answer.done !== false) controller.enqueue(encoder.encode("data: [DONE]\n\n"));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** The events of a plain text reply. */
export function textReply(text: string): unknown[] {
  return [
    { choices: [{ index: 0, delta: { role: "assistant", content: text }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    {
      choices: [],
      usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25, prompt_tokens_details: { cached_tokens: 8 } },
    },
  ];
}

/** The events of a reply that calls tools; `args` as text is sent as it is. */
export function callReply(...calls: readonly { readonly name: string; readonly args: unknown }[]): unknown[] {
  return [
    ...calls.map((call, index) => ({
      choices: [{
        index: 0,
        delta: {
          tool_calls: [{
            index,
            id: `call_${index}`,
            type: "function",
            function: {
              name: call.name,
              arguments: typeof call.args === "string" ? call.args : JSON.stringify(call.args),
            },
          }],
        },
        finish_reason: null,
      }],
    })),
    { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  ];
}
