import { join, relative } from "@std/path";
import { DECIDED, ROWS } from "./rows.ts";

/** A requirement's code: R and X are rows of the checklist, K are choices between its sources. */
const CODE = /\b[RKX]\d{1,3}\b/g;
const HEADINGS: Readonly<Record<string, string>> = { R: "Rows", K: "Choices", X: "Rules of open standards" };

/**
 * The page of requirements: what each code in tests and comments means, and which tests name it.
 *
 * Throws for a code that is named somewhere and has no row.
 */
export function requirementsPage(root: string): string {
  const tests = new Map<string, Set<string>>();
  const unknown = new Map<string, string>();
  for (const folder of ["src", "tools", "test", "scripts"]) {
    for (const path of sources(join(root, folder))) {
      const name = relative(root, path);
      // Names of models are no codes.
      if (name.startsWith("scripts/docs/") || name === "src/provider/models/catalogue.ts") continue;
      for (const [code] of Deno.readTextFileSync(path).matchAll(CODE)) {
        if (!(code in ROWS)) unknown.set(code, name);
        if (folder !== "test") continue;
        const files = tests.get(code) ?? new Set();
        tests.set(code, files.add(name));
      }
    }
  }
  if (unknown.size > 0) {
    const first = [...unknown].slice(0, 10).map(([code, name]) => `${code} in ${name}`).join(", ");
    throw new Error(`${unknown.size} codes have no row in scripts/docs/rows.ts: ${first}`);
  }
  const lines = [
    "# Requirements",
    "",
    "What the codes in tests and comments stand for, and which tests name them. Made by `deno task docs` from",
    "`scripts/docs/rows.ts` and the tests; do not edit.",
  ];
  for (const [letter, heading] of Object.entries(HEADINGS)) {
    lines.push("", `## ${heading}`, "", "| code | what holds | tests |", "| --- | --- | --- |");
    const codes = Object.keys(ROWS).filter((code) => code.startsWith(letter)).sort(byNumber);
    for (const code of codes) {
      const decision = DECIDED[code];
      const what = decision === undefined
        ? ROWS[code]
        : `${ROWS[code]} Decided otherwise: [${decision.slice(0, 4)}](decisions/${decision}.md).`;
      const named = [...tests.get(code) ?? []].sort().map((name) => `[${name.slice(5)}](../${name})`).join(", ");
      lines.push(`| ${code} | ${what?.replaceAll("|", "\\|")} | ${named || "none"} |`);
    }
  }
  return lines.join("\n") + "\n";
}

function byNumber(a: string, b: string): number {
  return Number(a.slice(1)) - Number(b.slice(1));
}

function* sources(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = join(folder, name);
    if (isDirectory) {
      if (name !== "fixtures") yield* sources(path);
    } else if (/\.(?:ts|mjs)$/.test(name)) yield path;
  }
}
