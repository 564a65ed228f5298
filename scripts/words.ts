/**
 * Measures the English of this repository: markers of hard wording per 1,000 lines, and the sentences of each page.
 *
 * Ends with 1 if a limit of words/limits.ts is exceeded. `--worst N` lists the lines with the most markers, `--area NAME` only
 * those of one area, `--markers` counts each marker, `--pages` prints a line for each page.
 */
import { parseArgs } from "@std/cli";
import { join, relative, resolve } from "@std/path";
import { MAX_MARKERS, MIN_SENTENCES, PAGE_LIMITS } from "./words/limits.ts";
import { MARKERS } from "./words/markers.ts";
import { type MarkedLine, markedLines, type Readability, readabilityOf } from "./words/measure.ts";
import { markdownProse, type ProseLine, sourceProse } from "./words/prose.ts";

type Area = keyof typeof MAX_MARKERS;

/** The prose of one file in one area. */
interface FileProse {
  readonly area: Area;
  /** Relative to the repository. */
  readonly path: string;
  readonly lines: readonly ProseLine[];
}

/** Pages that `deno task docs` generates: their words are strings in the source. */
const GENERATED: ReadonlySet<string> = new Set(["options.md", "settings.md", "performance.md"]);
const SHOWN_CHARACTERS = 200;

const root = resolve(import.meta.dirname ?? ".", "..");
const args = parseArgs(Deno.args.filter((word) => word !== "--"), {
  string: ["worst", "area"],
  boolean: ["markers", "pages"],
});

const files = [...pageProse(), ...["src", "tools", "scripts"].flatMap((name) => [...treeProse(join(root, name))])];
const marked = new Map(files.map((file) => [file, markedLines(file.lines)]));
const problems: string[] = [];

for (const [area, limit] of Object.entries(MAX_MARKERS) as [Area, number][]) {
  const own = files.filter((file) => file.area === area);
  const lines = own.reduce((sum, file) => sum + file.lines.length, 0);
  const weight = own.reduce((sum, file) => sum + weightOf(marked.get(file) ?? []), 0);
  const rate = Math.round(10_000 * weight / Math.max(lines, 1)) / 10;
  console.log(`${area.padEnd(14)}${lines} lines, ${rate} weighted markers per 1,000 lines (limit ${limit})`);
  if (rate > limit) problems.push(`${area}: ${rate} weighted markers per 1,000 lines; the limit is ${limit}`);
}
for (const { area, path, lines } of files) {
  if (area !== "README" && area !== "docs") continue;
  const page = readabilityOf(lines);
  if (page === undefined) continue;
  if (args.pages) console.log(`${path.padEnd(40)}${describe(page)}`);
  if (page.sentences >= MIN_SENTENCES) problems.push(...excessOf(path, page));
}
if (args.markers) printMarkers();
if (args.worst !== undefined) printWorst(Number(args.worst));
for (const problem of problems) console.error(problem);
if (problems.length > 0) console.error("See the lines: deno task words --worst 50 [--area docs]");
Deno.exit(problems.length > 0 ? 1 : 0);

function* pageProse(): Generator<FileProse> {
  const page = (area: Area, path: string): FileProse => ({
    area,
    path,
    lines: markdownProse(Deno.readTextFileSync(join(root, path))),
  });
  yield page("README", "README.md");
  yield page("ARCHITECTURE", "ARCHITECTURE.md");
  yield page("ARCHITECTURE", "AGENTS.md");
  yield page("CHANGELOG", "CHANGELOG.md");
  for (const name of filesBelow(join(root, "docs"), ".md")) {
    const path = relative(root, name);
    if (GENERATED.has(path.replace(/^.*\//, ""))) continue;
    yield page("docs", path);
  }
}

function* treeProse(directory: string): Generator<FileProse> {
  for (const file of filesBelow(directory, ".ts")) {
    const path = relative(root, file);
    const { strings, comments } = sourceProse(Deno.readTextFileSync(file));
    yield { area: "strings", path, lines: strings };
    yield { area: "comments", path, lines: comments };
  }
}

function filesBelow(directory: string, ending: string): readonly string[] {
  return [...Deno.readDirSync(directory)].sort((a, b) => a.name < b.name ? -1 : 1).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory) return filesBelow(path, ending);
    return entry.isFile && entry.name.endsWith(ending) ? [path] : [];
  });
}

function weightOf(lines: readonly MarkedLine[]): number {
  return lines.reduce((sum, { weight }) => sum + weight, 0);
}

function describe({ sentences, mean, over30, links }: Readability): string {
  return `${sentences} sentences, mean ${mean} words, ${over30} % over 30, ${links} links per 100 words`;
}

function excessOf(path: string, page: Readability): readonly string[] {
  return (["mean", "over30", "links"] as const).filter((key) => page[key] > PAGE_LIMITS[key])
    .map((key) => `${path}: ${key} is ${page[key]}; the limit is ${PAGE_LIMITS[key]}`);
}

function printMarkers(): void {
  const counts = new Map<string, number>();
  for (const { markers } of [...marked.values()].flat()) {
    for (const id of markers) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  for (const { id, instead } of MARKERS) {
    console.log(`${id.padEnd(14)}${counts.get(id) ?? 0} lines; instead: ${instead}`);
  }
}

function printWorst(count: number): void {
  const lines = [...marked].filter(([{ area }]) => args.area === undefined || args.area === area)
    .flatMap(([{ path }, found]) => found.map((line) => ({ path, ...line })))
    .sort((a, b) => b.weight - a.weight);
  for (const { path, line, markers, text } of lines.slice(0, count)) {
    console.log(`${path}:${line} [${markers.join(", ")}] ${text.trim().slice(0, SHOWN_CHARACTERS)}`);
  }
}
