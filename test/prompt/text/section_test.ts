import { sourceFiles } from "../../../scripts/check_layers.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { SECTIONS } from "../../../src/prompt/sections/mod.ts";

const CLOCK_READERS = `import type { PromptInputs } from "${new URL("../../../src/core/prompt.ts", import.meta.url)}";
import type { Section } from "${new URL("../../../src/prompt/text/section.ts", import.meta.url)}";
export type Used = PromptInputs;
const common = { id: "clock", profiles: ["full"] } as const;
export const a: Section = { ...common, stability: "dynamic", render: (all) => ({ text: all.runtime.os, sources: [] }) };
export const b: Section = { ...common, stability: "stable", render: (all) => ({ text: all.runtime.os, sources: [] }) };
export const c: Section = { ...common, stability: "stable", render: (all: PromptInputs) => ({ text: "", sources: [] }) };
`;

Deno.test("Section R34 a stable one can neither read the clock nor ask for inputs that have it; a dynamic one can", () => {
  const folder = Deno.makeTempDirSync();
  try {
    const file = `${folder}/section.ts`;
    Deno.writeTextFileSync(file, CLOCK_READERS);
    const { code, stderr } = new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", "--config", fromFileUrl(new URL("../../../deno.json", import.meta.url)), file],
      env: { NO_COLOR: "1" },
    }).outputSync();
    const text = new TextDecoder().decode(stderr);
    assertEquals(code, 1);
    const lines = [...text.matchAll(/section\.ts:(\d+):\d+$/gm)].map((match) => Number(match[1]));
    assertEquals([...new Set(lines)].toSorted(), [6, 7], text);
    assertStringIncludes(text, "Property 'runtime' does not exist on type 'StableInputs'");
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("SECTIONS R34 R35 have unique ids, stable ones first", () => {
  const ids = SECTIONS.map((section) => section.id);
  assertEquals(new Set(ids).size, ids.length);
  for (const id of ids) assert(/^[a-z_]+$/.test(id), id);
  const stabilities = SECTIONS.map((section) => section.stability);
  assert(stabilities.lastIndexOf("stable") < stabilities.indexOf("dynamic"));
});

Deno.test("src/prompt R30 imports core and itself, and touches neither disk, clock nor environment", () => {
  const root = new URL("../../../src/prompt/", import.meta.url);
  const repository = new URL("../../../", import.meta.url).pathname;
  const files = sourceFiles(repository).filter((path) => path.startsWith("src/prompt/")).map((path) => path.slice(11));
  assert(files.length > 20);
  for (const file of files) {
    const url = new URL(file, root);
    const text = Deno.readTextFileSync(url);
    const imported = [...text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
    for (const name of imported.filter((name) => name !== "node:crypto")) {
      const target = new URL(name, url).href;
      assert(target.startsWith(root.href) || target.startsWith(new URL("../core/", root).href), `${file}: ${name}`);
    }
    assert(!/\bDeno\.|\bDate\b|Math\.random|performance\.|process\./.test(text), file);
  }
});
