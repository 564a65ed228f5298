import type { Result } from "./replay.ts";

/** Prints a row for each attack, a column for each way of running it, and the totals. */
export function printTable(names: readonly string[], columns: ReadonlyMap<string, ReadonlyMap<string, Result>>): void {
  const width = Math.max(10, ...names.map((name) => name.length));
  const heads = [...columns.keys()];
  heads.forEach((head, at) => console.log(`${" ".repeat(width)} ${"| ".repeat(at)}${head}`));
  for (const name of names) {
    const cells = heads.map((head) => columns.get(head)?.get(name));
    const marks = cells.map((cell) => MARKS[cell?.verdict ?? "none"]);
    const said = cells.find((cell) => cell?.verdict === "skip")?.said ?? "";
    console.log(`${name.padEnd(width)} ${marks.join(" ")}  ${said}`.trimEnd());
  }
  console.log("E escaped, . held, v held as seen from outside, s a prerequisite is missing");
  for (const head of heads) {
    const verdicts = [...columns.get(head)?.values() ?? []].map(({ verdict }) => verdict);
    const count = (verdict: string): number => verdicts.filter((one) => one === verdict).length;
    const held = count("held") + count("unreal");
    console.log(`${head.padEnd(24)} ${count("ESCAPED")} escaped, ${held} held, ${count("skip")} skipped`);
  }
}

const MARKS: Readonly<Record<string, string>> = { ESCAPED: "E", held: ".", unreal: "v", skip: "s", none: " " };
