import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { sourceFiles } from "../../scripts/check_layers.ts";
import { providerTable } from "../../src/provider/table/table.ts";

const root = new URL("../..", import.meta.url).pathname;

// What is added must not have to be written down in a second place.
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

Deno.test("a provider costs one entry of data", () => {
  const providers = [...providerTable().values()];
  assert(providers.length >= 25, String(providers.length));
  // What is learned of hosts and what is generated names them as data, too.
  const others = sourceFiles(root).filter((path) =>
    path.startsWith("src/") && !/^src\/provider\/(?:table|capabilities|models)\/|^src\/provider\/mod\.ts$/.test(path)
  );
  // A package's types may bear the name of a provider.
  const texts = others.map((path) => Deno.readTextFileSync(join(root, path)).replaceAll(/^.* from "[^"]+";$/gm, ""));
  for (const { name, baseUrl, isLocal } of providers) {
    const { host } = new URL(baseUrl.replace(/^\{[^}]*\}/, "https://no-host.invalid").replaceAll(/\{[^}]*\}/g, "x"));
    const named = others.filter((_, at) =>
      !isLocal && texts[at]?.includes(`//${host}`) ||
      new RegExp(`(?<!from |import\\()"${name}/`).test(texts[at] ?? "")
    );
    assertEquals([name, named], [name, []]);
  }
});

Deno.test("engine, configuration and command line know no provider by its name", () => {
  const found = sourceFiles(root).filter((path) =>
    /^src\/(?:engine|cli|config|agent|tui)\//.test(path) &&
    /"openai"|OPENAI_API_KEY"/.test(Deno.readTextFileSync(join(root, path)))
  );
  assertEquals(found, []);
});
