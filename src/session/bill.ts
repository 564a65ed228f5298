import type { Manifest } from "../core/compiled_prompt.ts";
import type { LostCache, RoundBill } from "../core/engine.ts";
import type { Usage } from "../core/message.ts";

/** Fewer tokens than this are noise: servers cache in blocks, and the newest message is never in the cache. */
const NOISE = 1024;

/** One request as it was paid for. */
export interface BilledRound {
  readonly manifest: Manifest;
  /** `provider/id` of who answered. */
  readonly model: string;
  /** Absent where the server told nothing. */
  readonly usage?: Usage;
}

/**
 * The bill of rounds that follow each other in one session, from what the server counted and from what was sent.
 *
 * A loss is told only where the server caches at all, or where something in front of the conversation changed.
 */
export function billOf(rounds: readonly BilledRound[]): RoundBill[] {
  let isCaching = false;
  return rounds.map(({ manifest, model, usage }, at) => {
    const before = rounds[at - 1];
    const paid = {
      round: at + 1,
      uncached: (usage?.input ?? 0) + (usage?.cacheWrite ?? 0),
      cached: usage?.cacheRead ?? 0,
      output: usage?.output ?? 0,
      ...(usage?.cost ? { cost: usage.cost.total } : {}),
    };
    const lost = before?.usage && usage
      ? lostOf({ before: { ...before, usage: before.usage }, now: { manifest, model, usage }, isCaching })
      : undefined;
    isCaching ||= (usage?.cacheRead ?? 0) > 0;
    return lost ? { ...paid, lost } : paid;
  });
}

type Told = BilledRound & { readonly usage: Usage };

function lostOf({ before, now, isCaching }: { before: Told; now: Told; isCaching: boolean }): LostCache | undefined {
  const because = changedIn(before, now);
  if (!isCaching && because.length === 0) return undefined;
  // What both requests begin with is at most the shorter one; the cache held what it held.
  const tokens = Math.min(inputOf(before.usage), inputOf(now.usage)) - now.usage.cacheRead;
  if (tokens < NOISE) return undefined;
  const price = tokenPrice(now.usage);
  return {
    because: because.length > 0 ? because : ["the server's cache did not hold it"],
    tokens,
    ...(price === undefined ? {} : { cost: tokens * price }),
  };
}

function inputOf({ input, cacheRead, cacheWrite }: Usage): number {
  return input + cacheRead + cacheWrite;
}

/** USD that one token costs more when it is not cached. */
function tokenPrice({ input, cacheRead, cost }: Usage): number | undefined {
  if (!cost || input === 0) return undefined;
  const cached = cacheRead > 0 ? cost.cacheRead / cacheRead : 0;
  return Math.max(0, cost.input / input - cached);
}

/** What stands in front of the conversation and is not as it was. */
function changedIn(before: BilledRound, now: BilledRound): string[] {
  if (before.model !== now.model) return ["model"];
  const [old, sections] = [before.manifest.sections, now.manifest.sections];
  const known = new Map(old.map(({ id, sha256 }) => [id, sha256]));
  const left = new Set(sections.map(({ id }) => id));
  const changed = [
    ...sections.filter(({ id, sha256 }) => known.get(id) !== sha256).map(({ id }) => id),
    ...old.filter(({ id }) => !left.has(id)).map(({ id }) => id),
  ];
  const isOtherHistory = now.manifest.history.decision !== before.manifest.history.decision ||
    (now.manifest.history.tokensBefore ?? 0) !== (before.manifest.history.tokensBefore ?? 0);
  return [
    ...(before.manifest.tools.fingerprint === now.manifest.tools.fingerprint ? [] : ["tools"]),
    ...changed,
    ...(isOtherHistory ? ["history"] : []),
  ];
}
