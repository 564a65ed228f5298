import { assertEquals, assertThrows } from "@std/assert";
import { replaceFile } from "../../../src/core/support/replace_file.ts";

function inFolder(work: (folder: string) => void): void {
  const folder = Deno.makeTempDirSync();
  try {
    work(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const modeOf = (path: string): number => (Deno.statSync(path).mode ?? 0) & 0o777;

Deno.test("replaceFile() makes a file that is the user's alone, and lets an old one keep its mode unless it is private", () =>
  inFolder((folder) => {
    const path = `${folder}/a`;
    const seen: [string, number][] = [];
    const look = (): void => void seen.push([Deno.readTextFileSync(path), modeOf(path)]);
    replaceFile(path, "one");
    look();
    Deno.chmodSync(path, 0o644);
    replaceFile(path, "two");
    look();
    replaceFile(path, "three", "private");
    look();
    assertEquals(seen, [["one", 0o600], ["two", 0o644], ["three", 0o600]]);
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["a"]);
  }));

Deno.test("replaceFile() replaces a link and not what it leads to, and leaves nothing behind where it fails", () =>
  inFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/target`, "kept");
    Deno.symlinkSync(`${folder}/target`, `${folder}/link`);
    replaceFile(`${folder}/link`, "new");
    assertEquals([Deno.readTextFileSync(`${folder}/target`), Deno.readTextFileSync(`${folder}/link`)], ["kept", "new"]);
    Deno.mkdirSync(`${folder}/full/inner`, { recursive: true });
    assertThrows(() => replaceFile(`${folder}/full`, "text"));
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["full", "link", "target"]);
  }));
