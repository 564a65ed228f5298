/** One loss in words: `skills_listing changed: 18,204 tokens sent again, $0.05`. */
export function lostText(
  { because, tokens, cost }: { readonly because: readonly string[]; readonly tokens: number; readonly cost?: number },
): string {
  const [first = "", ...more] = because;
  const cause = first.includes(" ") ? first : `${[first, ...more].join(", ")} changed`;
  const money = cost === undefined || cost === 0 ? "" : `, $${cost < 0.01 ? cost.toFixed(4) : cost.toFixed(2)}`;
  return `${cause}: ${tokens.toLocaleString("en")} tokens sent again${money}`;
}
