/**
 * Runs every block of commands in README.md and docs/ with the compiled binary, and reads every block of JSON and YAML.
 *
 * Each page has a home and a workspace of its own, and its blocks run in order. `sandpiper` in a block is the binary with a
 * recorded model in place of the one that is named. What is not run says why in a comment, and is counted. `--program FILE`
 * takes another binary than dist/sandpiper; names of pages are the only ones that are looked at.
 */
import { parseArgs } from "@std/cli";
import { join, relative, resolve } from "@std/path";
import { parse as parseYaml } from "@std/yaml";
import { isFile } from "../src/core/support/on_disk.ts";
import { type Block, blocksOf, loneCommands, missingLine, scriptOf } from "./docs/blocks.ts";
import { makePlace } from "./docs/place.ts";

/** Pages whose programs are compiled and run by a test. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "docs/extensions.md": "test/docs/extensions_docs_test.ts",
  "docs/sdk.md": "test/sdk/page_test.ts",
};
/** A block that takes longer hangs. */
const LONGEST_MS = 60_000;
/** What takes longer is told. */
const SLOW_MS = 3_000;
/** Pages at a time: most of what they do is waiting for a process to start. */
const SIDE_BY_SIDE = 3;

const root = resolve(import.meta.dirname ?? ".", "..");
const args = parseArgs(Deno.args.filter((word) => word !== "--"), { string: ["program"] });
const program = resolve(typeof args.program === "string" ? args.program : join(root, "dist", "sandpiper"));
if (!isFile(program)) {
  console.error(`${relative(root, program)} is missing. Build it first: deno task compile`);
  Deno.exit(2);
}
const wanted = args._.map(String);
const pages = ["README.md", ...names(join(root, "docs")).map((name) => `docs/${name}`)].filter((page) =>
  wanted.length === 0 || wanted.includes(page)
);

const problems: string[] = [];
const notRun: string[] = [];
const slow: string[] = [];
let [ran, read, shown, tested] = [0, 0, 0, 0];
const started = performance.now();
const waiting = [...pages];
await Promise.all(Array.from({ length: SIDE_BY_SIDE }, async () => {
  for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) await look(page);
}));
if (notRun.length > 0) console.log(`Not run:\n${notRun.sort().map((line) => `  ${line}`).join("\n")}`);
for (const problem of problems) console.error(`\n${problem}`);
if (slow.length > 0) console.log(`Slow:\n${slow.sort().map((line) => `  ${line}`).join("\n")}`);
console.log(
  `${ran} blocks of commands run, ${notRun.length} not run, ${read} of data read, ${tested} programs run by tests, ` +
    `${shown} only shown, in ${pages.length} pages, ${seconds(started)} s: ${problems.length} problems`,
);
Deno.exit(problems.length > 0 ? 1 : 0);

async function look(page: string): Promise<void> {
  const markdown = await Deno.readTextFile(join(root, page));
  problems.push(...loneCommands(page, markdown));
  const blocks = blocksOf(page, markdown);
  const place = blocks.some(({ language, notRun }) => language === "sh" && notRun === undefined)
    ? await makePlace(program)
    : undefined;
  try {
    let printed = "";
    for (const block of blocks) {
      const where = `${page}:${block.line}`;
      if (block.notRun !== undefined) notRun.push(`${where} ${block.notRun}`);
      else if (block.language === "sh" && place) {
        ran++;
        const before = performance.now();
        const done = await run(block, place.workspace, place.env);
        printed = done.printed;
        if (performance.now() - before > SLOW_MS) slow.push(`${where} took ${seconds(before)} s`);
        // What comes after it in the page stands on it.
        if (!done.ok) return void problems.push(`${where} fails:\n${block.text}\n${printed.trimEnd().slice(-3000)}`);
      } else if (block.language === "json" || block.language === "yaml") {
        read++;
        const wrong = unreadable(block);
        if (wrong !== undefined) problems.push(`${where}: ${wrong}`);
      } else if (block.language === "ts") {
        tested++;
        if (!(page in PROGRAMS)) problems.push(`${where}: no test runs the programs of this page`);
      } else {
        shown++;
        const missing = block.isPrinted ? missingLine(block.text, printed) : undefined;
        if (missing !== undefined) problems.push(`${where}: not printed: ${missing}\n\nBut:\n${printed.trimEnd()}`);
      }
    }
  } finally {
    await place?.remove();
  }
}

/** Runs a block in `bash`; everything that it started is over afterwards. */
async function run(
  block: Block,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly ok: boolean; readonly printed: string }> {
  const child = new Deno.Command("bash", {
    args: ["-c", `source ~/.says\n${scriptOf(block)}`],
    ...{ cwd, clearEnv: true, env, stdin: "null", stdout: "piped", stderr: "piped", detached: true },
  }).spawn();
  const end = (): void => {
    try {
      Deno.kill(-child.pid, "SIGKILL"); // its group: what it left, too
    } catch {
      // all of it has ended
    }
  };
  const timer = setTimeout(end, LONGEST_MS);
  const { success, stdout, stderr } = await child.output().finally(() => clearTimeout(timer));
  end();
  const text = new TextDecoder();
  return { ok: success, printed: `${text.decode(stdout)}${text.decode(stderr)}` };
}

/** Why a block of data cannot be read; JSON may be one value, or one a line. */
function unreadable({ language, text }: Block): string | undefined {
  try {
    if (language === "yaml") parseYaml(text);
    else if (/^[[{].*[\]}]$/.test(text.split("\n", 1)[0] ?? "")) {
      text.trim().split("\n").forEach((line) => JSON.parse(line));
    } else JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}

function names(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".md")).sort();
}
