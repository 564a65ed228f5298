import { assertEquals } from "@std/assert";
import { runDeno, SDK_PROGRAMS } from "../docs/embedding.ts";
import { cassette, inWorkspace } from "../helpers/program.ts";

for (const [index, { code, replies, prints }] of SDK_PROGRAMS.entries()) {
  Deno.test(`docs/sdk.md: program ${index + 1} runs and prints what the page says`, async () => {
    if (replies === undefined || prints === undefined) throw new Error("the page does not say what it prints");
    await inWorkspace({}, async (place) => {
      const model = `replay:${cassette(place.home, JSON.parse(replies))}`;
      const file = `${place.home}/example.ts`;
      Deno.writeTextFileSync(file, code.replaceAll('"gpt-5-mini"', JSON.stringify(model)));
      const ran = await runDeno(["run", "-A", "--no-prompt", file], place);
      assertEquals(ran, { code: 0, stdout: prints.replaceAll("\\n", "\n") + "\n", stderr: "" });
    });
  });
}
