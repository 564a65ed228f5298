/**
 * Protected paths: write, edit and bash are refused where they name a path of your list.
 *
 * The list comes from `--flag protect=PATH,PATH`, else from the file below, one path a line, which you have to grant. A
 * name without a slash is protected in every folder, anything else below the workspace, each with all that is in it.
 *
 * A guard rail and no wall: a command can reach a path without naming it. What must never be written is better left out
 * of the tools' scope (`--deny-write`).
 */
import { normalize, relative, resolve } from "node:path";
import { defineExtension } from "sandpiper";

const LIST_FILE = ".sandpiper/protected-paths";

export const permissions = { read: [".sandpiper/protected-paths"] };

export default defineExtension((sp) => {
  sp.registerFlag("protect", { type: "string", description: "paths that tools must not change, with commas between" });
  /** Rejects when there is no list; every call is refused then, because a handler of tool_call that throws refuses. */
  let list: Promise<readonly string[]> | undefined;

  async function readList(cwd: string): Promise<readonly string[]> {
    const flag = sp.getFlag("protect");
    if (typeof flag === "string") return entries(flag.split(","));
    try {
      return [LIST_FILE, ...entries((await Deno.readTextFile(resolve(cwd, LIST_FILE))).split("\n"))];
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`no list of protected paths: give --flag protect=PATH, or write and grant ${LIST_FILE} (${why})`);
    }
  }

  sp.on("tool_call", async ({ toolName, input }, ctx) => {
    if (!["write", "edit", "bash"].includes(toolName)) return;
    // Read once: what the model does to the file later makes no difference.
    const hits = (await (list ??= readList(ctx.cwd))).filter((entry) =>
      toolName === "bash" ? names(String(input["command"]), entry) : covers(entry, String(input["path"]), ctx.cwd)
    );
    if (hits.length === 0) return;
    return { block: true, reason: `${hits.join(", ")} is protected by the user. Leave it as it is, and say so` };
  });
});

/** Entries without blanks, comments, `./` in front and slashes at the end. */
function entries(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => normalize(line).replace(/\/+$/, ""));
}

/** Whether a path that a tool was given is an entry's, or lies in it. */
function covers(entry: string, given: string, cwd: string): boolean {
  const path = relative(cwd, resolve(cwd, given.replace(/^@/, "").replace(/^file:\/\//, "")));
  return entry.includes("/")
    ? `${path}/`.startsWith(`${relative(cwd, resolve(cwd, entry))}/`)
    : path.split("/").includes(entry);
}

/** Whether a command names an entry: as a whole, not as a part of a longer name. */
function names(command: string, entry: string): boolean {
  const text = entry.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?:^|[^\\w.-])${text}(?:$|[^\\w.-])`).test(command.replace(/(?<!\.)\.\//g, ""));
}
