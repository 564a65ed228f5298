import { assertEquals } from "@std/assert";

Deno.test("docs/prompt.md R411 lists what shapes the prompt, the gentlest first", () => {
  const page = Deno.readTextFileSync(new URL("../../docs/prompt.md", import.meta.url));
  const section = page.split("## Shaping the prompt")[1]?.split("\n## ")[0] ?? "";
  const points = section.split("\n").flatMap((line) => /^\d\. (.*)/.exec(line)?.[1] ?? []);
  const named = ["IDENTITY.md", "SKILL.md", "SCRIPTS.md", "augment", "builder"];
  assertEquals(points.map((point, index) => point.includes(named[index] ?? "?")), named.map(() => true));
});
