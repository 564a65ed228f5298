/** Packs that a process or thread of its own opens, and needs no other besides (scripts/compile.ts says what they hold). */
export type OwnPack = "runner" | "bridge" | "tools";

const BY_WORD: Readonly<Record<string, OwnPack>> = { "--internal-runner": "runner", "--internal-bridge": "bridge" };

/** Where one of these stands there will be no screen. */
const WITHOUT_SCREEN = /^(?:-p|--print|--mode(?:=.*)?|--internal-sdk)$/;

/**
 * The pack that the program opens at once, by its arguments: all that one task needs until its first request, or what the
 * first screen needs. A wrong guess costs some milliseconds and nothing else: every module is found, whatever pack is open.
 */
export function firstPack(args: readonly string[]): string {
  const own = BY_WORD[args[0] ?? ""];
  return own ?? (args.some((word) => WITHOUT_SCREEN.test(word)) ? "task" : "frame");
}

/** The one that the runner's worker opens. */
export const WORKER_PACK: OwnPack = "tools";
