import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { FILES, PAGE, writeExtension } from "../docs/page.ts";
import { cassette, inWorkspace, type Program, run } from "../helpers/program.ts";

/** What docs/extensions.md promises to somebody who follows it, for the program from source and for the binary alike. */
export function extensionPromises(program: Program): void {
  const test = (name: string, work: () => Promise<void>): void => Deno.test(`${program.name}: ${name}`, work);

  test("the first extension of the page does what the page says", async () => {
    await inWorkspace({}, async ({ ws, home, outside }) => {
      const path = writeExtension(outside, "hello");
      const file = cassette(home, [
        {
          calls: [
            { name: "count_words", args: { text: "one two three" } },
            { name: "bash", args: { command: "git push origin main" } },
          ],
        },
        { text: "Three.", expect: ["3 words", "Pushing is for people"] },
      ]);
      const options = { cwd: ws, env: { HOME: home } };
      const asked = await run(program, ["-p", "-m", `replay:${file}`, "-e", path, "How many words?"], options);
      assertEquals(asked, {
        code: 0,
        stdout: "Three.\n",
        stderr: "warning: an extension blocked a call of bash: Pushing is for people. Tell the user what to push\n" +
          "warning: 1 call was denied, the last of the run. The warnings above say why\n",
      });
      const greeted = await run(program, ["-p", "-m", `replay:${file}`, "-e", path, "/hello Ada"], options);
      assertEquals([greeted.code, greeted.stdout], [0, ""], greeted.stderr);
      assertStringIncludes(greeted.stderr, "hello: Hello, Ada!");
    });
  });

  test("an extension of two files loads from the user's folder, and errors have file and line", async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      const folder = `${home}/.sandpiper/agent/extensions`;
      writeExtension(folder, "todo");
      const file = cassette(home, []);
      const options = { cwd: ws, env: { HOME: home } };
      const command = (text: string) => run(program, ["-p", "-m", `replay:${file}`, text], options);
      const noted = await command("/todo buy milk");
      assertEquals([noted.code, noted.stdout, noted.stderr.includes("- buy milk")], [0, "", true], noted.stderr);

      const items = FILES["todo/items.ts"] ?? "";
      Deno.writeTextFileSync(
        `${folder}/todo/items.ts`,
        items.replace("return [`- ${item}`]", "return [entries.none.item]"),
      );
      const failed = await command("/todo buy milk");
      const shown = /^extension todo: .*$/m.exec(PAGE)?.[0] ?? "?";
      assertStringIncludes(failed.stderr, shown.replace("/home/you", folder));

      Deno.writeTextFileSync(`${folder}/todo/items.ts`, items.replace("export function", "export function 1"));
      const broken = await command("/todo buy milk");
      assertMatch(broken.stderr, /extension todo: is not loaded: .*\/todo\/items\.ts:5:\d+\)/);
    });
  });

  test("what is printed about a missing grant, put into the settings, grants it; a change takes it away", async () => {
    await inWorkspace({ "docs/house-rules.md": "Tabs, never spaces" }, async ({ ws, home, outside }) => {
      const path = writeExtension(outside, "house_rules");
      const file = cassette(home, [{ text: "Yes.", expect: ["Tabs, never spaces"] }]);
      const ask = () =>
        run(program, ["-p", "-m", `replay:${file}`, "-e", path, "go"], { cwd: ws, env: { HOME: home } });
      const before = await ask();
      assertMatch(before.stderr, /house_rules: runs without .* not granted: read docs\/house-rules\.md\. To grant/);
      assert(before.code !== 0, before.stdout);
      const [, text = ""] = /own settings\.json: (\{.*\})$/m.exec(before.stderr) ?? [];
      Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
      Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, text);
      assertEquals(await ask(), { code: 0, stdout: "Yes.\n", stderr: "" });
      Deno.writeTextFileSync(path, `${FILES["house_rules.ts"]}\n`);
      assertMatch((await ask()).stderr, /not granted: read docs\/house-rules\.md/);
    });
  });

  test("a project's extensions load when it is trusted, and a flag arrives", async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      writeExtension(`${ws}/.sandpiper/extensions`, "language");
      const file = cassette(home, [{ text: "Ego sum.", expect: ["Answer in Latin."] }]);
      const ask = (...more: readonly string[]) =>
        run(program, ["-p", "-m", `replay:${file}`, "--flag", "language=Latin", ...more, "Who are you?"], {
          cwd: ws,
          env: { HOME: home },
        });
      assertEquals(await ask("--trust"), { code: 0, stdout: "Ego sum.\n", stderr: "" });
      const distrusted = await ask();
      assert(distrusted.code !== 0, distrusted.stdout);
      assertStringIncludes(distrusted.stderr, "not trusted");
    });
  });

  test("extensions that fill memory cost themselves, and the run goes on", async () => {
    await inWorkspace({}, async ({ ws, home, outside }) => {
      const hogs = {
        objects: "const kept = []; for (;;) kept.push({ x: 1, y: [1, 2, 3] });",
        list: "let list = [1]; for (;;) list = [...list, ...list];",
        buffers: "const kept = []; for (let i = 0;; i++) kept.push(new Uint8Array(4_000_000).fill(i));",
      };
      const paths = Object.entries(hogs).map(([name, body]) => {
        const path = `${outside}/${name}.ts`;
        const tool =
          `{ name: "${name}", description: "d", parameters: { type: "object" }, execute: () => { ${body} } }`;
        Deno.writeTextFileSync(path, `export default (sp) => { sp.registerTool(${tool}); };\n`);
        return path;
      });
      const file = cassette(home, [
        ...Object.keys(hogs).map((name) => ({ calls: [{ name, args: {} }] })),
        { text: "Alive." },
      ]);
      const args = ["-p", "-m", `replay:${file}`, ...paths.flatMap((path) => ["-e", path]), "go"];
      const ran = await run(program, args, { cwd: ws, env: { HOME: home } });
      assertEquals([ran.code, ran.stdout], [0, "Alive.\n"], ran.stderr);
      for (const name of Object.keys(hogs)) {
        assertMatch(ran.stderr, new RegExp(`extension ${name}: was ended: it took too much memory`));
      }
    });
  });

  test("the command that the page gives for a flag works as it stands", async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      writeExtension(ws, "language");
      const line = /`sandpiper (-e language\.ts .*?) "Who are you\?"`/.exec(PAGE)?.[1] ?? "";
      const file = cassette(home, [{ text: "Ego sum.", expect: ["Answer in Latin."] }]);
      const ran = await run(program, ["-m", `replay:${file}`, ...line.split(" "), "Who are you?"], {
        cwd: ws,
        env: { HOME: home },
      });
      assertEquals(ran, { code: 0, stdout: "Ego sum.\n", stderr: "" });
    });
  });
}
