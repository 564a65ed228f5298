import type { JsonObject } from "../../core/json.ts";
import { messageOf } from "../../core/error.ts";
import type { Provider, ProviderRequest } from "../../core/provider.ts";
import { type ChatLimits, createChatRequest } from "./chat_request.ts";
import { createChatReader } from "./chat_stream.ts";
import { type Connection, hostOf } from "../endpoint/connection.ts";
import { type Exchange, runExchange } from "../reply/exchange.ts";
import { createPost } from "../endpoint/post.ts";
import { createReply } from "../reply/reply.ts";
import { limitsOf, scenesOf } from "../reply/scene.ts";
import { profileOf } from "./server_profile.ts";

/** What a refusal teaches about a server; `undefined` when it is about something else. */
function learn(error: unknown, body: JsonObject, limits: ChatLimits): ChatLimits | undefined {
  if (!(error instanceof Error && "status" in error && (error.status === 400 || error.status === 422))) {
    return undefined;
  }
  const said = messageOf(error) + ("error" in error ? JSON.stringify(error.error) ?? "" : "");
  if (limits.usage && /stream_options|include_usage/.test(said)) return { ...limits, usage: false };
  const other = limits.maxField === "max_tokens" ? "max_completion_tokens" : "max_tokens";
  const namesField = new RegExp(`\\b${limits.maxField}\\b`).test(said) && new RegExp(`\\b${other}\\b`).test(said);
  return limits.maxField in body && namesField ? { ...limits, maxField: other } : undefined;
}

/** A provider for servers that speak OpenAI chat completions. Nothing is loaded or connected before the first stream. */
export function openChat(connection: Connection): Provider {
  const profile = profileOf(connection.baseUrl);
  const build = createChatRequest({ profile, host: hostOf(connection.baseUrl), model: connection.model });
  const post = createPost(connection);
  const sceneOf = scenesOf(connection);
  let limits: ChatLimits = { usage: true, maxField: profile.maxField };

  async function open(request: ProviderRequest, signal: AbortSignal): Promise<Response> {
    for (;;) {
      const body = build(request, limits);
      try {
        return await post("/chat/completions", body, signal);
      } catch (error) {
        const learned = learn(error, body, limits);
        if (learned === undefined) throw error;
        limits = learned;
      }
    }
  }

  return {
    name: connection.name ?? "openai",
    model: connection.model,
    stream(request, signal) {
      const scene = sceneOf(request);
      const reply = createReply(scene);
      const reader = createChatReader(reply, scene, connection.price);
      const exchange: Exchange = {
        open: (inner) => open(request, inner),
        reader,
        reply,
        scene,
        limits: limitsOf(connection),
      };
      return runExchange(exchange, signal);
    },
  };
}
