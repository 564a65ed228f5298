import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { inWorkspace, PROGRAM, run } from "../helpers/program.ts";

const SKILL = "---\nname: shout\ndescription: Says it louder. Use when asked to shout.\n---\nWrite in capitals.\n";

/** Odd ways to ask for the prompt, and what a person is told. */
const ASKED: readonly { readonly args: readonly string[]; readonly code: number; readonly says: string }[] = [
  { args: ["--section", "nope"], code: 2, says: 'There is no section "nope"' },
  { args: ["--section", "memory_summaries"], code: 2, says: 'Section "memory_summaries" is not in this prompt' },
  { args: ["--section", "project_context"], code: 2, says: "AGENTS.md: It is not UTF-8 text. Convert it" },
  { args: ["--section", "guidelines", "--profile", "none"], code: 2, says: "this prompt has identity_base" },
  { args: ["--stable", "--dynamic"], code: 2, says: "Cannot print --stable and --dynamic at once" },
  { args: ["--json", "--manifest"], code: 2, says: "Cannot print --json and --manifest at once" },
  { args: ["--profile", "large"], code: 2, says: "it takes full, minimal, none" },
  { args: ["--skill", "nowhere"], code: 0, says: "nowhere: No skill here: there is no SKILL.md" },
  { args: [], code: 0, says: "AGENTS.md is left out. It is not UTF-8 text" },
  { args: ["/skill:none", "x"], code: 0, says: 'There is no skill "none"' },
];

Deno.test("sandpiper prompt R43 R96 R114 tells what was asked wrongly, and what of the files cannot be used", async (t) => {
  await inWorkspace({}, async ({ ws, home }) => {
    Deno.writeFileSync(join(ws, "AGENTS.md"), new Uint8Array([0xff, 0xfe, 0x41]));
    for (const { args, code, says } of ASKED) {
      await t.step(`prompt ${args.join(" ")}`, async () => {
        const ran = await run(PROGRAM, ["prompt", ...args], { cwd: ws, env: { HOME: home } });
        assertEquals(ran.code, code, ran.stderr);
        assertStringIncludes(ran.stderr, says);
        assertEquals(ran.stdout === "", code === 2);
      });
    }
    const quiet = await run(PROGRAM, ["prompt", "--quiet"], { cwd: ws, env: { HOME: home } });
    assertEquals([quiet.code, quiet.stderr], [0, ""]);
  });
});

Deno.test("sandpiper prompt --manifest R346 templates that cannot be used are among its diagnostics, and told at the start", async () => {
  await inWorkspace({ ".sandpiper/prompts/project.md": "x" }, async ({ ws, home }) => {
    const folder = join(home, ".sandpiper/agent/prompts");
    Deno.mkdirSync(join(folder, "folder.md"), { recursive: true });
    Deno.symlinkSync("nothing", join(folder, "link.md"));
    const { code, stdout, stderr } = await run(PROGRAM, ["prompt", "--manifest"], { cwd: ws, env: { HOME: home } });
    assertEquals(code, 0, stderr);
    const told: readonly { readonly code: string; readonly message: string; readonly file?: string }[] =
      JSON.parse(stdout).diagnostics;
    const ours = told.filter(({ file = "" }) => file.includes("/prompts"));
    assertEquals(ours.map(({ code, file }) => [code, file]), [
      ["untrusted", join(Deno.realPathSync(ws), ".sandpiper/prompts")],
      ["template_invalid", join(folder, "folder.md")],
      ["template_invalid", join(folder, "link.md")],
    ]);
    for (const { file, message } of ours) assertStringIncludes(stderr, `${file}: ${message}`);
  });
});

Deno.test("sandpiper prompt with words R56 R126 R135 is the prompt of that message, its skills included", async () => {
  await inWorkspace({ "own/shout/SKILL.md": SKILL }, async ({ ws, home }) => {
    const shown = async (...args: string[]) =>
      (await run(PROGRAM, ["prompt", "--skill", "own", ...args], { cwd: ws, env: { HOME: home } })).stdout;
    assertStringIncludes(await shown("--section", "skills_runtime", "Say hello", "with $shout"), "Write in capitals.");
    const [plain, named] = [JSON.parse(await shown("--json")), JSON.parse(await shown("--json", "$shout"))];
    assertEquals([plain.dynamic.includes("[Skills]"), named.dynamic.includes("[Skills]")], [false, true]);
    assertEquals(named.manifest.fingerprints.stable, plain.manifest.fingerprints.stable);
    const entry = named.manifest.sections.find((one: { id: string }) => one.id === "skills_runtime");
    assertEquals(entry.sources.map((one: { ref: string; reason: string }) => [one.ref, one.reason]), [[
      "shout",
      "explicit",
    ]]);
  });
});

Deno.test("sandpiper prompt --json R401 R402 R405 has the user's notes when the user's own setting asks for them, and only then", async () => {
  await inWorkspace({ ".sandpiper/settings.json": '{"memory": true}' }, async ({ ws, home }) => {
    const yesterday = new Date(Date.now() - 24 * 3600 * 1000).toISOString().slice(0, 10);
    const folder = join(home, ".sandpiper/agent");
    Deno.mkdirSync(join(folder, "memory", yesterday), { recursive: true });
    Deno.writeTextFileSync(join(folder, "memory/index.md"), "- Releases are on Mondays\n");
    Deno.writeTextFileSync(join(folder, "memory", yesterday, "login.md"), "---\nsummary: Mended the login\n---\n");
    const compiled = async (settings: object, ...args: string[]) => {
      Deno.writeTextFileSync(join(folder, "settings.json"), JSON.stringify(settings));
      const ran = await run(PROGRAM, ["prompt", "--json", "--trust", ...args], { cwd: ws, env: { HOME: home } });
      assertEquals(ran.code, 0, ran.stderr);
      return JSON.parse(ran.stdout);
    };
    const ids = (prompt: { manifest: { sections: { id: string }[] } }) => prompt.manifest.sections.map(({ id }) => id);
    const [on, off] = [await compiled({ memory: true }), await compiled({ memory: false })];
    assertEquals(ids(on).slice(-2), ["memory_summaries", "runtime_facts"]);
    assertStringIncludes(on.dynamic, "Lasting:\n- Releases are on Mondays\n");
    assertStringIncludes(on.dynamic, `- ${yesterday}: Mended the login\n`);
    assertEquals(on.stable, off.stable);
    const without = [off, await compiled({}), await compiled({ memory: true }, "--no-context-files")];
    for (const prompt of without) assertEquals(ids(prompt).includes("memory_summaries"), false);
  });
});
