/**
 * A text between two tags of a line each. Closing tags inside the text are broken, so that nothing that was read from
 * a file can end the block early.
 */
export function tagged(name: string, text: string): string {
  return `<${name}>\n${text.replaceAll(`</${name}>`, `<\\/${name}>`).trim()}\n</${name}>`;
}
