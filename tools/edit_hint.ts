/** Most lines that are compared for a hint. */
const MAX_LINES = 200_000;

/** What to do about an old text that is not there; `text` and `old` have LF line ends. */
export function hintFor(text: string, old: string): string {
  if (old.includes("\ufffd")) return "Bytes shown as \ufffd are no text: leave them out of the old text";
  const lines = text.split("\n", MAX_LINES).map((line) => line.trim());
  const wanted = old.split("\n").map((line) => line.trim()).filter((line, index, all) =>
    line !== "" || (index > 0 && index < all.length - 1)
  );
  const first = wanted[0] ?? "";
  if (first === "") return "Read the file and copy the text exactly";
  const starts = lines.flatMap((line, index) => line === first ? [index] : []);
  const start = starts.find((index) => wanted.every((line, offset) => lines[index + offset] === line));
  if (start !== undefined) {
    return `Lines ${start + 1}-${
      start + wanted.length
    } differ only in indentation: read them and copy the text exactly`;
  }
  const at = starts[0];
  if (at === undefined) return "Read the file and copy the text exactly, with all blanks and line ends";
  const differs = wanted.findIndex((line, offset) => lines[at + offset] !== line);
  return `Its first line is there at line ${at + 1}, but line ${
    at + 1 + differs
  } differs: read from there and copy exactly`;
}
