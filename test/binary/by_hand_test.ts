// The ways to the program that need nothing of this repository's build: `deno compile main.ts` and `deno install -g`.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { registryRuntime } from "../../scripts/build/base_runtime.ts";
import { cassette, inWorkspace, type Program, run } from "../helpers/program.ts";

const root = dirname(dirname(dirname(fromFileUrl(import.meta.url))));
const CACHE = Deno.env.get("DENO_DIR") ?? join(Deno.env.get("HOME") ?? "/", ".cache", "deno");

/** Runs Deno in the repository; its standard error joins a failure. */
async function deno(program: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd: root,
    env: { DENO_NO_UPDATE_CHECK: "1", DENO_DIR: CACHE, DENO_TLS_CA_STORE: "mozilla,system", ...env },
    stdout: "null",
    stderr: "piped",
  }).output();
  assert(success, new TextDecoder().decode(stderr));
}

/** The whole of it: prompt, skills, documentation, tools in their sandbox, an extension. */
async function assertWhole(program: Program, env: Readonly<Record<string, string>>): Promise<void> {
  await inWorkspace({ "a.txt": "the text of a\n" }, async ({ ws, home }) => {
    const sandpiper = (...args: readonly string[]) => run(program, args, { cwd: ws, env: { HOME: home, ...env } });
    const skills = JSON.parse((await sandpiper("skills", "--json")).stdout);
    const { path } = skills.skills.find(({ name }: { readonly name: string }) => name === "debug");
    const prompt = await sandpiper("prompt");
    assertEquals(prompt.code, 0, prompt.stderr);
    assertStringIncludes(prompt.stdout, dirname(path));
    const calls = [
      { name: "read", args: { path: "a.txt" } },
      { name: "read", args: { path } },
      { name: "bash", args: { command: "cat a.txt; echo no > /etc/sandpiper-test" } },
    ];
    const file = cassette(home, [{ calls }, { expect: ["the text of a", "name: debug", "Denied"], text: "Seen." }]);
    const extension = join(root, "docs", "examples", "extensions", "plan_mode.ts");
    const said = await sandpiper("-p", "-e", extension, "-m", `replay:${file}`, "look");
    assertEquals([said.code, said.stdout], [0, "Seen.\n"], said.stderr);
  });
}

Deno.test("deno compile of main.ts by hand gives a binary that is whole", async () => {
  const { deno: compiler, file } = await registryRuntime(join(root, "dist", "base"));
  const folder = Deno.makeTempDirSync();
  try {
    const out = join(folder, "sandpiper");
    await deno(compiler, ["compile", "-A", "-o", out, "main.ts"], file ? { DENORT_BIN: file } : {});
    await assertWhole({ name: "by hand", command: [out] }, {});
    // It has no mark where an archive would end, and takes one all the same.
    const packed = join(folder, "packed");
    const made = await run({ name: "by hand", command: [out] }, ["pack", "-o", packed, "--policy", "--read-only"], {
      cwd: folder,
      env: { HOME: folder },
    });
    assertEquals(made.code, 0, made.stderr);
    const { stdout } = await run({ name: "packed", command: [packed] }, ["--fingerprint"], { cwd: folder });
    assertStringIncludes(made.stdout, stdout.trim() || "nothing");
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("deno install -g of main.ts gives a command that is whole", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    const place = ["-g", "-A", "--no-lock", "--config", "deno.json", "--root", folder, "--name", "sandpiper"];
    await deno(Deno.execPath(), ["install", ...place, "main.ts"], {});
    const path = `${dirname(Deno.execPath())}:${Deno.env.get("PATH")}`;
    await assertWhole({ name: "installed", command: [join(folder, "bin", "sandpiper")] }, {
      DENO_DIR: CACHE,
      PATH: path,
    });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
