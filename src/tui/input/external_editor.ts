import { messageOf, UserError } from "../../core/error.ts";
import type { Terminal } from "../screen/terminal.ts";

/**
 * Lets the person edit a text in a program of their own, which gets the terminal meanwhile. `command`: words, as in
 * `EDITOR`. Gives the new text; throws UserError when there is no such program or it fails.
 */
export async function editOutside(text: string, command: string | undefined, terminal: Terminal): Promise<string> {
  const [program, ...args] = (command ?? "").trim().split(/\s+/).filter((word) => word !== "");
  if (program === undefined) throw failed("no editor is named", "Set VISUAL or EDITOR, for example EDITOR=vi");
  const file = Deno.makeTempFileSync({ prefix: "sandpiper-", suffix: ".md" });
  try {
    Deno.writeTextFileSync(file, text);
    const { code } = await terminal.lend(() => runToEnd(program, [...args, file]));
    if (code !== 0) throw failed(`${program} ended with code ${code}`, "The text is as it was before");
    return Deno.readTextFileSync(file).replace(/\n$/, "");
  } finally {
    Deno.removeSync(file);
  }
}

async function runToEnd(program: string, args: readonly string[]): Promise<Deno.CommandStatus> {
  try {
    const child = new Deno.Command(program, {
      args: [...args],
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    });
    return await child.spawn().status;
  } catch (error) {
    throw failed(messageOf(error), "Set VISUAL or EDITOR to an editor that is installed");
  }
}

function failed(why: string, fix: string): UserError {
  return new UserError({ what: "The text was not edited", why, fix });
}
