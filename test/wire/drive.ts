import type { AssistantMessage } from "../../src/core/message.ts";
import type { Provider, ProviderEvent, ToolDefinition } from "../../src/core/provider.ts";
import type { Connection } from "../../src/provider/endpoint/connection.ts";
import { openProvider } from "../../src/provider/mod.ts";
import { type Answer, collect, requestOf, serve } from "../provider/wire_server.ts";
import type { WireApi } from "./expectation.ts";

/** How a body is cut: every letter alone, in the midst of words, not at all. Bytes. */
export const SIZES: readonly number[] = [1, 7, 10_000_000];

/** For names of tests. */
export function inPieces(size: number): string {
  return size > 1_000_000 ? "in one piece" : `in pieces of ${size} bytes`;
}

/** An adapter as the engine opens it; ids that a server leaves out are `made-up`. */
export function openWire(api: WireApi, baseUrl: string, more: Partial<Connection> = {}): Promise<Provider> {
  return openProvider(api, { baseUrl, apiKey: "k", model: "m", newId: () => "made-up", ...more });
}

/** What an adapter makes of one answer of a server on this machine. */
export async function drive(
  api: WireApi,
  answer: Answer,
  tools: readonly ToolDefinition[],
): Promise<{ readonly events: readonly ProviderEvent[]; readonly message: AssistantMessage }> {
  await using server = serve(answer);
  return await collect(await openWire(api, server.url), requestOf({ tools }));
}
