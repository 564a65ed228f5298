// The Messages API of Anthropic, and of the servers that speak it. What it sends and reads has the types of the package; no
// module of that is loaded (dev/decisions/0045).
import type { JsonObject } from "../../core/json.ts";
import type { Provider, ProviderRequest } from "../../core/provider.ts";
import type { SomeCapabilities } from "../capabilities/capabilities.ts";
import { type Connection, hostOf } from "../endpoint/connection.ts";
import { createPost } from "../endpoint/post.ts";
import { type Exchange, runExchange } from "../reply/exchange.ts";
import { createReply } from "../reply/reply.ts";
import { limitsOf, replyContexts, tellMemory } from "../reply/context.ts";
import { type AnthropicLimits, learnAnthropic, limitsUnder } from "./limits.ts";
import { createAnthropicRequest } from "./request.ts";
import { createAnthropicReader } from "./stream.ts";
import { type ThinkingTraits, thinkingTraits } from "./thinking.ts";
import { withCachePrices } from "./usage.ts";

/** The one version that there is. */
const VERSION = "2023-06-01";

/** Lets models with a budget think between calls; the newer ones do so anyway. */
const INTERLEAVED = "interleaved-thinking-2025-05-14";

/** Output limits of models that nothing is known of, tokens: the API does not go without one. */
const UNKNOWN_CLAUDE = 32_000;
const UNKNOWN_OTHER = 16_384;

/** How often one turn may pause, before what has come of it is taken for all. */
const MOST_PAUSES = 8;

/** What one request may teach; each lesson is one more request. */
const MOST_LESSONS = 6;

/** The headers of every request. Betas that a connection names stay; another is added only where a model needs it. */
export function headersOf(
  { headers = {} }: Pick<Connection, "headers">,
  { interleavedBeta }: Pick<ThinkingTraits, "interleavedBeta">,
): Readonly<Record<string, string>> {
  const named = Object.keys(headers).find((name) => name.toLowerCase() === "anthropic-beta");
  const betas = [named === undefined ? undefined : headers[named], interleavedBeta ? INTERLEAVED : undefined]
    .filter((beta) => beta !== undefined);
  const { [named ?? ""]: _, ...others } = headers;
  return {
    "anthropic-version": VERSION,
    ...others,
    ...(betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") }),
  };
}

/** A provider for servers that speak the Messages API. Nothing is loaded or connected before the first stream. */
export function openAnthropic(connection: Connection): Provider {
  const { baseUrl, model, capabilities } = connection;
  const host = hostOf(baseUrl);
  const isVendor = host === "api.anthropic.com" || host.endsWith(".api.anthropic.com");
  const traits = capabilities?.effortStyle === "none" ? { style: "none" } as const : thinkingTraits(model);
  const build = createAnthropicRequest({
    host,
    model,
    isVendor,
    seesImages: capabilities?.images !== false,
    ...(capabilities?.efforts ? { efforts: capabilities.efforts } : {}),
  });
  const post = createPost({
    ...connection,
    keyHeader: connection.keyHeader ?? "x-api-key",
    headers: headersOf(connection, isVendor ? traits : {}),
  });
  const price = connection.price && withCachePrices(connection.price);
  const contextOf = replyContexts({ name: "anthropic", ...connection });
  const unknown = model.toLowerCase().includes("claude") ? UNKNOWN_CLAUDE : UNKNOWN_OTHER;
  let learned: AnthropicLimits | undefined;
  /** What settings say goes before what earlier runs learned. What those know is read with the first request. */
  const firstLimits = (): AnthropicLimits => {
    const named: AnthropicLimits = {
      traits,
      marks: true,
      // Others that speak this API rarely know the field, and refuse it rarely.
      answerFormat: isVendor ? "schema" : "tool",
      eagerInput: isVendor,
      refused: { items: new WeakSet() },
      cap: ({ maxTokens = capabilities?.maxTokens ?? unknown }) => maxTokens,
    };
    // The number of the settings is the request's own.
    const { maxTokens: most, ...set } = capabilities ?? {};
    const { maxTokens, ...recalled } = connection.memory?.recall() ?? {};
    const isBounded = most === undefined && maxTokens !== undefined;
    return limitsUnder(named, { ...recalled, ...(isBounded ? { maxTokens } : {}), ...set });
  };

  async function open(
    request: ProviderRequest,
    more: readonly JsonObject[],
    notice: (message: string) => void,
    signal: AbortSignal,
  ): Promise<Response> {
    const toKeep: SomeCapabilities[] = [];
    for (let lessons = 0;; lessons++) {
      const limits = learned ??= firstLimits();
      // Bodies are JSON, whatever the package calls their types.
      const body = build(request, limits) as unknown as JsonObject;
      const messages = Array.isArray(body.messages) ? body.messages : [];
      try {
        const sent = more.length === 0 ? body : { ...body, messages: [...messages, ...more] };
        const response = await post("/messages", sent, signal);
        for (const change of toKeep) connection.memory?.remember(change);
        return response;
      } catch (error) {
        const lesson = lessons < MOST_LESSONS ? learnAnthropic(error, limits, request) : undefined;
        if (lesson === undefined) throw error;
        learned = lesson.limits;
        if (lesson.keeps) toKeep.push(lesson.keeps);
        notice(`${host} refused a request (${model}): ${lesson.said}`);
      }
    }
  }

  return {
    name: connection.name ?? "anthropic",
    model,
    stream(request, signal) {
      const context = contextOf(request);
      const reply = createReply(context);
      const reader = createAnthropicReader(reply, context, price);
      /** What the turn has brought before each pause. */
      const paused: JsonObject[] = [];
      let pauses = 0;
      const exchange: Exchange = {
        open: (inner) => open(request, [], reply.notice, inner),
        goOn() {
          const content = reader.resume();
          if (content === undefined) return undefined;
          paused.push(...content);
          if (++pauses > MOST_PAUSES) {
            reply.notice(`${host} paused a turn ${MOST_PAUSES} times without an end: it was not asked to go on again`);
            reply.finish("stop");
            return undefined;
          }
          return (inner) => open(request, [{ role: "assistant", content: paused }], reply.notice, inner);
        },
        reader,
        reply,
        context,
        limits: limitsOf(connection),
        ended(ending) {
          const contextWindow = ending.type === "failed" ? ending.failure.contextWindow : undefined;
          if (contextWindow !== undefined) connection.memory?.remember({ contextWindow });
          tellMemory(connection, reply);
        },
      };
      return runExchange(exchange, signal);
    },
  };
}
