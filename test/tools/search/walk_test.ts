import { assert, assertEquals } from "@std/assert";
import { walk } from "../../../tools/search/walk.ts";
import { type SearchWorkspace, searchWorkspace } from "../../helpers/search_workspace.ts";

function walked({ root, context }: SearchWorkspace, from = ""): string[] {
  const found = walk(context.files, root + from, { workspace: root });
  return [...found].map(({ relative, isDirectory }) => relative + (isDirectory ? "/" : ""));
}

Deno.test("walk() lists folders before their content, by name, and hidden entries too", () => {
  using workspace = searchWorkspace({ "b/y": "", "b/x": "", "a": "", ".h/z": "", "B": "" });
  assertEquals(walked(workspace), [".h/", ".h/z", "B", "a", "b/", "b/x", "b/y"]);
});

Deno.test("walk() never enters .git, be it a folder or a worktree's file", () => {
  using workspace = searchWorkspace({ ".git/config": "", "sub/.git": "gitdir: x", "sub/a": "", "x/.git/y": "" });
  assertEquals(walked(workspace), ["sub/", "sub/a", "x/"]);
});

Deno.test("walk() reports links and does not follow them R460", () => {
  using workspace = searchWorkspace({ "real/a": "" });
  Deno.symlinkSync("real", workspace.root + "/link");
  Deno.symlinkSync("..", workspace.root + "/real/loop");
  assertEquals(walked(workspace), ["link", "real/", "real/a", "real/loop"]);
});

Deno.test("walk() passes over folders that may not be read", () => {
  using workspace = searchWorkspace({ "a": "", "secret/key": "" });
  assertEquals(walked(workspace), ["a", "secret/"]);
});

Deno.test("walk() applies each .gitignore to its own folder and below", () => {
  using workspace = searchWorkspace({
    ".gitignore": "*.log\n/only-top\n",
    "a/.gitignore": "!keep.log\nlocal\n",
    "a/keep.log": "",
    "a/x.log": "",
    "a/local": "",
    "a/only-top": "",
    "b/keep.log": "",
    "b/local": "",
    "only-top": "",
  });
  assertEquals(walked(workspace), [".gitignore", "a/", "a/.gitignore", "a/keep.log", "a/only-top", "b/", "b/local"]);
});

Deno.test("walk() cannot re-include what lies in an excluded folder", () => {
  using workspace = searchWorkspace({ ".gitignore": "dist/\n!dist/keep\n", "dist/keep": "", "dist/.gitignore": "!*" });
  assertEquals(walked(workspace), [".gitignore"]);
});

Deno.test("walk() lets .ignore overrule .gitignore", () => {
  using workspace = searchWorkspace({
    ".gitignore": "*.gen\n",
    ".ignore": "!a.gen\nb.txt\n",
    "a.gen": "",
    "b.txt": "",
    "c.gen": "",
  });
  assertEquals(walked(workspace), [".gitignore", ".ignore", "a.gen"]);
});

Deno.test("walk() from a subfolder honours the ignore files above it, up to the repository", () => {
  using workspace = searchWorkspace({
    ".gitignore": "*.log\n",
    ".git/info/exclude": "*.tmp\n",
    "sub/deep/a.log": "",
    "sub/deep/a.tmp": "",
    "sub/deep/b": "",
    "other/.git/HEAD": "",
    "other/a.log": "",
  });
  assertEquals(walked(workspace, "/sub/deep"), ["b"]);
  assertEquals(walked(workspace, "/other"), ["a.log"]);
  assertEquals(walked(workspace).includes("other/a.log"), true);
});

Deno.test("walk() from an ignored folder searches it, since it was asked for", () => {
  using workspace = searchWorkspace({ ".gitignore": "vendor/\n*.log\n", "vendor/a": "", "vendor/b.log": "" });
  assertEquals(walked(workspace, "/vendor"), ["a"]);
});

Deno.test("walk() leaves out pruned folders with their content", () => {
  using workspace = searchWorkspace({ "a/x": "", "b/x": "" });
  const { root, context } = workspace;
  const found = walk(context.files, root, { workspace: root, prune: ({ name }) => name === "a" });
  assertEquals([...found].map(({ relative }) => relative), ["b", "b/x"]);
});

/** Small alphabets make rules and names meet often. */
function randomCase(seed: number): Record<string, string> {
  let state = seed * 2_654_435_761 >>> 0;
  const below = (limit: number): number => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223 >>> 0;
    return Math.floor(state / 4_294_967_296 * limit);
  };
  const pick = (from: readonly string[]): string => from[below(from.length)] ?? "";
  const names = ["a", "b", "ab", "a.o", "b.o", ".a", "a b", "abc"];
  const parts = [
    ...names,
    "*",
    "*.o",
    "a*",
    "?",
    "[ab]",
    "[!a]*",
    "**",
    "*b*",
    "\\a",
    "a?",
    ".*",
    "a\\ b",
    "[a-",
    "**b",
  ];
  const rule = (): string => {
    const path = Array.from({ length: 1 + below(3) }, () => pick(parts)).join("/");
    return pick(["", "", "", "!"]) + pick(["", "", "/"]) + path + pick(["", "", "/", " "]);
  };
  const content: Record<string, string> = {};
  const taken = new Set<string>();
  for (let i = 0; i < 30; i++) {
    const path = Array.from({ length: 1 + below(4) }, () => pick(names));
    const folders = path.slice(0, -1).map((_, end) => path.slice(0, end + 1).join("/"));
    if (taken.has(path.join("/")) || folders.some((folder) => folder in content)) continue;
    content[path.join("/")] = "";
    for (const folder of folders) taken.add(folder);
    taken.add(path.join("/"));
  }
  content[".gitignore"] = Array.from({ length: 1 + below(5) }, rule).join("\n") + "\n";
  for (const folder of ["a", "b", "a/b", "ab"]) {
    if (taken.has(folder) && !(folder in content) && below(2) === 0) {
      content[folder + "/.gitignore"] = Array.from({ length: 1 + below(3) }, rule).join("\n") + "\n";
    }
  }
  return content;
}

Deno.test("walk() finds exactly the files that git does not ignore, on random trees and rules", () => {
  let ignored = 0;
  for (let seed = 1; seed <= 50; seed++) {
    const content = randomCase(seed);
    using workspace = searchWorkspace(content);
    const git = (...args: string[]): string => {
      const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", PATH: Deno.env.get("PATH") ?? "" };
      const output = new Deno.Command("git", { args, cwd: workspace.root, env, clearEnv: true }).outputSync();
      assert(output.success, new TextDecoder().decode(output.stderr));
      return new TextDecoder().decode(output.stdout);
    };
    git("init", "-q");
    const expected = git("ls-files", "--others", "--exclude-standard", "-z").split("\0").filter((path) => path !== "");
    const actual = walked(workspace).filter((path) => !path.endsWith("/"));
    assertEquals(actual.sort(), expected.sort(), `seed ${seed}: ${JSON.stringify(content)}`);
    ignored += Object.keys(content).length - actual.length;
  }
  // Without this the rules might never have matched anything.
  assert(ignored > 200, `only ${ignored} files ignored`);
});
