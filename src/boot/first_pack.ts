/** Packs that a process or thread of its own opens, and needs no other besides (scripts/compile.ts says what they hold). */
export type OwnPack = "runner" | "bridge" | "tools";

const BY_WORD: Readonly<Record<string, OwnPack>> = { "--internal-runner": "runner", "--internal-bridge": "bridge" };

/** The pack that the program opens at once, by its first argument. */
export function firstPack(word: string | undefined): string {
  return BY_WORD[word ?? ""] ?? "frame";
}

/** The one that the runner's worker opens. */
export const WORKER_PACK: OwnPack = "tools";
