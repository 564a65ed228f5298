import type { AssistantMessage, Message } from "../../src/core/message.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "../../src/core/provider.ts";

/** What a test server does with one request. */
export type Answer = (request: Request, body: Record<string, unknown>) => Response | Promise<Response>;

/** A server on the loopback address that remembers what it was asked. */
export interface WireServer {
  readonly url: string;
  readonly bodies: Record<string, unknown>[];
  readonly texts: string[];
  readonly headers: Headers[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a server; each request gets the next answer, the last one again and again. */
export function serve(...answers: readonly Answer[]): WireServer {
  const bodies: Record<string, unknown>[] = [];
  const texts: string[] = [];
  const headers: Headers[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const text = await request.text();
    const body = JSON.parse(text);
    texts.push(text);
    headers.push(request.headers);
    const answer = answers[Math.min(bodies.push(body), answers.length) - 1];
    return answer ? await answer(request, body) : new Response("no answer left", { status: 500 });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    bodies,
    texts,
    headers,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** A body in pieces of `size` bytes; `hold`: it is never closed. */
export function pieces(
  body: string | Uint8Array<ArrayBuffer>,
  size: number,
  hold = false,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      if (at >= bytes.length) {
        if (!hold) return controller.close();
        return await new Promise(() => {});
      }
      controller.enqueue(bytes.slice(at, at += size));
      // Each piece becomes a write of its own.
      if (size < 64 || at % (size * 8) === 0) await Promise.resolve();
    },
  });
}

/** A successful stream of events. */
export function sse(text: string, size = 100_000, hold = false): Answer {
  return () => new Response(pieces(text, size, hold), { headers: { "content-type": "text/event-stream" } });
}

/** One chunk of a chat completion as an event. */
export function chunk(delta: unknown, finish: string | null = null, extra: Record<string, unknown> = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices, ...extra })}\n\n`;
}

/** A whole plain reply. */
export function saying(text: string): Answer {
  return sse(`${chunk({ role: "assistant", content: text })}${chunk({}, "stop")}data: [DONE]\n\n`);
}

/** A request with nothing in it but a greeting, and whatever a test adds. */
export function requestOf(parts: Partial<ProviderRequest> = {}): ProviderRequest {
  const messages: readonly Message[] = [{ role: "user", content: "hi", timestamp: 1 }];
  return { system: { stable: "Be good.", dynamic: "" }, messages, tools: [], thinking: "off", ...parts };
}

/** All events of a reply, and the message of the last one. */
export async function collect(
  provider: Provider,
  request: ProviderRequest,
  signal: AbortSignal = new AbortController().signal,
  onEvent: (event: ProviderEvent) => void = () => {},
): Promise<{ readonly events: readonly ProviderEvent[]; readonly message: AssistantMessage }> {
  const events: ProviderEvent[] = [];
  for await (const event of provider.stream(request, signal)) {
    events.push(event);
    onEvent(event);
  }
  const last = events.at(-1);
  if (last?.type !== "end") throw new Error(`the last event is ${last?.type}`);
  if (events.filter(({ type }) => type === "end").length !== 1) throw new Error("more than one end");
  return { events, message: last.message };
}

/** What the deltas of one kind add up to. */
export function joined(events: readonly ProviderEvent[], type: "text_delta" | "thinking_delta"): string {
  return events.map((event) => event.type === type ? event.delta : "").join("");
}

/** A test that fails when a timer, a connection or a stream outlives it; newer Denos look only when they are told to. */
export function leaklessTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, fn, sanitizeOps: true, sanitizeResources: true });
}
