import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { inWorkspace, type Program, run } from "../helpers/program.ts";

const skill = (name: string, more = ""): string => `---\nname: ${name}\ndescription: Does it.\n${more}---\nText.\n`;

const FILES = {
  ".sandpiper/skills/mine/SKILL.md": skill("mine"),
  ".sandpiper/skills/review/SKILL.md": skill("review"),
  ".sandpiper/skills/manual/SKILL.md": skill("manual", "disable-model-invocation: true\n"),
  ".sandpiper/skills/broken/SKILL.md": "# No block",
  "loose/extra/SKILL.md": skill("extra"),
};

/** What `sandpiper skills` tells of a workspace. */
export function skillCommands(program: Program): void {
  const test = (name: string, work: () => Promise<void>): void => Deno.test(`${program.name}: ${name}`, work);

  test("skills list tells what was found, hidden and rejected, with the reason R119 R121 R135 R144", async () => {
    await inWorkspace(FILES, async ({ ws, home }) => {
      const options = { cwd: ws, env: { HOME: home } };
      const ran = await run(program, ["skills", "list", "--json", "--trust", "--skill", "loose"], options);
      const found = JSON.parse(ran.stdout);
      const shown = found.skills.map((one: Record<string, string>) => `${one.name} ${one.origin} ${one.status}`);
      assertEquals([ran.code, shown], [0, [
        "commit bundled active",
        "debug bundled active",
        "extra explicit active",
        "manual project non-implicit",
        "mine project active",
        "review project active",
      ]], ran.stderr);
      assertEquals(found.shadowed.map((one: Record<string, string>) => [one.name, one.winner]), [
        ["review", join(ws, ".sandpiper/skills/review/SKILL.md")],
      ]);
      assertEquals(found.rejected.map((one: Record<string, string>) => one.path), [
        join(ws, ".sandpiper/skills/broken/SKILL.md"),
      ]);
      const text = (await run(program, ["skills", "--trust"], options)).stdout;
      for (const part of ["manual", "[non-implicit: ", "Hidden:", "Rejected:", "does not begin with a block"]) {
        assertStringIncludes(text, part);
      }
    });
  });

  test("skills list of an untrusted project leaves its skills out and says so R145", async () => {
    await inWorkspace(FILES, async ({ ws, home }) => {
      const ran = await run(program, ["skills"], { cwd: ws, env: { HOME: home } });
      assertEquals([ran.code, ran.stdout.includes("mine/SKILL.md"), ran.stdout.includes("not trusted")], [
        0,
        false,
        true,
      ]);
    });
  });

  test("skills validate judges by the standard, with exit code 0 or 1 X7", async () => {
    await inWorkspace({ ...FILES, "good/fine/SKILL.md": skill("fine"), "empty/a": "" }, async ({ ws, home }) => {
      const validate = async (...args: string[]) => {
        const { code, stdout } = await run(program, ["skills", "validate", ...args], { cwd: ws, env: { HOME: home } });
        return { code, stdout };
      };
      assertEquals(await validate("good/fine"), { code: 0, stdout: `valid    ${ws}/good/fine\n` });
      const many = await validate("--json", "good", ".sandpiper/skills/manual", "empty");
      const verdicts = JSON.parse(many.stdout).map((one: Record<string, unknown>) => [one.path, one.valid]);
      assertEquals([many.code, verdicts], [1, [
        [`${ws}/good/fine`, true],
        [`${ws}/.sandpiper/skills/manual`, false],
        [`${ws}/empty`, false],
      ]]);
      const usage = await run(program, ["skills", "validate"], { cwd: ws, env: { HOME: home } });
      assertEquals(usage.code, 2);
    });
  });
}
