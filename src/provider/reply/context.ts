import { textOf } from "../../core/message.ts";
import type { ProviderRequest } from "../../core/provider.ts";
import { proxyFor } from "../../core/support/http_proxy.ts";
import { type Connection, hostOf, isPrivateHost, STALL_MS } from "../endpoint/connection.ts";
import { answerTool } from "./answer_shape.ts";
import type { Exchange } from "./exchange.ts";
import type { ReplyContext } from "./message.ts";
import type { Reply } from "./reply.ts";

/** What a reply of this connection has to know, by its request. */
export function replyContexts(connection: Connection): (request: ProviderRequest) => ReplyContext {
  const { baseUrl, apiKey, key, apiKeyEnv, model, contextWindow, maxReplyCharacters, textCalls = "auto" } = connection;
  const isKeyless = key?.isKeyless ?? (connection.isKeyless === true || apiKey === "");
  const takesText = textCalls === "on" || (textCalls === "auto" && isPrivateHost(baseUrl));
  const host = hostOf(baseUrl);
  const proxy = baseUrl.startsWith("http:") ? proxyFor(baseUrl) : undefined;
  return (request) => {
    const { answerSchema: schema } = request;
    const tool = answerTool(request);
    return {
      provider: connection.name ?? "openai",
      host,
      model,
      secrets: [...key?.secrets ?? (isKeyless ? [] : [apiKey]), ...connection.secrets?.() ?? []],
      ...(proxy ? { proxy } : {}),
      ...(isKeyless ? { isKeyless } : {}),
      ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
      ...(contextWindow === undefined ? {} : { contextWindow }),
      ...(maxReplyCharacters === undefined ? {} : { maxReplyCharacters }),
      now: connection.now?.() ?? Date.now(),
      newId: connection.newId ?? (() => `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`),
      tools: request.tools,
      ...(schema && tool ? { answer: { schema, tool: tool.name } } : {}),
      // JSON that was asked for is no call that came as text.
      ...(takesText && !schema
        ? {
          quotable: () =>
            request.messages.filter(({ role }) => role !== "assistant").map(({ content }) => textOf(content)),
        }
        : {}),
    };
  };
}

/** How long a server may be silent. */
export function limitsOf({ stallMs = STALL_MS, noProgressMs }: Connection): Exchange["limits"] {
  return { stallMs, noProgressMs: noProgressMs ?? stallMs * 6 };
}

/** Tells what went wrong with what is remembered of the endpoint. */
export function tellMemory({ memory }: Connection, reply: Pick<Reply, "notice">): void {
  for (const warning of memory?.warnings() ?? []) reply.notice(warning);
}
