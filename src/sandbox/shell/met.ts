import { type DenialClaim, distinctClaims, type Met } from "../denial/claim.ts";
import { type DenialHint, hintToTell } from "../denial/hint.ts";
import type { StartedProcess } from "../pool/confined.ts";

/**
 * What a command met of the policy, and the lines about it for the model; pure but for asking the process that has ended.
 * `told`: those of the lines that say nothing but what `denial` and `denials` say, too.
 *
 * `undone`: what the tripwire did. `hints`: guesses from the output, the last first. What is known needs no guess for the
 * model; a person is told of everything.
 */
export function metBy(
  started: Pick<StartedProcess, "notes" | "denied" | "refused" | "unreached" | "reached">,
  undone: readonly string[],
  hints: readonly DenialHint[],
): Met & { readonly notes: readonly string[]; readonly told?: readonly string[] } {
  const proxied = started.notes?.() ?? [];
  const known = [...proxied, ...undone];
  // What a program says of a network that is not there has its reason here.
  const unreached = started.unreached?.() ?? [];
  const guesses = unreached.length === 0 ? hints : hints.filter((hint) => !isAboutNet(hint));
  const hint = known.length > 0 ? undefined : hintToTell(guesses);
  const [hosts, refused] = [started.denied?.() ?? [], started.refused?.() ?? []];
  // Which one a person is asked about may depend on what is there, the note to the model never.
  const denial = known.length > 0 ? hosts[0] : guesses.find(({ denial }) => denial !== undefined)?.denial ?? hosts[0];
  const guessed = [...guesses].reverse().flatMap(({ denial, unasked, times = 1 }): DenialClaim[] => {
    const claim = denial ?? unasked;
    return claim === undefined ? [] : [times > 1 ? { ...claim, times } : claim];
  })
    // The proxy has said which host it was.
    .filter(({ kind }) => kind !== "net" || hosts.length === 0);
  const denials = distinctClaims([...hosts, ...guessed]);
  const sandboxNotes = [...refused, ...undone];
  const reached = started.reached?.() ?? [];
  const isAsked = denials.length === 1 && denial !== undefined;
  const all = hint?.note === undefined ? known : [hint.note];
  const claim = hint?.denial ?? hint?.unasked;
  const isClaimed = claim !== undefined &&
    denials.some(({ kind, target }) => kind === claim.kind && target === claim.target);
  // Of many hosts some have no line of their own, and what no list would open is no claim.
  const told = isClaimed ? all : refused.length === 0 && proxied.length === hosts.length ? proxied : [];
  return {
    notes: [...all, ...unreached],
    ...(told.length === 0 ? {} : { told }),
    ...(denial === undefined ? {} : { denial }),
    ...(denials.length === 0 || isAsked ? {} : { denials }),
    ...(sandboxNotes.length === 0 ? {} : { sandboxNotes }),
    ...(reached.length === 0 ? {} : { reached }),
    ...(known.length > 0 || guesses.some(isCertain) || denial !== undefined ? { isDenied: true as const } : {}),
  };
}

/** Whether a guess is that something was denied, and not only that it would have been. */
function isCertain({ denial, unasked, isHidden }: DenialHint): boolean {
  return denial !== undefined || unasked !== undefined || !isHidden;
}

/** Whether a guess is about the network: only of that a note may come without saying what was denied. */
function isAboutNet({ denial, unasked, isHidden }: DenialHint): boolean {
  const kind = denial?.kind ?? unasked?.kind;
  return kind === "net" || (kind === undefined && !isHidden);
}
