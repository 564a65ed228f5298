import { assert, assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { requirementsPage } from "../../scripts/docs/requirements.ts";
import { DECIDED, OPEN, ROWS } from "../../scripts/docs/rows.ts";

function inTree(files: Readonly<Record<string, string>>, work: (root: string) => void): void {
  const root = Deno.makeTempDirSync({ prefix: "sp-rows-" });
  try {
    for (const folder of ["src", "tools", "test", "docs"]) Deno.mkdirSync(join(root, folder));
    for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(join(root, name), text);
    work(root);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

/** A test that names every row but some. */
function namesAllBut(...left: readonly string[]): Readonly<Record<string, string>> {
  const named = Object.keys(ROWS).filter((code) => !left.includes(code) && !(code in DECIDED) && !(code in OPEN));
  return { "test/all_test.ts": named.join(" ") };
}

Deno.test("requirementsPage() says of each row which tests name it, and of which a decision is the reason", () => {
  const files = { ...namesAllBut("R1"), "test/a_test.ts": "R1 R31", "test/b_test.ts": "R1", "src/a.ts": "// R488" };
  inTree(files, (root) => {
    const page = requirementsPage(root);
    const row = (code: string): string => page.split("\n").find((line) => line.startsWith(`| ${code} |`)) ?? "";
    assert(row("R1").endsWith("| [a_test.ts](../test/a_test.ts), [b_test.ts](../test/b_test.ts) |"), row("R1"));
    assert(row("R488").endsWith(`| none: ${OPEN["R488"]} |`), row("R488"));
    assert(row("R391").endsWith("| none |"), row("R391"));
    assert(row("R31").includes("Decided otherwise: [0014](decisions/0014-halves-are-values.md)."), row("R31"));
    assertEquals(page.split("\n").filter((line) => /^\| [RKX]\d/.test(line)).length, Object.keys(ROWS).length);
  });
});

Deno.test("requirementsPage() refuses a code that no row defines", () => {
  const code = ["R", "999"].join(""); // whole, it would be such a code itself
  for (const file of ["src/a.ts", "src/a.c", "docs/a.md", "AGENTS.md"]) {
    inTree({ ...namesAllBut(), [file]: `// ${code}` }, (root) => {
      assertThrows(
        () => requirementsPage(root),
        Error,
        `1 codes have no row in scripts/docs/rows.ts: ${code} in ${file}`,
      );
    });
  }
});

Deno.test("requirementsPage() refuses a row that nothing proves and nothing leaves open", () => {
  inTree(namesAllBut("R2"), (root) => {
    assertThrows(() => requirementsPage(root), Error, "no test names R2, and neither DECIDED nor OPEN");
  });
});

Deno.test("a row that is open says why in a sentence", () => {
  for (const [code, why] of Object.entries(OPEN)) assert(code in ROWS && !(code in DECIDED) && why.endsWith("."), code);
});

Deno.test("every decision that replaces a row is there", () => {
  for (const [code, name] of Object.entries(DECIDED)) {
    assert(code in ROWS, code);
    assert(Deno.statSync(new URL(`../../dev/decisions/${name}.md`, import.meta.url)).isFile);
  }
});
