import type { Provider } from "../../core/provider.ts";
import type { Connection } from "../endpoint/connection.ts";
import { openAdapter, type Wire } from "./adapter.ts";
import { createResponsesRequest } from "./responses_request.ts";
import { createResponsesReader } from "./responses_stream.ts";

/** The Responses API. */
export const RESPONSES: Wire = {
  path: "/responses",
  builder: createResponsesRequest,
  reader: createResponsesReader,
};

/** A provider for servers that speak the OpenAI Responses API. Nothing is loaded or connected before the first stream. */
export function openResponses(connection: Connection): Provider {
  return openAdapter(connection, RESPONSES, () => Promise.resolve(RESPONSES));
}
