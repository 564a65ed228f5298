/**
 * A shorter secret is an ordinary word or a part of many (`k`, `none`, the `ollama` that servers at home are given as a key):
 * it is taken out of a text only where it is all of it. UTF-16 units.
 */
export const SHORTEST_SECRET = 7;

/** What stands in a secret's place. */
export const HIDDEN = "[key]";

/**
 * The forms in which a secret is hidden, the longest first: as it is, as JSON writes it, and in base64 and URLs, as headers and
 * addresses carry it. Short secrets have none: they are ordinary words.
 */
export function secretForms(secrets: readonly string[]): readonly string[] {
  const forms = new Set(secrets.filter(({ length }) => length >= SHORTEST_SECRET).flatMap(formsOf));
  return [...forms].sort((a, b) => b.length - a.length);
}

function formsOf(secret: string): readonly string[] {
  const base64 = new TextEncoder().encode(secret).toBase64().replace(/=+$/, "");
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    base64,
    base64.replaceAll("+", "-").replaceAll("/", "_"),
  ];
}

/**
 * A text of people, models, tools or servers without secrets, also in the forms of `secretForms`. `shortest`: where a word too many may be
 * taken out, because nobody plays the text again, shorter secrets are taken out of texts, too.
 */
export function hideSecrets(text: string, secrets: readonly string[], shortest = SHORTEST_SECRET): string {
  // The longest first: it may have another one in it.
  return [...secrets].sort((a, b) => b.length - a.length).reduce((clean, secret) => {
    if (secret.length < shortest) return secret !== "" && clean.trim() === secret ? HIDDEN : clean;
    const forms = secret.length < SHORTEST_SECRET ? [secret, JSON.stringify(secret).slice(1, -1)] : formsOf(secret);
    return forms.reduce((shown, form) => shown.replaceAll(form, HIDDEN), clean);
  }, text);
}

/** The same JSON value with every text of it, names of fields included, without the given forms of secrets. */
export function hideForms<T>(value: T, forms: readonly string[]): T {
  const hide = (text: string): string => forms.reduce((clean, form) => clean.replaceAll(form, HIDDEN), text);
  const clean = (part: unknown): unknown => {
    if (typeof part === "string") return hide(part);
    if (Array.isArray(part)) return part.map(clean);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, item]) => [hide(name), clean(item)]));
  };
  return forms.length === 0 ? value : clean(value) as T;
}

/** Whether a variable or an argument holds a secret; a short one as a word of its own. */
export function holdsSecret(value: string, secrets: readonly string[]): boolean {
  const words = value.split(/[\s"',;:=]+/);
  return secrets.some((secret) =>
    secret !== "" && (secret.length < SHORTEST_SECRET ? words.includes(secret) : value.includes(secret))
  );
}
