import { assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../src/core/error.ts";
import { ls } from "../../tools/ls.ts";
import { type SearchWorkspace, searchWorkspace, shown } from "../helpers/search_workspace.ts";

async function text(workspace: SearchWorkspace, args: Parameters<typeof ls.run>[0] = {}): Promise<string> {
  return shown(await ls.run(args, workspace.context));
}

Deno.test("ls sorts without regard to case, shows dotfiles and marks folders R486", async () => {
  using workspace = searchWorkspace({ "b": "", "A/x": "", ".env": "", "a": "", "B2": "", ".git/x": "", "é": "" });
  assertEquals(await text(workspace), ".env\n.git/\nA/\na\nb\nB2\né");
  assertEquals(await text(workspace, { path: "A" }), "x");
});

Deno.test("ls says that a folder is empty", async () => {
  using workspace = searchWorkspace();
  assertEquals(await text(workspace), "(empty directory)");
});

Deno.test("ls marks links to folders, and shows links to nowhere or outside by name alone R460", async () => {
  using workspace = searchWorkspace({ "real/x": "", "file": "" });
  Deno.symlinkSync("real", workspace.root + "/folder");
  Deno.symlinkSync("file", workspace.root + "/plain");
  Deno.symlinkSync("absent", workspace.root + "/nowhere");
  Deno.symlinkSync("/etc", workspace.root + "/outside");
  assertEquals(await text(workspace), "file\nfolder/\nnowhere\noutside\nplain\nreal/");
  await assertRejects(() => Promise.resolve().then(() => ls.run({ path: "outside" }, workspace.context)), ToolError);
});

Deno.test("ls tells of the limit only when there is more", async () => {
  using workspace = searchWorkspace({ "a": "", "b": "", "c": "" });
  assertEquals(await text(workspace, { limit: 3 }), "a\nb\nc");
  const result = await ls.run({ limit: 2 }, workspace.context);
  assertEquals(shown(result), "a\nb\n\n[2 entries limit reached. Use limit=4 for more]");
  assertEquals(result.details, { entryLimitReached: 2 });
});

Deno.test("ls lets no name through that could steer a terminal", async () => {
  using workspace = searchWorkspace({ "a\x1b[2J\nb": "" });
  assertEquals(await text(workspace), '"a\\u001b[2J\\u000ab"');
});

Deno.test("ls answers bad input with what is wrong", async () => {
  using workspace = searchWorkspace({ "a": "" });
  assertEquals(await text(workspace, { path: "a" }), `ERROR Not a directory: ${workspace.root}/a`);
  for (const path of ["absent", "/etc"]) {
    await assertRejects(() => Promise.resolve().then(() => ls.run({ path }, workspace.context)), ToolError);
  }
  assertEquals(shown(await ls.run({}, workspace.withSignal(AbortSignal.abort()))), "ERROR Operation aborted");
});
