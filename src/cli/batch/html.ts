import { createHash } from "node:crypto";
import type { Summary } from "../../batch/summary.ts";
import { escapeHtml } from "../../session/html/escape.ts";
import type { Side } from "./report.ts";
import type { Table } from "./tables.ts";

/** More bars are no picture any more; the table has all. */
const MOST_BARS = 60;

/** A report as one page: nothing from outside, sorted and filtered by its own script, whole without it. */
export function* reportPage(sides: readonly Side[], tables: readonly Table[]): Generator<string> {
  const title = escapeHtml(`Batch ${sides.map(({ name }) => name).join(" → ")}`);
  yield `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<p><input id="filter" type="search" placeholder="Only tasks with…" aria-label="Only tasks with" hidden></p>
`;
  yield* charts(sides);
  for (const table of tables) yield* tableHtml(table);
  yield `<script>${SCRIPT}</script>\n</body>\n</html>\n`;
}

function* charts(sides: readonly Side[]): Generator<string> {
  const rowsOf = ({ summary: { groups, tasks } }: Side): readonly Summary[] => groups.length > 0 ? groups : tasks;
  const names = [...new Set(sides.flatMap((side) => rowsOf(side).map(({ name }) => name)))];
  const shown = names.slice(0, MOST_BARS);
  const what: readonly [string, (one: Summary) => number, (value: number) => string][] = [
    ["Pass rate", ({ passRate }) => passRate, (value) => `${(value * 100).toFixed(0)} %`],
    ["Cost, US dollars", ({ costUsd }) => costUsd, (value) => value.toFixed(4)],
    ["Time of one attempt, seconds", ({ medianMs }) => medianMs / 1000, (value) => value.toFixed(1)],
  ];
  for (const [title, of, text] of what) {
    const bars = shown.flatMap((name) =>
      sides.map((side, at) => {
        const one = rowsOf(side).find((row) => row.name === name);
        return { name: at === 0 ? name : "", side: at, value: one ? of(one) : 0 };
      })
    );
    const most = title === "Pass rate" ? 1 : Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
    const height = bars.length * 18;
    yield `<figure><figcaption>${title}${
      names.length > shown.length ? `, the first ${shown.length} of ${names.length}` : ""
    }</figcaption>\n<svg viewBox="0 0 700 ${height}" width="700" height="${height}" role="img">\n`;
    for (const [at, { name, side, value }] of bars.entries()) {
      const y = at * 18;
      yield `<text x="0" y="${y + 13}">${escapeHtml(name.slice(0, 28))}</text>` +
        `<rect class="side${side}" x="210" y="${y + 2}" width="${((value / most) * 400).toFixed(1)}" height="14"/>` +
        `<text x="620" y="${y + 13}">${text(value)}</text>\n`;
    }
    yield "</svg></figure>\n";
  }
}

function* tableHtml({ title, columns, rows, notes }: Table): Generator<string> {
  // Sums are of all tasks, whichever are shown.
  const isTasks = title.endsWith(": by task");
  yield `<h2>${escapeHtml(title)}</h2>\n<table${isTasks ? ' class="tasks"' : ""}><thead><tr>${
    columns.map((name) => `<th scope="col"><button type="button">${escapeHtml(name || "name")}</button></th>`).join("")
  }</tr></thead><tbody>\n`;
  for (const row of rows) {
    yield `<tr>${
      row.map(({ text, value }, at) => {
        const data = ` data-value="${escapeHtml(String(value))}"`;
        return at === 0 ? `<th scope="row"${data}>${escapeHtml(text)}</th>` : `<td${data}>${escapeHtml(text)}</td>`;
      }).join("")
    }</tr>\n`;
  }
  yield `</tbody></table>\n${notes.map((note) => `<p>${escapeHtml(note)}</p>\n`).join("")}`;
}

/** What a browser may load and run: the page's own style and script, known by their digests. */
function contentPolicy(): string {
  const [style, script] = [STYLE, SCRIPT].map((text) => createHash("sha256").update(text).digest("base64"));
  return `default-src 'none'; style-src 'sha256-${style}'; script-src 'sha256-${script}'; base-uri 'none'; form-action 'none'`;
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #8884; text-align: right; white-space: nowrap }
th:first-child { text-align: left }
thead button { font: inherit; font-weight: bold; background: none; border: 0; padding: 0; color: inherit; cursor: pointer }
th[aria-sort=ascending] button::after { content: " ▲" } th[aria-sort=descending] button::after { content: " ▼" }
svg { max-width: 100%; font-size: 12px } svg text { fill: currentColor }
.side0 { fill: #3b82f6 } .side1 { fill: #f59e0b }
figure { margin: 1rem 0 } figcaption { font-weight: bold }
`;

const SCRIPT = `
for (const button of document.querySelectorAll("thead button")) button.addEventListener("click", () => {
  const head = button.parentElement, body = head.closest("table").tBodies[0];
  const column = head.cellIndex, down = head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const valueOf = (row) => row.cells[column].dataset.value;
  const compare = (a, b) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    const numbers = x !== "" && y !== "" && !isNaN(x) && !isNaN(y);
    return (numbers ? x - y : x.localeCompare(y)) * (down ? -1 : 1);
  };
  body.append(...[...body.rows].sort(compare));
});
const filter = document.getElementById("filter");
filter.hidden = false;
filter.addEventListener("input", () => {
  const text = filter.value.toLowerCase();
  for (const body of document.querySelectorAll(".tasks tbody")) for (const row of body.rows) {
    row.hidden = !row.textContent.toLowerCase().includes(text);
  }
});
`;
