import { assertEquals } from "@std/assert";
import { SECTIONS } from "../../src/prompt/sections/mod.ts";

const read = (page: string): string => Deno.readTextFileSync(new URL(`../../docs/${page}`, import.meta.url));
const partOf = (page: string, heading: string): string => page.split(`## ${heading}`)[1]?.split("\n## ")[0] ?? "";

Deno.test("docs/prompt.md R411 lists what shapes the prompt, the gentlest first", () => {
  const section = partOf(read("prompt.md"), "Choose a way to change the prompt");
  const points = section.split("\n").flatMap((line) => /^\d\. (.*)/.exec(line)?.[1] ?? []);
  const named = ["IDENTITY.md", "SKILL.md", "SCRIPTS.md", "augment", "builder"];
  assertEquals(points.map((point, index) => point.includes(named[index] ?? "?")), named.map(() => true));
});

Deno.test("docs/prompt.md R34 has every section in its place, with its half and its profiles", () => {
  const rows = partOf(read("prompt.md"), "Sections").matchAll(/^\| `(\w+)`[^|]*\|([^|]*)\|([^|]*)\|/gm);
  const listed = [...rows].map(([, id, ...cells]) => [id, ...cells.map((cell) => cell.trim())]);
  const known = SECTIONS.map(({ id, stability, profiles }) => [id, stability, profiles.join(", ")]);
  assertEquals(listed.slice(0, known.length), known);
  assertEquals(listed.slice(known.length).map(([id]) => id), ["extension_prompt", "custom_prompt"]);
});

Deno.test("docs/skills.md R106 names all places of skills", () => {
  assertEquals(partOf(read("skills.md"), "Locations").match(/^\d\. /gm)?.length, 8);
});
