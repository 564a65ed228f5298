// A session stores its model but not the server: resumed under other settings, the whole conversation would silently be
// sent to another server.
import type { SessionStore } from "../core/session.ts";
import { lastCustom } from "../session/tree.ts";
import type { Conversation } from "./conversation.ts";
import type { ModelChoice } from "./model/model.ts";

/** The custom type of its entries. */
const SERVER = "server";

/** The origin stored last, so that no round has to search the whole session for it. */
const kept = new WeakMap<SessionStore, string>();

/**
 * Stores with the session which server is asked, once for each server. Only scheme, host and port: a path may hold a
 * key.
 */
export function keepServer(conversation: Conversation, choice: ModelChoice): void {
  const origin = originOf(choice);
  const store = conversation.store();
  if (origin === undefined || (kept.get(store) ?? stored(store)) === origin) return;
  kept.set(store, origin);
  conversation.append({ type: "custom", customType: SERVER, data: { origin } });
}

/** One line where a session that is gone on with was last asked of another server than the one at hand. */
export function otherServer(store: Pick<SessionStore, "entries">, choice: ModelChoice): string | undefined {
  const [before, now] = [stored(store), originOf(choice)];
  if (before === undefined || now === undefined || before === now) return undefined;
  return `This session was with the server ${before}; from now on ${now} gets its conversation. ` +
    "To go back to the former, start again with its --base-url";
}

function originOf(choice: ModelChoice): string | undefined {
  return choice.kind === "server" ? new URL(choice.endpoint.baseUrl).origin : undefined;
}

function stored({ entries }: Pick<SessionStore, "entries">): string | undefined {
  const origin = lastCustom(entries(), SERVER)?.["origin"];
  // Session files come from elsewhere, too.
  const isOrigin = typeof origin === "string" && URL.canParse(origin) && new URL(origin).origin === origin;
  return isOrigin ? origin : undefined;
}
