import { createHash } from "node:crypto";

/**
 * SHA-256 of texts that all begin with `prefix`: the prefix is digested once, so that the fingerprint of a long prompt
 * costs no more in each round than its short changing end.
 *
 * Equal to `sha256(prefix + rest)` as long as no surrogate pair is split between the two.
 */
export function prefixDigest(prefix: string): (rest: string) => string {
  const begun = createHash("sha256").update(prefix, "utf8");
  return (rest) => begun.copy().update(rest, "utf8").digest("hex");
}
