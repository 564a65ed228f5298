import type { RoundBill } from "../../core/engine.ts";
import type { SessionEntry } from "../../core/session.ts";
import { billOf } from "../bill.ts";
import { type RoundView, viewAudit } from "./audit_view.ts";

/** What each request of a session cost, in the order in which they were made. */
export function sessionBill(entries: readonly SessionEntry[]): RoundBill[] {
  return billOfRounds(viewAudit(entries, []).rounds);
}

/** The same for requests that were read already. */
export function billOfRounds(rounds: readonly RoundView[]): RoundBill[] {
  return billOf(rounds.map(({ manifest, reply }) => ({
    manifest,
    model: reply ? `${reply.provider}/${reply.model}` : "",
    ...(reply?.usage ? { usage: reply.usage } : {}),
  })));
}
