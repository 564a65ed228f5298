import { counted as many, linesOf } from "../../core/support/text.ts";
import type { Seen } from "../../provider/replay/seen.ts";
import { oneLine } from "../../session/view/visible_text.ts";
import { lineChanges } from "../../trial/line_diff.ts";

/** What is not the same any more. */
export interface Change {
  /** A person finds it by this: `section skills_listing`, `call 3, bash ls`. */
  readonly what: string;
  /** Lines as in a diff. */
  readonly lines: readonly string[];
}

/** What stands for values that differ in every run, and how often each did. */
export type RuleCounts = Map<string, number>;

/** Values that differ from run to run, besides the places that each recording names. */
const RULES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["uuid", /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
  ["time", /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| ?[+-]\d\d:?\d\d)?)?\b/g],
  ["clock", /\b\d\d:\d\d:\d\d(?:\.\d+)?\b/g],
  ["duration", /\b\d+(?:\.\d+)? ?(?:ms|µs|seconds?|minutes?|s)\b/g],
  // Of a copy it is not told whether something is changed, and branches are many.
  ["git", /(?<=^Git branch: ).*$/gm],
  ["temporary", /\/tmp\/[\w.-]+/g],
];

/** What the prompt says of a trial. */
const TRIAL = /^- This is a trial: .*\n/m;

/** What differs between what was seen and what is seen now, in the order of what was. */
export function compareSeen(before: readonly Seen[], after: readonly Seen[], counts: RuleCounts): Change[] {
  const [old, young] = [sides(before, counts), sides(after, new Map())];
  return [...new Set([...old.keys(), ...young.keys()])].flatMap((what) => {
    const [was, is] = [old.get(what), young.get(what)];
    if (was === is) return [];
    if (was === undefined) return [{ what: `new: ${what}`, lines: marked("+", is ?? "") }];
    if (is === undefined) return [{ what: `gone: ${what}`, lines: marked("-", was) }];
    return [{ what, lines: diffLines(was, is) }];
  });
}

/** Everything that was seen as texts by name, with what differs each time replaced. */
function sides(all: readonly Seen[], counts: RuleCounts): Map<string, string> {
  const run = all.find((one) => one.kind === "run");
  const places = Object.entries(run?.places ?? {}).filter(([, path]) => path.length > 1)
    .sort(([, a], [, b]) => b.length - a.length);
  const clean = (text: string): string => {
    let done = text;
    for (const [name, path] of places) {
      done = done.replaceAll(path, () => counted(counts, name === "copy" ? "workspace" : name));
    }
    // Recordings are played in a trial, whatever they were made in.
    done = done.replace(TRIAL, () => (counted(counts, "trial"), "")).replace(
      "the workspace, <workspace>, ",
      "the workspace, ",
    );
    for (const [name, pattern] of RULES) done = done.replace(pattern, () => counted(counts, name));
    return done;
  };
  const found = new Map<string, string>();
  const versions = new Map<string, number>();
  let calls = 0;
  for (const one of all) {
    switch (one.kind) {
      case "run":
        break;
      case "section": {
        const version = (versions.get(one.id) ?? 0) + 1;
        versions.set(one.id, version);
        found.set(`section ${one.id}${version > 1 ? `, version ${version}` : ""}`, clean(one.text ?? ""));
        break;
      }
      case "tools":
        found.set("tools", one.names.join("\n"));
        found.set("definitions of tools", one.fingerprint);
        break;
      case "hooks":
        found.set("hooks", clean(one.changes.map((change) => JSON.stringify(change)).join("\n")));
        break;
      case "result": {
        const name = `call ${++calls}, ${one.tool} ${JSON.stringify(one.args).slice(0, 60)}`;
        found.set(name, clean(`${one.isError ? "failed\n" : ""}${one.text}`));
        found.set(`denials of ${name}`, clean(one.denied.join("\n")));
        break;
      }
      case "end":
        found.set("end", `${one.outcome}, exit code ${one.exitCode}`);
        break;
    }
  }
  return new Map([...found].filter(([name, text]) => text !== "" || !name.startsWith("denials")));
}

function counted(counts: RuleCounts, name: string): string {
  counts.set(name, (counts.get(name) ?? 0) + 1);
  return `<${name}>`;
}

/** Lines around a change that are shown. */
const AROUND = 1;

function diffLines(before: string, after: string): string[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  return lineChanges(a, b).flatMap(({ fromA, toA, fromB, toB }) => [
    `@@ line ${fromA + 1}`,
    ...a.slice(Math.max(0, fromA - AROUND), fromA).map((line) => ` ${bare(line)}`),
    ...a.slice(fromA, toA).map((line) => `-${bare(line)}`),
    ...b.slice(fromB, toB).map((line) => `+${bare(line)}`),
  ]);
}

function marked(sign: string, text: string): string[] {
  return linesOf(text).map((line) => sign + bare(line));
}

function bare(line: string): string {
  return line.replace(/\n$/, "");
}

/** What is shown of one change, without -v. */
const MOST_LINES = 20;

/** Changes as a person reads them, indented; `isWhole`: nothing is left out. */
export function changeLines(changes: readonly Change[], isWhole: boolean): string[] {
  return changes.flatMap(({ what, lines }) => {
    const shown = isWhole ? lines : lines.slice(0, MOST_LINES);
    const more = lines.length - shown.length;
    return [
      `  ${oneLine(what, 200)}`,
      ...shown.map((line) => `    ${oneLine(line, 300)}`),
      ...(more > 0 ? [`    … ${many(more, "more line")}: -v`] : []),
    ];
  });
}

/** How often each rule held, in a line. */
export function placesOf(rules: Readonly<Record<string, number>>): string {
  return Object.entries(rules).map(([name, count]) => `<${name}> ${count}`).join(", ");
}
