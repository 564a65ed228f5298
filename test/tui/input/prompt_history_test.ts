import { assert, assertEquals } from "@std/assert";
import { promptHistory } from "../../../src/tui/input/prompt_history.ts";

function inFolder(work: (path: string) => void): void {
  const folder = Deno.makeTempDirSync();
  try {
    work(`${folder}/history.jsonl`);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("promptHistory() keeps texts over sessions, oldest first, in a private file", () =>
  inFolder((path) => {
    for (const text of ["one", "two\nlines", " secret", "", "漢字"]) promptHistory(path).add(text);
    assertEquals(promptHistory(path).load(), ["one", "two\nlines", "漢字"]);
    assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
  }));

Deno.test("promptHistory() passes over what is damaged and reads only the newest", () =>
  inFolder((path) => {
    Deno.writeTextFileSync(path, 'half"\n{"a":1}\n' + Array.from({ length: 150 }, (_, at) => `"${at}"\n`).join(""));
    const loaded = promptHistory(path).load();
    assertEquals([loaded.length, loaded[0], loaded.at(-1)], [100, "50", "149"]);
  }));

Deno.test("promptHistory() cuts a file that has grown too long", () =>
  inFolder((path) => {
    Deno.writeTextFileSync(path, `"${"x".repeat(1000)}"\n`.repeat(2200));
    promptHistory(path).add("last");
    assert(Deno.statSync(path).size < 300_000);
    assertEquals(promptHistory(path).load().at(-1), "last");
  }));

Deno.test("promptHistory() without a file or a folder is none and no error", () => {
  promptHistory(undefined).add("a");
  promptHistory("/nonexistent/x").add("a");
  assertEquals([promptHistory(undefined).load(), promptHistory("/nonexistent/x").load()], [[], []]);
});
