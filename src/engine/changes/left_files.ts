import type { Policy } from "../../core/policy.ts";
import { attempt } from "../../core/support/attempt.ts";
import { createPace } from "../../changes/pace.ts";
import { emptyTable, look, type LookSums } from "../../changes/table.ts";
import { isLeftTemporary } from "../../sandbox/system/temporary_folder.ts";
import { JOURNAL_LIMITS } from "../sessions/checkpoint_place.ts";
import { canJournal, openWriteScopes } from "./scopes.ts";

/**
 * Removes temporary files of processes that have ended from the write scopes. For a session that records no changes: in others
 * the first scan does it. Throws what the system throws.
 */
export async function removeLeftFiles(policy: Policy): Promise<void> {
  if (!canJournal()) return;
  const scopes = openWriteScopes(policy);
  try {
    const pace = createPace(() => performance.now(), () => new Promise((resolve) => setTimeout(resolve, 0)));
    for (const { tree, isKept } of scopes.list) {
      const sums: LookSums = { entries: 0, ignored: 0, unseen: [], temporary: [] };
      const options = { limits: JOURNAL_LIMITS, isKept, now: Date.now, tell: () => {}, sums };
      await pace.run(look(tree, emptyTable(), options));
      const left = sums.temporary.filter((path) => isKept(path) && isLeftTemporary(path.replace(/^.*\//, "")));
      for (const path of left) attempt(() => tree.remove(path, false)); // Another process was faster.
    }
  } finally {
    scopes.close();
  }
}
