import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { sourceFiles } from "../../scripts/check_layers.ts";

// "One file and one line": what is added must not have to be written down in a second place.
const PLACES = [
  { what: "a thinking level", word: `"xhigh"`, at: ["src/core/provider.ts"] },
  {
    what: "a hook event whose answer counts",
    word: "session_before_fork",
    // Its types, its rule, and who asks it.
    at: ["src/core/hook_events.ts", "src/engine/session_navigation.ts", "src/hooks/events/decisions.ts"],
  },
] as const;

for (const { what, word, at } of PLACES) {
  Deno.test(`${what} is listed in one place`, () => {
    const root = new URL("../..", import.meta.url).pathname;
    const found = sourceFiles(root).filter((path) => Deno.readTextFileSync(join(root, path)).includes(word));
    assertEquals(found, [...at]);
  });
}
