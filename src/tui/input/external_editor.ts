import { messageOf, UserError } from "../../core/error.ts";
import { isAbsolutePath } from "../../core/support/on_disk.ts";
import type { Terminal } from "../screen/terminal.ts";

/** The user's editor. */
export interface OutsideEditor {
  /** Words, as in `EDITOR`; undefined if none is named. */
  readonly command: string | undefined;
  /** The PATH in which the program, and what it starts by name, is looked for. */
  readonly path: () => Promise<string>;
}

/**
 * Lets the user edit a text in another program, which gets the terminal meanwhile. Returns the new text; throws UserError if
 * there is no such program or it fails.
 */
export async function editOutside(
  text: string,
  { command, path }: OutsideEditor,
  terminal: Terminal,
): Promise<string> {
  const [program, ...args] = (command ?? "").trim().split(/\s+/).filter((word) => word !== "");
  if (program === undefined) throw failed("no editor is named", "Set VISUAL or EDITOR, for example EDITOR=vi");
  // It runs unconfined, and an earlier command can have created a program under any name below the current directory.
  if (program.includes("/") && !isAbsolutePath(program)) {
    throw failed(`${program} is a relative path`, "Set VISUAL or EDITOR to a name in PATH or to an absolute path");
  }
  const searched = await path();
  const file = Deno.makeTempFileSync({ prefix: "sandpiper-", suffix: ".md" });
  try {
    Deno.writeTextFileSync(file, text);
    const { code } = await terminal.lend(() => runToEnd(program, [...args, file], searched));
    if (code !== 0) throw failed(`${program} ended with code ${code}`, "The text is as it was before");
    return Deno.readTextFileSync(file).replace(/\n$/, "");
  } finally {
    Deno.removeSync(file);
  }
}

async function runToEnd(program: string, args: readonly string[], path: string): Promise<Deno.CommandStatus> {
  try {
    const child = new Deno.Command(program, {
      args: [...args],
      env: { PATH: path },
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    });
    return await child.spawn().status;
  } catch (error) {
    throw failed(
      messageOf(error),
      "Set VISUAL or EDITOR to an editor that is installed where tools cannot write, or to its absolute path",
    );
  }
}

function failed(why: string, fix: string): UserError {
  return new UserError({ what: "The text was not edited", why, fix });
}
