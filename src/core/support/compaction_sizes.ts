/** The estimated size of a conversation before and after a compaction, as a phrase. */
export function compactionSizes(sizes: { readonly tokensBefore: number; readonly tokensAfter?: number }): string {
  const { tokensBefore, tokensAfter } = sizes;
  const before = `about ${tokensBefore.toLocaleString("en-US")} tokens before`;
  return tokensAfter === undefined ? before : `${before}, ${tokensAfter.toLocaleString("en-US")} after`;
}
