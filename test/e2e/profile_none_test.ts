import { assertEquals, assertStringIncludes } from "@std/assert";
import { join, resolve } from "@std/path";
import { cassette, inWorkspace, LAZY_SOURCE, run } from "../helpers/program.ts";
import { needs } from "../helpers/needs.ts";

const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}\n---\nDo ${name}.\n`;
const FILES = {
  "SOUL.md": "soul",
  "AGENTS.md": "agents",
  ".sandpiper/SOUL.md": "own soul",
  ".sandpiper/skills/a/SKILL.md": skill("a"),
};

/**
 * The Markdown files that a command opened for reading; strace names the directory of a descriptor. The launcher creates an
 * empty README.md in a new root, to mount the real one there.
 */
function opened(trace: string): readonly string[] {
  return [...trace.matchAll(/openat\([^<"]*<([^>"]*)>, "([^"]*\.md)", (?!O_WRONLY)/g)].map((
    [, folder = "", path = ""],
  ) => resolve(folder, path));
}

Deno.test({
  ...needs(["strace"], "with --profile none no persona file and no SKILL.md is opened, trusted or not R42"),
  fn: () =>
    inWorkspace(FILES, async ({ ws, home }) => {
      const users = join(home, ".sandpiper/agent/skills/b");
      Deno.mkdirSync(users, { recursive: true });
      Deno.writeTextFileSync(join(users, "SKILL.md"), skill("b"));
      const settings = JSON.stringify({ skills: { load: ["b"] } });
      Deno.writeTextFileSync(join(home, ".sandpiper/agent/settings.json"), settings);
      const file = cassette(home, [{ text: "Done." }]);
      const traced = async (...args: readonly string[]): Promise<readonly string[]> => {
        const trace = join(home, "trace");
        const program = {
          name: "traced",
          command: ["strace", "-f", "-y", "-e", "openat", "-o", trace, ...LAZY_SOURCE.command],
        };
        const ran = await run(program, ["-p", "-m", `replay:${file}`, ...args, "hi"], { cwd: ws, env: { HOME: home } });
        assertEquals([ran.code, ran.stdout], [0, "Done.\n"], ran.stderr);
        return opened(Deno.readTextFileSync(trace));
      };
      assertEquals(await traced("--profile", "none"), []);
      assertEquals(await traced("--profile", "none", "--trust"), []);
      // It is this that the look at the trace would find.
      assertStringIncludes((await traced("--trust")).join("\n"), "SKILL.md");
      // What is named is opened all the same.
      const named = await traced("--profile", "none", "--skill", ".sandpiper/skills/a");
      assertEquals(named, [join(ws, ".sandpiper/skills/a/SKILL.md")]);
    }),
});
