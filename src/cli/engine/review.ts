import type { Hooks } from "../../core/hook.ts";
import type { CompactionReview } from "./compaction.ts";

/** What extensions may do with a compaction (R223, R293–R295); nothing when none of them listens. */
export function compactionReview(hooks: Hooks | undefined): CompactionReview | undefined {
  if (!hooks) return undefined;
  return {
    async before({ plan, path, reason, focus }, signal) {
      if (!hooks.has("session_before_compact")) return undefined;
      const { history, turnPrefix, firstKeptEntryId, tokensBefore, previousSummary } = plan;
      const { cancel, compaction } = await hooks.sessionBeforeCompact({
        preparation: {
          messagesToSummarize: [...history, ...turnPrefix],
          firstKeptEntryId,
          tokensBefore,
          ...(previousSummary === undefined ? {} : { previousSummary }),
        },
        branchEntries: path,
        reason,
        willRetry: reason === "overflow",
        ...(focus ? { customInstructions: focus } : {}),
      }, signal);
      return { ...(cancel ? { cancel } : {}), ...(compaction ? { result: compaction } : {}) };
    },
    after: (compactionEntry, reason, fromExtension) =>
      hooks.observe({
        type: "session_compact",
        compactionEntry,
        fromExtension,
        reason,
        willRetry: reason === "overflow",
      }),
    failed: (why, reason) => hooks.observe({ type: "session_compact_failed", ...why, reason }),
  };
}
