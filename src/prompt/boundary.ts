/**
 * The line between the two halves in the marked form of a prompt.
 *
 * Internal: the halves travel as two values, and what a provider gets is `CompiledPrompt.full`, which has no marker.
 */
const NAME = "sandpiper:stable-prompt-ends";
const MARKER = `<!-- ${NAME} -->`;

/** What stands between the halves in the marked form. */
export const BOUNDARY = `\n${MARKER}\n`;

/** Makes a text unable to pass for the boundary; it stays readable (R38). */
export function neutralise(text: string): string {
  return text.includes(NAME) ? text.replaceAll(NAME, "sandpiper/stable-prompt-ends") : text;
}

/** The halves with the boundary between them (R36); without it when either is empty (R37). */
export function joinAtBoundary(stable: string, dynamic: string): string {
  return stable && dynamic ? stable + BOUNDARY + dynamic : stable + dynamic;
}

/** The two halves of a marked text (R39). A text without a marker is all stable. */
export function splitAtBoundary(marked: string): { readonly stable: string; readonly dynamic: string } {
  const at = marked.indexOf(BOUNDARY);
  if (at < 0) return { stable: marked, dynamic: "" };
  return { stable: marked.slice(0, at), dynamic: marked.slice(at + BOUNDARY.length) };
}

/** A marked text as a provider gets it: the marker gone, a blank line in its place. */
export function stripBoundary(marked: string): string {
  const { stable, dynamic } = splitAtBoundary(marked);
  return joinHalves(stable, dynamic);
}

/** Both halves without a marker, a blank line between them. */
export function joinHalves(stable: string, dynamic: string): string {
  return stable && dynamic ? `${stable}\n\n${dynamic}` : stable + dynamic;
}
