import type { Provider } from "../../core/provider.ts";
import type { Connection } from "../endpoint/connection.ts";
import { openAdapter, type Wire } from "./adapter.ts";
import { createChatRequest } from "./chat_request.ts";
import { createChatReader } from "./chat_stream.ts";

const CHAT: Wire = { path: "/chat/completions", builder: createChatRequest, reader: createChatReader };

/**
 * A provider for servers that speak OpenAI chat completions. A model that turns out to be served by the Responses API alone
 * is asked there from then on.
 */
export function openChat(connection: Connection): Provider {
  return openAdapter(connection, CHAT, async () => (await import("./responses.ts")).RESPONSES);
}
