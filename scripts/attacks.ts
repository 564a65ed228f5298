/**
 * Replays every script of `test/attacks` through the program's own bash tool and compares with what is expected.
 *
 * Each column is a form of the program (source, binary), a level of the sandbox, a user, and in some a widened scope, under
 * which nothing may open but what it covers. Ends with 1 when something escaped that should not have.
 */
import { join, resolve } from "@std/path";
import { parseArgs } from "@std/cli";
import { type Expectation, EXPECTED } from "../test/attacks/expected.ts";
import { openArena } from "./attacks/arena.ts";
import { type Column, columnName } from "./attacks/column.ts";
import { readCorpus } from "./attacks/corpus.ts";
import { openMatrix, type Place } from "./attacks/matrix.ts";
import { replay, type Result } from "./attacks/replay.ts";
import { printTable } from "./attacks/table.ts";

/** What is replayed from source, where starting is slower: one attack of every kind of defence. */
const FROM_SOURCE = new RegExp(
  "^(?:env-api-key|read-(?:agent|etc|outside|proc-any|hardlink)|write-(?:outside|git-hook|hardlink)|signal|ptrace|" +
    "net-(?:curl|udp$|exotic)|unix-|survive-setsid|userns|io-uring|inherited|swap-git|tiocsti|own-|poison|huge)",
);
/** Would trouble the machine where nothing limits them. */
const NOT_BARE = /^(?:memory-hog|many-processes|huge-file|hold-stdout-hang|fork|own-.*(?:bomb|hog|flood))/;

const HELP = `Replays the attacks of test/attacks, all of them in every column unless told otherwise.

  --columns REGEX  these columns alone
  --only REGEX     these attacks alone
  --at DIR         the folder for the arenas
  --jobs N         how many columns run at a time (2)
  --quick          leaves out from source what does not depend on where the program comes from, and lets attacks share
                   commands where each tells by itself what came of it
  --help           this text`;

/** Ends before anything is started. */
function endWithHelp(exitCode: number): never {
  console.log(HELP);
  Deno.exit(exitCode);
}

const root = resolve(import.meta.dirname ?? ".", "..");
// Deno hands on the dashes of `deno task NAME -- …`, after which nothing would be an option.
const args = parseArgs(Deno.args.filter((word) => word !== "--"), {
  string: ["columns", "only", "at", "jobs"],
  boolean: ["quick", "help"],
  alias: { h: "help" },
  unknown: (arg) => {
    console.error(`There is no option ${arg}`);
    return endWithHelp(2);
  },
});
if (args.help) endWithHelp(0);
const corpus = join(root, "test", "attacks");
const attacks = readCorpus(corpus, new RegExp(String(args.only ?? ".")));
const matrix = await openMatrix(root, typeof args.at === "string" ? args.at : undefined, String(args.columns ?? "."));
const columns = new Map<string, Map<string, Result>>();
try {
  const waiting = matrix.columns.toSorted((a, b) => weight(b.column) - weight(a.column));
  const worker = async (): Promise<void> => {
    for (let place = waiting.shift(); place; place = waiting.shift()) await fill(place);
  };
  await Promise.all(Array.from({ length: Number(args.jobs ?? 2) }, worker));
} finally {
  await matrix.close();
}

const inOrder = matrix.columns.flatMap(({ column }) => {
  const results = columns.get(columnName(column));
  return results ? [[columnName(column), results] as const] : [];
});
printTable(attacks.map(({ name }) => name), new Map(inOrder));
for (const line of matrix.missing) console.log(`not replayed: ${line}`);
const wrong = matrix.columns.flatMap(({ column }) => unexpected(column, columns.get(columnName(column)) ?? new Map()));
if (args.only === undefined) {
  const names = new Set(attacks.map(({ name }) => name));
  for (const { attack } of EXPECTED) {
    if (!names.has(attack)) wrong.push(`expected.ts names ${attack}, which is no attack`);
  }
}
for (const line of wrong) console.log(`UNEXPECTED ${line}`);
const cells = [...columns.values()].reduce((sum, column) => sum + column.size, 0);
console.log(`${cells} attacks replayed, ${wrong.length} unexpected`);
Deno.exit(wrong.length > 0 || cells === 0 ? 1 : 0);

/** How long a column takes beside others: the longest begin first, so that none is left when the others are done. */
function weight({ form, isBubblewrap, grant }: Column): number {
  if (grant) return 0;
  return isBubblewrap ? 3 : form === "source" && args.quick !== true ? 2 : 1;
}

/** Replays a column in an arena of its own. */
async function fill({ column, program, base }: Place): Promise<void> {
  const began = performance.now();
  const arena = await openArena(column, program, corpus, base);
  try {
    const chosen = attacks.filter(({ name }) =>
      column.grant
        ? column.grant.attacks.test(name)
        : column.form === "none"
        ? !NOT_BARE.test(name)
        : column.form === "binary" || args.quick !== true || FROM_SOURCE.test(name)
    );
    columns.set(columnName(column), await replay(column, program, arena, chosen, args.quick === true));
  } finally {
    await arena.close();
  }
  console.log(`${columnName(column)}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

/** Escapes that nobody expects, and a corpus that proves nothing because it does not even work on a bare shell. */
function unexpected(column: Column, results: ReadonlyMap<string, Result>): string[] {
  const escaped = [...results].filter(([, { verdict }]) => verdict === "ESCAPED").map(([name]) => name);
  if (column.form === "none") {
    const tried = [...results.values()].filter(({ verdict }) => verdict !== "skip").length;
    const enough = args.only !== undefined || escaped.length >= tried / 2;
    return [
      ...enough ? [] : [`${columnName(column)}: only ${escaped.length} of ${tried} attacks work without a sandbox`],
      ...[...results].flatMap(([name, { isHidden }]) =>
        isHidden ? [`${columnName(column)}: ${name} escapes by itself, and not in a command with others`] : []
      ),
    ];
  }
  const entries = EXPECTED.filter(({ levels, grants }: Expectation) =>
    levels.some((level) => level === column.level) &&
    (grants === undefined || column.grant !== undefined && grants.includes(column.grant.name))
  );
  const allowed = new Set(entries.map(({ attack }) => attack));
  // A grant that opens nothing would make all that stays closed under it prove nothing.
  const closed = entries.filter(({ attack, grants }) => grants && results.get(attack)?.verdict !== "ESCAPED");
  return [
    ...escaped.filter((name) => !allowed.has(name)).map((name) => `${columnName(column)}: ${name} escaped`),
    ...(args.only === undefined ? closed : []).map(({ attack }) =>
      `${columnName(column)}: ${attack} held although granted`
    ),
  ];
}
