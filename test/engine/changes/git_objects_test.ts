import { assert, assertEquals } from "@std/assert";
import { fetchObjects, spillObjects } from "../../../src/engine/changes/git_objects.ts";
import { openFolderTree } from "../../../src/sandbox/system/tree.ts";
import { inWorkspace } from "../../helpers/program.ts";

async function git(ws: string, ...args: string[]): Promise<string> {
  const own = ["-C", ws, "-c", "user.name=t", "-c", "user.email=t@t"];
  const { success, stdout, stderr } = await new Deno.Command("git", { args: [...own, ...args] }).output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

/** A repository with files of some megabytes each; their contents by name, with the paths that they were at. */
async function committed(ws: string, count: number): Promise<ReadonlyMap<string, string>> {
  for (let at = 0; at < count; at++) Deno.writeFileSync(`${ws}/${at}`, new Uint8Array(3e6).fill(at + 1));
  await git(ws, "init", "--quiet");
  await git(ws, "add", "--all");
  await git(ws, "commit", "--quiet", "--message=all");
  const lines = (await git(ws, "ls-files", "--stage")).split("\n");
  return new Map(lines.map((line) => [`git:${line.split(" ")[1]}`, `${ws}/${line.split("\t")[1]}`]));
}

Deno.test("spillObjects() holds what git has in a file and gives each as it was; the file goes with it", () =>
  inWorkspace({}, async ({ ws, home }) => {
    const contents = await committed(ws, 14); // more than a batch
    const tree = openFolderTree(ws);
    assert(tree);
    try {
      const path = `${home}/spill`;
      Deno.writeTextFileSync(path, "left by a program that was killed");
      {
        using spilt = await spillObjects(contents, [tree], path);
        for (const [content, file] of contents) {
          const bytes = spilt.get(content);
          const own = Number(file.split("/").at(-1)) + 1;
          assertEquals([bytes?.length, bytes?.[0], bytes?.at(-1)], [3e6, own, own]);
        }
        assertEquals(spilt.get("git:0000000000000000000000000000000000000000"), undefined);
        assert(Deno.statSync(path).size > 14 * 3e6 - 2e6);
      }
      assertEquals([...Deno.readDirSync(home)], []);
    } finally {
      tree.close();
    }
  }));

Deno.test("fetchObjects() leaves out what would be more than its bound, and what is not below a tree", () =>
  inWorkspace({}, async ({ ws, outside }) => {
    const contents = await committed(ws, 4);
    const tree = openFolderTree(ws);
    assert(tree);
    try {
      assertEquals((await fetchObjects(contents, [tree], 7e6)).size, 2);
      const elsewhere = new Map([...contents.keys()].map((content) => [content, `${outside}/x`]));
      assertEquals((await fetchObjects(elsewhere, [tree])).size, 0);
    } finally {
      tree.close();
    }
  }));
