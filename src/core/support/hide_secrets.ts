/**
 * A shorter secret is an ordinary word or a part of many (`k`, `none`, the `ollama` that servers at home are given as a key):
 * it is taken out of a text only where it is all of it. UTF-16 units.
 */
export const SHORTEST_SECRET = 7;

/** What stands in a secret's place. */
const HIDDEN = "[key]";

/**
 * A text of people, models, tools or servers without secrets, also as JSON writes them. `shortest`: where a word too many may be
 * taken out, because nobody plays the text again, shorter secrets are taken out of texts, too.
 */
export function hideSecrets(text: string, secrets: readonly string[], shortest = SHORTEST_SECRET): string {
  // The longest first: it may have another one in it.
  return [...secrets].sort((a, b) => b.length - a.length).reduce((clean, secret) => {
    if (secret.length < shortest) return secret !== "" && clean.trim() === secret ? HIDDEN : clean;
    return clean.replaceAll(secret, HIDDEN).replaceAll(JSON.stringify(secret).slice(1, -1), HIDDEN);
  }, text);
}

/** Whether a variable or an argument holds a secret; a short one as a word of its own. */
export function holdsSecret(value: string, secrets: readonly string[]): boolean {
  const words = value.split(/[\s"',;:=]+/);
  return secrets.some((secret) =>
    secret !== "" && (secret.length < SHORTEST_SECRET ? words.includes(secret) : value.includes(secret))
  );
}
