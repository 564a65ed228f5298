import type { JsonObject } from "../../core/json.ts";
import type { ImageContent } from "../../core/message.ts";
import type { Provider, ProviderRequest } from "../../core/provider.ts";
import type { Capabilities, SomeCapabilities } from "../capabilities/capabilities.ts";
import { type Connection, hostOf } from "../endpoint/connection.ts";
import { createLearning } from "../endpoint/learning.ts";
import { createPost } from "../endpoint/post.ts";
import type { Price } from "../models/models.ts";
import { type Exchange, runExchange, type WireReader } from "../reply/exchange.ts";
import type { ReplyContext } from "../reply/message.ts";
import { imagesOf } from "./conversation.ts";
import { createReply, type Reply } from "../reply/reply.ts";
import { limitsOf, replyContexts, tellMemory } from "../reply/context.ts";

/** Whom bodies are built for. */
export interface Target {
  /** Images that the server could not use. */
  readonly refused?: WeakSet<ImageContent>;
  readonly takes: Capabilities;
  /** Host of the server: what it asked to keep goes back to it alone. */
  readonly host: string;
  readonly model: string;
}

/** One of the two protocols. */
export interface Wire {
  /** Below the base URL. */
  readonly path: string;
  /** A builder of bodies, for as long as an endpoint takes the same. */
  readonly builder: (target: Target) => (request: ProviderRequest) => JsonObject;
  readonly reader: (reply: Reply, context: ReplyContext, price?: Price) => WireReader;
}

/**
 * A provider over one of the protocols. `responses` brings the other one, for models that are served there alone. Nothing
 * is loaded or connected before the first stream.
 */
export function openAdapter(connection: Connection, own: Wire, responses: () => Promise<Wire>): Provider {
  const { baseUrl, model, name = "openai", price, capabilities } = connection;
  const host = hostOf(baseUrl);
  const learning = createLearning(connection);
  const post = createPost(connection);
  const contextOf = replyContexts(connection);
  const refused = new WeakSet<ImageContent>();
  // What settings say of a model's limits is sent as it stands.
  const isSet = capabilities?.contextWindow !== undefined || capabilities?.maxTokens !== undefined;
  let built: (Target & { readonly wire: Wire; readonly build: (request: ProviderRequest) => JsonObject }) | undefined;

  async function current(): Promise<NonNullable<typeof built>> {
    const takes = learning.takes();
    if (built?.takes !== takes) {
      const wire = takes.api === "responses" ? await responses() : own;
      const target = { takes, host, model, refused };
      built = { ...target, wire, build: wire.builder(target) };
    }
    return built;
  }

  return {
    name,
    model,
    stream(request, signal) {
      const context = contextOf(request);
      const reply = createReply(context);
      const reader = readerLater();
      let endAsking: (() => Promise<void>) | undefined;

      async function open(inner: AbortSignal): Promise<Response> {
        const attempt = learning.attempt();
        for (;;) {
          const { takes, wire, build } = await current();
          const body = build(limited(request, isSet ? {} : takes, attempt.maxTokens()));
          try {
            const response = await post(wire.path, body, inner);
            for (const sentence of attempt.taken()) reply.notice(sentence);
            reader.set(wire.reader(reply, context, price));
            // Its window is set when the server starts, whatever the model could read.
            if (takes.contextWindow === undefined && /llama\.cpp/i.test(response.headers.get("server") ?? "")) {
              endAsking = askProps(connection, learning.note);
            }
            return response;
          } catch (error) {
            if (!await attempt.refused(error, body)) throw error;
            if (!attempt.areBadPictures()) continue;
            for (const image of request.messages.flatMap(({ content }) => imagesOf(content))) refused.add(image);
            built = undefined;
          }
        }
      }

      const exchange: Exchange = {
        open,
        reader,
        reply,
        context,
        limits: limitsOf(connection),
        async ended(ending) {
          const window = ending.type === "failed" ? ending.failure.contextWindow : undefined;
          if (window !== undefined) learning.note({ contextWindow: window });
          await endAsking?.();
          tellMemory(connection, reply);
        },
      };
      return runExchange(exchange, signal);
    },
  };
}

/** A request with no longer a reply than the endpoint and its window have room for. */
function limited(request: ProviderRequest, takes: SomeCapabilities, ofRequest: number | undefined): ProviderRequest {
  const { maxTokens } = request;
  if (maxTokens === undefined) return request;
  const half = takes.contextWindow === undefined ? Infinity : Math.floor(takes.contextWindow / 2);
  return { ...request, maxTokens: Math.min(maxTokens, takes.maxTokens ?? Infinity, ofRequest ?? half) };
}

/** A reader that is chosen when the server has taken a request: only then is it clear which protocol answers. */
function readerLater(): WireReader & { readonly set: (reader: WireReader) => void } {
  let chosen: WireReader | undefined;
  return {
    set: (reader) => void (chosen = reader),
    event: (name, data) => chosen?.event(name, data),
    whole: (body) => chosen?.whole(body),
    isDone: () => chosen?.isDone() ?? false,
    failure: () => chosen?.failure(),
  };
}

/** How long a reply that is over waits for the server's word on its window. */
const PROPS_MS = 300;

/** Asks for it; the returned function gives the answer a moment more, then leaves it. */
function askProps(connection: Connection, found: (takes: SomeCapabilities) => void): () => Promise<void> {
  const stop = new AbortController();
  const asking = (async () => {
    const { readProps } = await import("../endpoint/llama_props.ts");
    found(await readProps(connection, stop.signal));
  })().catch(() => {}); // It is asked again with the next reply.
  return async () => {
    const timer = setTimeout(() => stop.abort(), PROPS_MS);
    await asking;
    clearTimeout(timer);
  };
}
