/** Both halves as a provider gets them: a blank line between them, none where one is empty. */
export function joinHalves(stable: string, dynamic: string): string {
  return stable && dynamic ? `${stable}\n\n${dynamic}` : stable + dynamic;
}
