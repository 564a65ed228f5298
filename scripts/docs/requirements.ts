import { join, relative } from "@std/path";
import { DECIDED, OPEN, ROWS } from "./rows.ts";

/** What is read for codes: folders, and files at the top. Pages, too: a code there must mean something. */
const FOLDERS = ["src", "tools", "test", "scripts", "skills", "docs", ".ci"];
const FILES = ["main.ts", "AGENTS.md", "ARCHITECTURE.md", "README.md", "action.yml"];
/** A requirement's code: R and X are rows of the checklist, K are choices between its sources. */
const CODE = /\b[RKX]\d{1,3}\b/g;
const CATALOGUE = "src/provider/models/catalogue.ts";
const HEADINGS: Readonly<Record<string, string>> = { R: "Rows", K: "Choices", X: "Rules of open standards" };

/**
 * The page of requirements: what each code in tests and comments means, and which tests name it.
 *
 * Throws for a code that is named somewhere and has no row, and for a row that neither a test names nor a decision or a
 * reason leaves open.
 */
export function requirementsPage(root: string): string {
  const tests = new Map<string, Set<string>>();
  const unknown = new Map<string, string>();
  const paths = [
    ...FOLDERS.flatMap((folder) => [...sources(join(root, folder))]),
    ...FILES.map((file) => join(root, file)),
  ];
  for (const path of paths) {
    const name = relative(root, path);
    // The table itself and the page that is made from it; and names of models are no codes.
    if (
      name === "scripts/docs/rows.ts" || name === "scripts/docs/requirements.ts" || name === "dev/requirements.md" ||
      name === CATALOGUE
    ) continue;
    for (const [code] of textOf(path).matchAll(CODE)) {
      if (!(code in ROWS)) unknown.set(code, name);
      // The test of this page has codes as data.
      if (!name.startsWith("test/") || name === "test/scripts/requirements_test.ts") continue;
      const files = tests.get(code) ?? new Set();
      tests.set(code, files.add(name));
    }
  }
  if (unknown.size > 0) {
    const first = [...unknown].slice(0, 10).map(([code, name]) => `${code} in ${name}`).join(", ");
    throw new Error(`${unknown.size} codes have no row in scripts/docs/rows.ts: ${first}`);
  }
  const unproven = Object.keys(ROWS).filter((code) => !tests.has(code) && !(code in DECIDED) && !(code in OPEN));
  if (unproven.length > 0) {
    throw new Error(
      `no test names ${unproven.join(", ")}, and neither DECIDED nor OPEN of scripts/docs/rows.ts says why`,
    );
  }
  const stillOpen = Object.keys(OPEN).filter((code) => !tests.has(code));
  const lines = [
    "# Requirements",
    "",
    "What the codes in tests and comments stand for, and which tests name them. Made by `deno task docs` from",
    "`scripts/docs/rows.ts` and the tests; do not edit. A row without a test was decided otherwise or says why there is",
    "none.",
    "",
    `${Object.keys(ROWS).length} rows: ${tests.size} are named by tests, ${
      Object.keys(DECIDED).length
    } were decided otherwise ` +
    `(in part or whole), ${stillOpen.length} are open${stillOpen.length > 0 ? `: ${stillOpen.join(", ")}` : ""}.`,
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
      const proof = named || (OPEN[code] === undefined ? "none" : `none: ${OPEN[code]}`);
      lines.push(`| ${code} | ${what?.replaceAll("|", "\\|")} | ${proof.replaceAll("|", "\\|")} |`);
    }
  }
  return lines.join("\n") + "\n";
}

function byNumber(a: string, b: string): number {
  return Number(a.slice(1)) - Number(b.slice(1));
}

function textOf(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

function* sources(folder: string): Generator<string> {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(folder)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  for (const { name, isDirectory } of entries) {
    const path = join(folder, name);
    if (isDirectory) {
      if (name !== "fixtures") yield* sources(path);
    } else if (/\.(?:ts|mjs|md|c|h|sh|yml)$/.test(name)) yield path;
  }
}
