import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { sourceFiles } from "../../scripts/check_layers.ts";

const root = new URL("../..", import.meta.url).pathname;

// "One file and one line": what is added must not have to be written down in a second place.
const PLACES = [
  // Adapters say it in the words of each server, which are not ours.
  { what: "a thinking level", word: `"xhigh"`, at: ["src/core/provider.ts"], except: "src/provider/" },
  {
    what: "a hook event whose answer counts",
    word: "session_before_fork",
    // Its types, its rule, and who asks it.
    at: ["src/core/hook_events.ts", "src/engine/session_navigation.ts", "src/hooks/events/decisions.ts"],
    except: undefined,
  },
] as const;

for (const { what, word, at, except } of PLACES) {
  Deno.test(`${what} is listed in one place`, () => {
    const looked = sourceFiles(root).filter((path) => except === undefined || !path.startsWith(except));
    assertEquals(looked.filter((path) => Deno.readTextFileSync(join(root, path)).includes(word)), [...at]);
  });
}

const TABLE = "src/provider/table";

Deno.test("a provider costs one file of data and one line", async () => {
  const list = Deno.readTextFileSync(join(root, TABLE, "built_in.ts")).split("\n").filter((line) =>
    line.startsWith("export")
  );
  const files = sourceFiles(root).filter((path) => path.startsWith(`${TABLE}/`) && path.split("/").length === 5);
  assert(files.length >= 25, String(files.length));
  assertEquals(list.length, files.length);
  for (const path of files) {
    const lines = list.filter((line) => line.endsWith(`from ".${path.slice(TABLE.length)}";`));
    assertEquals(lines.length, 1, path);
    const { default: entry } = await import(`../../${path}`);
    // What is learned of hosts and what is generated names them as data, too.
    const others = sourceFiles(root).filter((other) =>
      other !== path && !/^src\/provider\/(?:capabilities|models)\//.test(other) && other.startsWith("src/")
    );
    const { host } = new URL(
      entry.baseUrl.replace(/^\{[^}]*\}/, "https://no-host.invalid").replaceAll(/\{[^}]*\}/g, "x"),
    );
    const named = others.filter((other) => {
      // A package's types may bear the name of a provider.
      const text = Deno.readTextFileSync(join(root, other)).replaceAll(/^.* from "[^"]+";$/gm, "");
      return !other.startsWith(TABLE) &&
        (!entry.isLocal && text.includes(`//${host}`) || new RegExp(`(?<!from |import\\()"${entry.name}/`).test(text));
    });
    assertEquals([entry.name, named.filter((other) => other !== "src/provider/mod.ts")], [entry.name, []]);
  }
});

Deno.test("engine, configuration and command line know no provider by its name", () => {
  const found = sourceFiles(root).filter((path) =>
    /^src\/(?:engine|cli|config|agent|tui)\//.test(path) &&
    /"openai"|OPENAI_API_KEY"/.test(Deno.readTextFileSync(join(root, path)))
  );
  assertEquals(found, []);
});
