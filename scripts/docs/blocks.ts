/** A fenced block of a page, with what the comments right before it say about it. */
export interface Block {
  readonly page: string;
  /** Of its first fence, from 1. */
  readonly line: number;
  /** The word after the fence; `""` where there is none. */
  readonly language: string;
  readonly text: string;
  /** `<!-- not run: REASON -->`: why nobody runs it. */
  readonly notRun?: string;
  /** `<!-- first: COMMANDS -->`: what a reader has done before, or has in his workspace. */
  readonly first?: string;
  /** `<!-- printed -->`: each of its lines was printed by the commands before it; `…` stands for anything. */
  readonly isPrinted: boolean;
}

/** What begins a line that somebody types. */
const TYPED = /^\s*(?:\$ )?(?:sandpiper|deno|npx|npm|git|curl) /;
/** Languages in which no command is looked for. */
const NO_COMMANDS: ReadonlySet<string> = new Set(["sh", "yaml", "ts", "json", "text"]);

/** The blocks of a page in order; a fence may be indented, as in a list. */
export function blocksOf(page: string, markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let about = "";
  let open:
    | { readonly line: number; readonly fence: string; readonly language: string; readonly lines: string[] }
    | undefined;
  let comment: string[] | undefined;
  for (const [at, line] of markdown.split("\n").entries()) {
    if (open) {
      if (line.trim() !== open.fence.trim()) {
        open.lines.push(line.startsWith(open.fence.slice(0, -3)) ? line.slice(open.fence.length - 3) : line);
        continue;
      }
      blocks.push(block(page, open.line, open.language, open.lines.join("\n") + "\n", about));
      [open, about] = [undefined, ""];
      continue;
    }
    if (comment || line.trimStart().startsWith("<!--")) {
      comment = [...comment ?? [], line];
      if (line.includes("-->")) [about, comment] = [`${about}${comment.join("\n").trim()}\n`, undefined];
      continue;
    }
    const [, fence, language] = /^(\s*```)(\S*)/.exec(line) ?? [];
    if (fence !== undefined) open = { line: at + 1, fence, language: language ?? "", lines: [] };
    else if (line.trim() !== "") about = "";
  }
  if (open) throw new Error(`${page}:${open.line}: the block has no end`);
  return blocks;
}

/** Lines that look like commands and stand where no program would run them: page and line, one sentence each. */
export function loneCommands(page: string, markdown: string): readonly string[] {
  const found = blocksOf(page, markdown).flatMap(({ line, language, text }) =>
    !NO_COMMANDS.has(language) && text.split("\n").some((one) => TYPED.test(one))
      ? [`${page}:${line}: a block with commands needs the language sh (or text, where it shows a screen)`]
      : []
  );
  let isFenced = false;
  for (const [at, line] of markdown.split("\n").entries()) {
    if (/^\s*```/.test(line)) isFenced = !isFenced;
    if (isFenced || !line.startsWith("    ") || !/^ {4}(?:\$ )?sandpiper /.test(line)) continue;
    found.push(`${page}:${at + 1}: an indented command is run by nobody: put it between fences`);
  }
  return found;
}

/**
 * The block as a script for `bash`: it ends at the first command that fails. A line whose comment
 * ends with `exit code N`, or has it before a colon, has to exit with just that.
 */
export function scriptOf({ text, first = "" }: Pick<Block, "text" | "first">): string {
  const lines = text.split("\n").map((line) => {
    const [, command, code] = /^(.*?)\s+#.*\bexit code (\d+)(?::|$)/.exec(line) ?? [];
    if (command === undefined) return line;
    return `code=0; { ${command}\n} || code=$?; [ "$code" = ${code} ] || { echo "exit code $code, not ${code}"; exit 99; }`;
  });
  return ["set -eu -o pipefail", "exec 3>&1 4>&2 >/dev/null 2>&1", first, "exec >&3 2>&4 3>&- 4>&-", ...lines].join(
    "\n",
  );
}

/** The first line of a block that was not printed, in order; nothing where all were. */
export function missingLine(block: string, printed: string): string | undefined {
  const flat = (text: string): string => text.replace(/\s+/g, " ").trim();
  let rest = flat(printed);
  for (const line of block.split("\n").map(flat).filter((one) => one !== "")) {
    let end = 0;
    for (const part of line.split("…").map((one) => one.trim()).filter((one) => one !== "")) {
      const at = rest.indexOf(part, end);
      if (at < 0) return line;
      end = at + part.length;
    }
    rest = rest.slice(end);
  }
  return undefined;
}

function block(page: string, line: number, language: string, text: string, about: string): Block {
  const said = (name: string): string | undefined => new RegExp(`<!-- ${name}:\\s*([^]*?)\\s*-->`).exec(about)?.[1];
  const [notRun, first] = [said("not run"), said("first")];
  return {
    ...{ page, line, language, text, isPrinted: about.includes("<!-- printed -->") },
    ...notRun === undefined ? {} : { notRun: notRun.replace(/\s+/g, " ") },
    ...first === undefined ? {} : { first },
  };
}
