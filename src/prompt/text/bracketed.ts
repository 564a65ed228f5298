// A file's text between lines that name the file, so that it is plain where it ends (R381). The text cannot hold such a
// line itself.
const MARK = /-{3,}[ \t]*(BEGIN|END)[ \t]+(?=\S+\.md\b)/gi;

/** A text between a line that opens it and one that closes it. */
export function bracketed(name: string, text: string): string {
  return `----- BEGIN ${name} -----\n${text.replace(MARK, "$1 ")}\n----- END ${name} -----`;
}
