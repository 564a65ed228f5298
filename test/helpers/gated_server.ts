/** One step of a streamed answer: an event, or a gate at which the stream waits until a test opens it. */
export type Step = unknown | { readonly gate: string };

/** A server whose streams stop where a test wants it. */
export interface GatedServer extends AsyncDisposable {
  readonly baseUrl: string;
  /** Bodies of the requests so far, parsed. */
  // deno-lint-ignore no-explicit-any -- tests look at fields of the wire format
  readonly requests: any[];
  /** Lets a stream go on. */
  readonly open: (gate: string) => void;
  /** How many streams their reader left before the end. */
  readonly left: () => number;
}

/** Serves chat completions; the last answer is repeated when there are more requests. */
export function serveGated(answers: readonly (readonly Step[])[]): GatedServer {
  const requests: unknown[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gate = (name: string): PromiseWithResolvers<void> => {
    const known = gates.get(name) ?? Promise.withResolvers<void>();
    gates.set(name, known);
    return known;
  };
  let left = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    // It has no list of models.
    if (request.method === "GET") return new Response(null, { status: 404 });
    requests.push(await request.json());
    const steps = answers[Math.min(requests.length, answers.length) - 1] ?? [];
    const encoder = new TextEncoder();
    let isLeft = false;
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        for (const step of steps) {
          const name = gateOf(step);
          if (name !== undefined) await gate(name).promise;
          if (isLeft) return;
          if (name === undefined) controller.enqueue(encoder.encode(`data: ${JSON.stringify(step)}\n\n`));
        }
        controller.enqueue(encoder.encode("data: [DONE]\n\n"));
        controller.close();
      },
      cancel() {
        isLeft = true;
        left++;
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  return {
    baseUrl: `http://127.0.0.1:${server.addr.port}/v1`,
    requests,
    open: (name) => gate(name).resolve(),
    left: () => left,
    async [Symbol.asyncDispose]() {
      for (const { resolve } of gates.values()) resolve();
      await server.shutdown();
    },
  };
}

function gateOf(step: Step): string | undefined {
  if (typeof step !== "object" || step === null || !("gate" in step)) return undefined;
  return typeof step.gate === "string" ? step.gate : undefined;
}
