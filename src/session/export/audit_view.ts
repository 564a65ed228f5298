import { toolCallsOf, type Usage } from "../../core/message.ts";
import type { Manifest } from "../../core/compiled_prompt.ts";
import type { RoundBill } from "../../core/engine.ts";
import type { SessionEntry } from "../../core/session.ts";
import type { AuditEntry } from "../audit.ts";
import { billOf } from "../bill.ts";
import { manifestsOf } from "../manifests.ts";
import { soundManifest } from "./sound_manifest.ts";

/** One request: what it was made from, and to whom it went. */
export interface RoundView {
  /** In the session, from 1. */
  readonly number: number;
  /** Prompt of the user to which it belongs, from 1. */
  readonly turn: number;
  /** Of the manifest. */
  readonly entryId: string;
  readonly timestamp: string;
  readonly manifest: Manifest;
  /** Absent when none was kept. */
  readonly reply?: {
    readonly provider: string;
    readonly model: string;
    readonly stopReason: string;
    readonly usage?: Usage;
  };
}

/** A tool call with the turn in which it was made, where the session tells. */
export type CallView = AuditEntry & { readonly turn?: number };

export interface AuditView {
  readonly rounds: readonly RoundView[];
  readonly calls: readonly CallView[];
}

/** The requests of a session, left branches included, and its tool calls, both in the order of their happening (R355, R481). */
export function viewAudit(entries: readonly SessionEntry[], calls: readonly AuditEntry[]): AuditView {
  const kept = new Map(manifestsOf(entries).map((one) => [one.entryId, one]));
  const rounds: RoundView[] = [];
  const turnsOfCall = new Map<string, number[]>();
  let turn = 0;
  let asked: string | undefined; // the latest message of the user
  let answering: string | undefined; // the one with which the turn began
  for (const entry of entries) {
    const found = kept.get(entry.id);
    if (found !== undefined) {
      const before = rounds.at(-1)?.manifest.round ?? Infinity;
      const { round } = found.manifest;
      // A message that steers a turn begins none, and neither does a request that is made once more.
      if (turn === 0 || ((round === 1 || round < before) && asked !== answering)) {
        turn++;
        answering = asked;
      }
      rounds.push({ ...found, manifest: soundManifest(found.manifest), number: rounds.length + 1, turn });
    }
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "user") asked = entry.id;
    if (message.role !== "assistant") continue;
    for (const { id } of toolCallsOf(message)) turnsOfCall.set(id, [...turnsOfCall.get(id) ?? [], turn]);
    const last = rounds.at(-1);
    const { provider, model, stopReason, usage } = message;
    const reply = { provider, model, stopReason, ...(usage ? { usage } : {}) };
    if (last && last.reply === undefined) rounds[rounds.length - 1] = { ...last, reply };
  }
  return {
    rounds,
    calls: calls.map((call) => {
      // Servers that name no calls get the same names from us in every turn: the first call is of the first of them.
      const at = turnsOfCall.get(call.callId)?.shift();
      return at === undefined || at === 0 ? call : { ...call, turn: at };
    }),
  };
}

/** Only what belongs to one turn; undefined when the session has no such turn. */
export function ofTurn({ rounds, calls }: AuditView, turn: number): AuditView | undefined {
  const own = rounds.filter((round) => round.turn === turn);
  return own.length === 0 ? undefined : { rounds: own, calls: calls.filter((call) => call.turn === turn) };
}

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
