/** Why the arguments of a call were not taken. */
export type RefusalCode =
  | "truncated"
  | "invalid_json"
  | "several_objects"
  | "ambiguous_escape"
  | "conflicting_keys"
  | "missing_required"
  | "wrong_type"
  | "unknown_tool";

/** A call that must not run; `reason` tells the model what to send instead. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly reason: string;
}

/** Thrown while arguments are read, and caught where the reading began. */
export class Refused extends Error {
  constructor(readonly code: RefusalCode, message: string) {
    super(message);
  }
}
