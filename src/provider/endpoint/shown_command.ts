/**
 * A command as messages name it: its program. Of a line for the shell the first word, where that is a program and nothing
 * that could hold a secret, such as `TOKEN=… tool`.
 */
export function shownCommand([program = "", ...args]: readonly string[]): string {
  if (program !== "/bin/sh") return program;
  const word = args.at(-1)?.trim().split(/\s/, 1)[0] ?? "";
  return /^[\w./~+-]+$/.test(word) ? word : "for the shell";
}
