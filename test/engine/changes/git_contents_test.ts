import { assertEquals } from "@std/assert";
import { gitContents } from "../../../src/engine/changes/git_contents.ts";
import { openFolderTree } from "../../../src/sandbox/system/tree.ts";

const HEAD = [0x44, 0x49, 0x52, 0x43, 0, 0, 0];
const INDEXES: readonly (readonly [what: string, bytes: readonly number[], isRead: boolean])[] = [
  ["nothing", [], false],
  ["less than a header", [...HEAD, 2], false],
  ["no entries", [...HEAD, 2, 0, 0, 0, 0, ...Array(20).fill(0)], true],
  ["a version whose paths do not stand there whole", [...HEAD, 4, 0, 0, 0, 0, ...Array(20).fill(0)], false],
  ["more entries than it has room for", [...HEAD, 2, 0xff, 0xff, 0xff, 0xff, ...Array(20).fill(0)], false],
  ["an entry that is cut off", [...HEAD, 2, 0, 0, 0, 1, ...Array(70).fill(0)], false],
];

for (const [what, bytes, isRead] of INDEXES) {
  Deno.test(`gitContents() of an index with ${what} ${isRead ? "is there" : "counts as none"}`, () => {
    const root = Deno.makeTempDirSync();
    Deno.mkdirSync(`${root}/.git`);
    Deno.writeTextFileSync(`${root}/.git/config`, "");
    Deno.writeFileSync(`${root}/.git/index`, Uint8Array.from(bytes));
    const tree = openFolderTree(root);
    try {
      assertEquals(tree && gitContents(tree, { HOME: root }) !== undefined, isRead);
    } finally {
      tree?.close();
      Deno.removeSync(root, { recursive: true });
    }
  });
}
