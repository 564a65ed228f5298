import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import {
  PRIVATE_GIT_CONFIG,
  privateGitConfig,
  writePrivateGitConfig,
} from "../../../src/sandbox/git/private_config.ts";
import { disk } from "../../../src/sandbox/system/disk.ts";
import { inPlace } from "../../e2e/permission_place.ts";
import { makeWorld } from "../confined_world.ts";
import { canMakeMachines, type Left, onMachine, withoutNamespaces } from "../machine.ts";
import { CONFINED } from "../shell_fixture.ts";

/** A private configuration of files that exist only here. */
function made(files: Record<string, string>, root = "/w", env: Record<string, string> = {}): string {
  return privateGitConfig({ home: "/home/u", root, env, view: { readText: (path) => files[path] } }).config;
}

const RISKY = `[credential]
\thelper = store
[url "https://ann:hunter2@forge.example/"]
\tinsteadOf = https://forge.example/
[http]
\textraHeader = Authorization: Bearer hunter2
\tpostBuffer = 1000
[core]
\tsshCommand = ssh -i /home/u/hunter2
\tpager = hunter2
\tautocrlf = input
[alias]
\tx = !echo hunter2
[remote "o"]
\turl = https://hunter2@forge.example/r.git
[commit]
\tgpgsign = true
\tverbose = true
[user]
\tsigningkey = hunter2
\tname = Ann
`;

Deno.test("privateGitConfig() keeps name, mail and what is harmless, and nothing that signs, names a place or holds a key", () => {
  assertEquals(
    made({ "/home/u/.gitconfig": RISKY, "/home/u/.config/git/config": "[user]\n\temail = a@b.example\n" }),
    "[user]\n\temail = a@b.example\n[http]\n\tpostBuffer = 1000\n[core]\n\tautocrlf = input\n" +
      "[commit]\n\tverbose = true\n[user]\n\tname = Ann\n",
  );
});

const WORK = "[user]\n\temail = ann@work.example\n";
const INCLUDES = [
  { name: "a plain include", line: '[include]\n\tpath = "~/w.inc"', root: "/w", meant: true },
  { name: "one beside the file", line: "[include]\n\tpath = w.inc", root: "/w", meant: true },
  {
    name: "one for folders around the workspace",
    line: '[includeIf "gitdir:~/work/"]\n\tpath = ~/w.inc',
    root: "/home/u/work/a/b",
    meant: true,
  },
  {
    name: "one for other folders",
    line: '[includeIf "gitdir:~/work/"]\n\tpath = ~/w.inc',
    root: "/home/u/other",
    meant: false,
  },
  {
    name: "one with a wildcard",
    line: '[includeIf "gitdir/i:/SRV/*/a/.git"]\n\tpath = ~/w.inc',
    root: "/srv/x/a",
    meant: true,
  },
  {
    name: "one for a name anywhere",
    line: '[includeIf "gitdir:shop/"]\n\tpath = ~/w.inc',
    root: "/srv/x/shop",
    meant: true,
  },
  { name: "one for a branch", line: '[includeIf "onbranch:main"]\n\tpath = ~/w.inc', root: "/w", meant: false },
] as const;
for (const { name, line, root, meant } of INCLUDES) {
  Deno.test(`privateGitConfig() ${meant ? "follows" : "leaves out"} ${name}`, () => {
    const files = { "/home/u/.gitconfig": `[user]\n\tname = Ann\n${line}\n`, "/home/u/w.inc": WORK };
    assertEquals(made(files, root), `[user]\n\tname = Ann\n${meant ? WORK : ""}`);
  });
}

Deno.test("privateGitConfig() ends where files include each other, and reads the file that the environment names", () => {
  const files = { "/g": "[include]\n\tpath = /g\n[user]\n\tname = Bo\n", "/home/u/.gitconfig": RISKY };
  assert(made(files, "/w", { GIT_CONFIG_GLOBAL: "/g" }).startsWith("[user]\n\tname = Bo\n"));
  assert(!made(files, "/w", { GIT_CONFIG_GLOBAL: "/g" }).includes("Ann"));
});

Deno.test("writePrivateGitConfig() writes what git reads: trusted folders, ignored names without their comments", () => {
  using world = makeWorld();
  Deno.mkdirSync(join(world.home, ".config/git"), { recursive: true });
  Deno.writeTextFileSync(join(world.home, ".config/git/ignore"), "# hunter2\n*.orig\n");
  Deno.writeTextFileSync(join(world.home, ".gitconfig"), "[user]\n\tname = Ann\n[safe]\n\tdirectory = *\n");
  writePrivateGitConfig(world.tmp, { home: world.home, root: world.root, env: {}, view: disk });
  const git = (...args: string[]): string =>
    new TextDecoder().decode(
      new Deno.Command("git", {
        args,
        cwd: world.root,
        env: { GIT_CONFIG_GLOBAL: join(world.tmp, PRIVATE_GIT_CONFIG) },
      })
        .outputSync().stdout,
    );
  assertEquals([git("config", "user.name"), git("config", "safe.directory")], ["Ann\n", "*\n"]);
  git("init", "-q");
  for (const name of ["a", "a.orig"]) Deno.writeTextFileSync(join(world.root, name), "");
  assertEquals(git("status", "--porcelain"), "?? a\n");
  for (const { name } of Deno.readDirSync(world.tmp)) {
    assert(!Deno.readTextFileSync(join(world.tmp, name)).includes("hunter2"), name);
    assertEquals((Deno.statSync(join(world.tmp, name)).mode ?? 0) & 0o777, 0o600);
  }
});

for (const [level, lacks] of [["kernel+", []], ["kernel", [withoutNamespaces]]] as const) {
  Deno.test({
    name: `at ${level} a commit by a command has the person's name, and no tool reads the home's own files`,
    ignore: !CONFINED.includes(level) || (lacks.length > 0 && !canMakeMachines()),
    fn: inPlace(async ({ ws, home }) => {
      const names = [".gitconfig", ".bashrc", ".profile", ".bash_profile", ".zshrc", ".condarc", ".cargo/config.toml"];
      Deno.mkdirSync(join(home, ".cargo"));
      for (const name of names) Deno.writeTextFileSync(join(home, name), "# hunter2\n");
      Deno.writeTextFileSync(join(home, ".gitconfig"), "# hunter2\n[user]\n\tname = Ann\n\temail = ann@example.org\n");
      const program = async (...args: string[]): Promise<Left> => await onMachine(lacks, args, { cwd: ws, home });
      assertStringIncludes((await program("policy", "--json")).stdout, `"sandbox": "${level}"`);
      const script = "git init -q . && git add -A && git commit -qm x && git log --format='%an <%ae>'; " +
        `for f in ${names.join(" ")}; do cat ~/$f 2>/dev/null; done; cat $GIT_CONFIG_GLOBAL`;
      const { stdout, stderr } = await program("tool", "bash", "--", script);
      assertStringIncludes(stdout, "Ann <ann@example.org>\n", stderr);
      assert(!stdout.includes("hunter2"), stdout);
      for (const name of names) {
        const read = await program("tool", "read", JSON.stringify({ path: join(home, name) }));
        assertEquals([read.code, read.stdout.includes("hunter2")], [1, false], name);
      }
    }),
  });
}
