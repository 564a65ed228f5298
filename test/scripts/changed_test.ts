import { assert, assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { reach, reachedBy, readGraph } from "../../scripts/tests/changed.ts";

/** A product of which every kind of reference is there once. */
const FILES: Readonly<Record<string, string>> = {
  "main.ts": `const { main } = await import("./src/cli/main.ts");`,
  "src/cli/main.ts": `import "./types.ts"; new Worker(new URL("./worker.ts", import.meta.url));`,
  "src/cli/types.ts": "",
  "src/cli/worker.ts": "",
  "src/core/text.ts": `const up = "../";`,
  "src/core/alone.ts": "",
  "docs/a.md": "",
  "docs/b.md": "",
  "docs/c.md": "",
  "test/fixtures/one.txt": "",
  "test/helpers/program.ts": `const root = dirname(dirname(dirname(here))); join(root, "main.ts");`,
  "test/e2e/e2e_test.ts": `import { run } from "../helpers/program.ts";`,
  "test/core/text_test.ts": `import { text } from "../../src/core/text.ts"; new URL("../fixtures", import.meta.url);`,
  "test/core/page_test.ts": `new URL("../../docs/a.md", import.meta.url);`,
  "test/docs/pages_test.ts":
    'const root = new URL("../..", import.meta.url); for (const one of all) read(`docs/${one}`);',
};
const TESTS = Object.keys(FILES).filter((path) => path.endsWith("_test.ts"));
const EVERY = [...TESTS].sort();

/** Works with the product in a folder of its own. */
async function inProduct(work: (root: string) => void | Promise<void>): Promise<void> {
  const root = Deno.makeTempDirSync({ prefix: "changed-" });
  try {
    for (const [path, text] of Object.entries(FILES)) {
      Deno.mkdirSync(dirname(join(root, path)), { recursive: true });
      Deno.writeTextFileSync(join(root, path), text);
    }
    await work(root);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

const CASES: readonly (readonly [what: string, changed: readonly string[], reached: readonly string[]])[] = [
  ["nothing", [], []],
  ["a test itself", ["test/core/text_test.ts"], ["test/core/text_test.ts"]],
  ["a module that a test imports", ["src/core/text.ts"], ["test/core/text_test.ts"]],
  ["a module that only the program loads", ["src/cli/types.ts"], ["test/e2e/e2e_test.ts"]],
  ["a worker's script", ["src/cli/worker.ts"], ["test/e2e/e2e_test.ts"]],
  ["a file in a folder that a test names", ["test/fixtures/one.txt"], ["test/core/text_test.ts"]],
  ["a page that a test names by itself, and one that names the folder", ["docs/a.md"], [
    "test/core/page_test.ts",
    "test/docs/pages_test.ts",
  ]],
  ["a page that only the folder has", ["docs/b.md"], ["test/docs/pages_test.ts"]],
  ["what no test reads", ["CHANGELOG.md", ".ci/run"], []],
  ["two files", ["src/cli/types.ts", "docs/b.md", "LICENSE"], ["test/docs/pages_test.ts", "test/e2e/e2e_test.ts"]],
  ["a module that no test reaches: all", ["src/core/alone.ts"], EVERY],
  ["a file that is gone: all", ["src/core/gone.ts"], EVERY],
  ["settings of the runtime: all", ["deno.json"], EVERY],
  ["the runner of the tests: all", ["scripts/tests/groups.ts"], EVERY],
];
for (const [what, changed, reached] of CASES) {
  Deno.test(`reach() knows the tests of ${what}`, () =>
    inProduct((root) => {
      assertEquals([...reach(changed, readGraph(root, Object.keys(FILES)), TESTS).tests].sort(), reached);
    }));
}

Deno.test("reachedBy() sees what git does not know yet and what was committed since the base; all without git", () =>
  inProduct(async (root) => {
    const git = (...args: string[]): void => {
      const { success, stderr } = new Deno.Command("git", {
        args: ["-C", root, "-c", "user.name=a", "-c", "user.email=a@localhost", ...args],
        env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
      }).outputSync();
      assert(success, new TextDecoder().decode(stderr));
    };
    assertEquals(await reachedBy(root, undefined, TESTS), TESTS);
    git("init", "-q", "-b", "main");
    git("add", ".");
    git("commit", "-q", "-m", "all");
    assertEquals(await reachedBy(root, undefined, TESTS), []);
    git("checkout", "-q", "-b", "work");
    Deno.writeTextFileSync(join(root, "docs/b.md"), "changed");
    git("commit", "-q", "-a", "-m", "page");
    assertEquals(await reachedBy(root, undefined, TESTS), ["test/docs/pages_test.ts"]);
    assertEquals(await reachedBy(root, "HEAD", TESTS), []);
    Deno.writeTextFileSync(join(root, "test/core/new_test.ts"), "");
    assertEquals(await reachedBy(root, "HEAD", [...TESTS, "test/core/new_test.ts"]), ["test/core/new_test.ts"]);
    assertEquals(await reachedBy(root, "no-such-commit", TESTS), TESTS);
  }));
