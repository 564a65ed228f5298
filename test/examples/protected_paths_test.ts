import { assertEquals, assertMatch } from "@std/assert";
import { textOf } from "../../src/core/message.ts";
import { readSource } from "../../src/hooks/code/source_files.ts";
import { withSession } from "../engine/world.ts";
import { example } from "./place.ts";

const path = example("protected_paths.ts");
const write = (to: string) => ({ name: "write", args: { path: to, content: "new" } });
const bash = (command: string) => ({ name: "bash", args: { command } });

/** Each call, and the entry that stands in its way. */
const CALLS = [
  [write("data/a.txt"), "data"],
  [write("./src/../data/new/b.txt"), "data"],
  [write("src/.env"), ".env"],
  [write("src/.environment"), undefined],
  [write("src/gen/x.txt"), "src/gen"],
  [write("src/generated.txt"), undefined],
  [{ name: "edit", args: { path: "data/a.txt", edits: [{ oldText: "a", newText: "b" }] } }, "data"],
  [{ name: "read", args: { path: "data/a.txt" } }, undefined],
  [bash("rm -rf ./data"), "data"],
  [bash("echo x > src/.env"), ".env"],
  [bash("echo metadata database .envrc"), undefined],
] as const;

/** Runs all calls; gives what each came to: the entry that was named, or nothing. */
async function outcomes(
  options: { readonly args: readonly string[]; readonly files: Readonly<Record<string, string>>; settings?: object },
): Promise<readonly (string | undefined)[]> {
  let found: readonly (string | undefined)[] = [];
  await withSession({ replies: [{ calls: CALLS.map(([call]) => call) }, { text: "ok" }], ...options }, async (one) => {
    await one.say("go");
    const results = one.engine.messages().flatMap((message) => message.role === "toolResult" ? [message] : []);
    found = results.map(({ content }) => {
      const text = textOf(content);
      return / is protected by the user/.test(text)
        ? text.split(" is protected")[0]
        : /\bno list of/.test(text)
        ? "?"
        : undefined;
    });
    assertEquals(Deno.readTextFileSync(`${one.ws}/data/a.txt`), "a");
  });
  return found;
}

const files = { "data/a.txt": "a", "src/a.txt": "a" };
const expected = CALLS.map(([, entry]) => entry);

Deno.test("protected_paths.ts blocks by the list of its flag", async () => {
  assertEquals(await outcomes({ files, args: ["-e", path, "--flag", "protect=./data/, .env,src/gen"] }), expected);
});

Deno.test("protected_paths.ts blocks by its file once that is granted, and by all calls before", async () => {
  const list = { ...files, ".sandpiper/protected-paths": "# mine\ndata/\n.env\n\nsrc/gen\n" };
  const args = ["-e", path];
  const grants = { [readSource(path).hash]: { read: [".sandpiper/protected-paths"] } };
  assertEquals(await outcomes({ files: list, args, settings: { extensions: { grants } } }), expected);
  const asked = CALLS.map(([{ name }]) => name === "read" ? undefined : "?");
  assertEquals(await outcomes({ files: list, args }), asked);
});

Deno.test("protected_paths.ts says what it was not granted, and how it would be", () =>
  withSession({ replies: [], files, args: ["-e", path] }, ({ engine }) => {
    const [notice = ""] = engine.notices;
    assertMatch(notice, /protected_paths.*read \.sandpiper\/protected-paths/);
    const text = /(\{"extensions".*\})/.exec(notice)?.[1] ?? "{}";
    assertEquals(JSON.parse(text), {
      extensions: { grants: { [readSource(path).hash]: { read: [".sandpiper/protected-paths"] } } },
    });
    return Promise.resolve();
  }));
