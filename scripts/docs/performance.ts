import { join } from "@std/path";
import { FLOOR, goalTable, problemLines } from "../bench/goals.ts";
import { partTable } from "../bench/part_goals.ts";
import type { Machine, Published } from "../bench/published.ts";
import { table } from "./table.ts";

/** From so much of a core that other programs use on, the page says at its top that the machine was busy. */
const BUSY = 0.25;
const TITLES: Readonly<Record<string, string>> = {
  sandbox: "Commands and file tools in the sandbox",
  compile: "The prompt",
  session: "Sessions",
  hooks: "Extensions",
  tui: "The terminal UI",
  facts: "Changes and undo",
  batch: "Many tasks",
};

/** What the last published run measured. */
export function readPublished(root: string): Published {
  return JSON.parse(Deno.readTextFileSync(join(root, "docs", "performance.json")));
}

/** docs/performance.md: every number of the file, beside floors and peers, with what it depends on. */
export function performancePage(published: Published): string {
  const { machine, programs, loop, parts, seconds, command } = published;
  const absent = [
    ...loop === undefined ? ["The loop"] : [],
    ...Object.entries(TITLES).flatMap(([name, title]) => parts.some(({ part }) => part === name) ? [] : [title]),
  ];
  const missing = [...published.missing, ...absent.map((name) => ({ name, why: "not in this run" }))];
  return [
    "# Performance",
    "",
    "<!-- made from performance.json by deno task docs; do not edit -->",
    "",
    "What the program itself costs: the model is a script on this machine that answers at once. What each row means, and",
    "what is compared with what, stands in [scripts/bench/README.md](../scripts/bench/README.md).",
    "",
    ...busyLine(published),
    ...table(["", ""], [
      ["command", `\`${command}\``],
      ["date", `${published.date.slice(0, 16).replace("T", " ")} UTC, ${Math.round(seconds / 60)} minutes`],
      ["version", `sandpiper ${published.version}, ${(published.binaryBytes / 1e6).toFixed(1)} MB`],
      ["machine", `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}`],
      ["load", `${machine.load.before} over the minute before, ${machine.load.after} at the end`],
      ...machine.othersUse === undefined ? [] : [["others", `used ${machine.othersUse} of a core right before`]],
    ]),
    "",
    ...missing.length === 0 ? [] : [
      "Not measured:",
      "",
      ...missing.map(({ name, why }) => `- ${name}: ${why}`),
      "",
    ],
    ...loop === undefined ? [] : [
      "## The loop",
      "",
      `Medians of ${loop.runs} runs. Goals that are ratios are ratios to \`${FLOOR}\`, the smallest program of the same kind.`,
      "",
      goalTable(loop),
      "",
      ...problemLines(loop).flatMap((line) => [`- ${line}`, ""]),
      ...table(
        ["program", "what it is", "how it is started"],
        programs.map(({ name, about, package: from, command }) => [
          name,
          `${about}${from === undefined ? "" : ` (\`${from}\`)`}`.replaceAll("|", "\\|"),
          `\`${command.join(" ").replaceAll("|", "\\|")}\``,
        ]),
      ),
      "",
    ],
    ...parts.flatMap((part) => [
      `## ${TITLES[part.part] ?? part.part}`,
      "",
      partTable(part),
      "",
      ...part.notes.flatMap((note) => [`- ${note}`, ""]),
    ]),
  ].join("\n").trimEnd() + "\n";
}

function busyLine({ machine }: Published): readonly string[] {
  const used = busyCores(machine);
  if (used === undefined) return [];
  return [
    `**The machine was busy**: other programs used ${used} of its ${machine.cores} cores right before anything was measured.`,
    "Times are longer than they are on a quiet one, for every column; sizes and counts are what they are.",
    "",
  ];
}

/** What others used of a machine that was busy. A file without that number tells it where all cores were wanted. */
function busyCores({ othersUse, load, cores }: Machine): number | undefined {
  if (othersUse !== undefined) return othersUse > BUSY ? othersUse : undefined;
  return load.before >= cores ? cores : undefined;
}
