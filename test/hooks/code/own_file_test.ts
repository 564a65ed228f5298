import { assertEquals } from "@std/assert";
import { readOwnFile, writeOwnFile } from "../../../src/hooks/code/own_file.ts";

const CASES: readonly { name: string; spoil: (folder: string) => void }[] = [
  { name: "a file that others may write", spoil: (folder) => Deno.chmodSync(`${folder}/a`, 0o622) },
  { name: "a file that the group may write", spoil: (folder) => Deno.chmodSync(`${folder}/a`, 0o620) },
  { name: "a folder that others may write", spoil: (folder) => Deno.chmodSync(folder, 0o777) },
  {
    name: "a link",
    spoil: (folder) => {
      Deno.renameSync(`${folder}/a`, `${folder}/b`);
      Deno.symlinkSync(`${folder}/b`, `${folder}/a`);
    },
  },
  { name: "nothing", spoil: (folder) => Deno.removeSync(`${folder}/a`) },
];

for (const { name, spoil } of CASES) {
  Deno.test(`readOwnFile() reads what writeOwnFile() wrote, and not ${name}`, () => {
    const root = Deno.makeTempDirSync();
    const folder = `${root}/cache`;
    try {
      writeOwnFile(`${folder}/a`, "old");
      writeOwnFile(`${folder}/a`, "text");
      const mode = (path: string): number => (Deno.lstatSync(path).mode ?? 0) & 0o777;
      assertEquals([readOwnFile(`${folder}/a`), mode(folder), mode(`${folder}/a`)], ["text", 0o700, 0o600]);
      assertEquals([...Deno.readDirSync(folder)].length, 1);
      spoil(folder);
      assertEquals(readOwnFile(`${folder}/a`), undefined);
    } finally {
      Deno.removeSync(root, { recursive: true });
    }
  });
}

Deno.test("writeOwnFile() is silent where nothing can be written", () => {
  const file = Deno.makeTempFileSync();
  try {
    writeOwnFile(`${file}/a`, "text");
    assertEquals(readOwnFile(`${file}/a`), undefined);
  } finally {
    Deno.removeSync(file);
  }
});
