import type { Provider } from "../../core/provider.ts";
import { type Connection, hostOf } from "../endpoint/connection.ts";
import { type Exchange, runExchange } from "../reply/exchange.ts";
import { limitsOf, scenesOf } from "../reply/scene.ts";
import { createPost } from "../endpoint/post.ts";
import { createReply } from "../reply/reply.ts";
import { createResponsesRequest } from "./responses_request.ts";
import { createResponsesReader } from "./responses_stream.ts";

/** A provider for servers that speak the OpenAI Responses API. Nothing is loaded or connected before the first stream. */
export function openResponses(connection: Connection): Provider {
  const host = hostOf(connection.baseUrl);
  const isOpenAi = host === "api.openai.com" || host.endsWith(".openai.azure.com");
  const build = createResponsesRequest({ host, model: connection.model, isOpenAi });
  const post = createPost(connection);
  const sceneOf = scenesOf(connection);
  return {
    name: connection.name ?? "openai",
    model: connection.model,
    stream(request, signal) {
      const scene = sceneOf(request);
      const reply = createReply(scene);
      const exchange: Exchange = {
        open: (inner) => post("/responses", build(request), inner),
        reader: createResponsesReader(reply, scene, connection.price),
        reply,
        scene,
        limits: limitsOf(connection),
      };
      return runExchange(exchange, signal);
    },
  };
}
