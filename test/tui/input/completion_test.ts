import { assertEquals } from "@std/assert";
import { completion } from "../../../src/tui/input/completion.ts";

const FILES = ["src/", "src/alpha.ts", "src/beta.ts", "my file.md", "evil\x1b]0;x\x07.ts"];
const made = completion({
  commands: () => [{ name: "model", description: "m" }, { name: "compact", description: "c" }],
  files: () => Promise.resolve(FILES),
});

async function offered(text: string, force = false): Promise<readonly string[]> {
  const signal = new AbortController().signal;
  const found = await made.getSuggestions([text], 0, text.length, { signal, force });
  return found?.items.map(({ label }) => label) ?? [];
}

Deno.test("completion() offers commands at the beginning and files after @ and on Tab", async () => {
  const cases = [
    ["/mo", false, ["/model"]],
    ["say /mo", false, []],
    ["see @alp", false, ["src/alpha.ts"]],
    ["see @src/b", false, ["src/beta.ts"]],
    ["see @evil", false, []],
    ["see alp", false, []],
    ["see alp", true, ["src/alpha.ts"]],
  ] as const;
  for (const [text, force, labels] of cases) assertEquals<readonly string[]>(await offered(text, force), labels, text);
});

Deno.test("completion() puts in what was chosen, quoted where it has spaces, and stays in a folder", async () => {
  const put = async (text: string): Promise<string | undefined> => {
    const signal = new AbortController().signal;
    const found = await made.getSuggestions([text], 0, text.length, { signal });
    const item = found?.items[0];
    if (!found || !item) return undefined;
    return made.applyCompletion([text], 0, text.length, item, found.prefix).lines[0];
  };
  assertEquals(await put("see @my"), 'see @"my file.md" ');
  assertEquals(await put("see @src"), "see @src/");
  assertEquals(await put("/mod"), "/model ");
});

Deno.test("completion() takes a list that came for the beginning of a word for nothing more", async () => {
  const signal = new AbortController().signal;
  const stale = async (listedFor: string, typed: string): Promise<string | undefined> => {
    const found = await made.getSuggestions([listedFor], 0, listedFor.length, { signal });
    const item = found?.items[0];
    return found && item ? made.applyCompletion([typed], 0, typed.length, item, found.prefix).lines[0] : undefined;
  };
  assertEquals(await stale("/mo", "/model"), "/model ");
  assertEquals(await stale("/m", "/mod"), "/model ");
  assertEquals(await stale("/mo", "/mouse"), "/mouse");
  assertEquals(await stale("see @al", "see @alpine"), "see @alpine");
});

Deno.test("completion() without files offers none", async () => {
  const none = completion({ commands: () => [], files: () => Promise.reject(new Error("no")) });
  assertEquals(await none.getSuggestions(["@a"], 0, 2, { signal: new AbortController().signal }), null);
});

Deno.test("completion() offers every command on a slash, however many there are", async () => {
  const names = Array.from({ length: 33 }, (_, i) => `name${i}`);
  const many = completion({
    commands: () => names.map((name) => ({ name, description: "" })),
    files: () => Promise.resolve([]),
  });
  const found = await many.getSuggestions(["/"], 0, 1, { signal: new AbortController().signal });
  assertEquals(found?.items.map(({ value }) => value), names.map((name) => `/${name}`));
});
