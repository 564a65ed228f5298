import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { cassette, inWorkspace } from "../helpers/program.ts";

const root = fromFileUrl(new URL("../..", import.meta.url)).replace(/\/$/, "");
const page = Deno.readTextFileSync(`${root}/docs/sdk.md`);

/** Each program of the page, with the replies that its model gives and what it prints. */
const EXAMPLES = [...page.matchAll(/```ts\n([\s\S]*?)```(?:\n\n<!-- replies: (.*?) prints: (.*?) -->)?/g)]
  .map(([, code = "", replies, prints]) => ({ code, replies, prints }));

/** A configuration as the page describes it. */
function configure(folder: string): string {
  const { imports, unstable, compilerOptions } = JSON.parse(Deno.readTextFileSync(`${root}/deno.json`));
  const path = `${folder}/deno.json`;
  Deno.writeTextFileSync(
    path,
    JSON.stringify({
      nodeModulesDir: "none",
      lock: false,
      unstable,
      imports: { ...imports, sandpiper: `${root}/src/mod.ts` },
      compilerOptions: { ...compilerOptions, types: [`${root}/types/std.d.ts`] },
    }),
  );
  return path;
}

async function deno(args: readonly string[], cwd: string, home: string) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env: { HOME: home, NO_COLOR: "1", DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno` },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

for (const [index, { code, replies, prints }] of EXAMPLES.entries()) {
  Deno.test(`docs/sdk.md: program ${index + 1} runs and prints what the page says`, async () => {
    if (replies === undefined || prints === undefined) throw new Error("the page does not say what it prints");
    await inWorkspace({}, async ({ ws, home }) => {
      const model = `replay:${cassette(home, JSON.parse(replies))}`;
      const file = `${home}/example.ts`;
      Deno.writeTextFileSync(file, code.replaceAll('"gpt-5-mini"', JSON.stringify(model)));
      const ran = await deno(["run", "-A", "--no-prompt", "--quiet", "--config", configure(home), file], ws, home);
      assertEquals(ran, { code: 0, stdout: prints.replaceAll("\\n", "\n") + "\n", stderr: "" });
    });
  });
}

Deno.test("docs/sdk.md: its programs have no type errors", async () => {
  assertEquals(EXAMPLES.length, 7);
  await inWorkspace({}, async ({ ws, home }) => {
    const files = EXAMPLES.map(({ code }, index) => {
      const file = `${home}/example${index}.ts`;
      Deno.writeTextFileSync(file, code);
      return file;
    });
    const { code, stderr } = await deno(["check", "--quiet", "--config", configure(home), ...files], ws, home);
    assertEquals([code, stderr], [0, ""]);
  });
});
