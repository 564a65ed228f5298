/**
 * Replays ordinary development commands (`test/attacks/everyday.sh`) through the program's own bash tool: the other half
 * of the truth about a sandbox.
 *
 * A check that fails on a bare shell too (its tool is not installed) counts as it comes and is named. `--columns REGEX`
 * picks columns, `--jobs N` says how many run at a time (2). Ends with 1 when fewer checks pass at a level than should.
 */
import { join, resolve } from "@std/path";
import { parseArgs } from "@std/cli";
import { asWhom, columnName, prefixOf } from "./attacks/column.ts";
import { attempt, must } from "./attacks/command.ts";
import { openMatrix, type Place } from "./attacks/matrix.ts";

/** Checks that `kernel` passes at least, when all of their tools are installed. */
const LEAST_AT_KERNEL = 61;
/** How many more where a network was granted, all of it or a list of hosts: servers on loopback. */
const MORE_WITH_NETWORK = 2;

/**
 * Checks that may fail where the whole disk may be read: a server on a socket with a path, beside those of other programs,
 * and a file in the machine's own /tmp.
 */
const MOST_WITH_ALL_IN_SIGHT = 2;

const root = resolve(import.meta.dirname ?? ".", "..");
// Deno hands on the dashes of `deno task NAME -- …`, after which nothing would be an option.
const args = parseArgs(Deno.args.filter((word) => word !== "--"), { string: ["columns", "jobs"] });
const matrix = await openMatrix(root, undefined, String(args.columns ?? "^(?:none|binary|source/kernel/user)"));
const script = join(root, "test", "attacks", "everyday.sh");
const columns = new Map<string, ReadonlyMap<string, string>>();
try {
  const waiting = [...matrix.columns];
  const worker = async (): Promise<void> => {
    for (let place = waiting.shift(); place; place = waiting.shift()) {
      const began = performance.now();
      columns.set(columnName(place.column), await runChecks(place));
      console.log(`${columnName(place.column)}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
    }
  };
  await Promise.all(Array.from({ length: Number(args.jobs ?? 2) }, worker));
} finally {
  await matrix.close();
}

let missed = 0;
for (const { column } of matrix.columns) {
  const results = columns.get(columnName(column)) ?? new Map<string, string>();
  const bare = columns.get(columnName({ form: "none", who: column.who, level: "none" }));
  const failing = [...results].filter(([, why]) => why !== "");
  const ours = failing.filter(([name]) => (bare?.get(name) ?? "") === "");
  const allowed = column.level === "kernel"
    ? results.size - LEAST_AT_KERNEL - (column.grant?.name.startsWith("net") ? MORE_WITH_NETWORK : 0)
    : column.grant?.name === "read"
    ? MOST_WITH_ALL_IN_SIGHT
    : 0;
  const short = column.form !== "none" && (results.size === 0 || ours.length > allowed);
  if (short) missed++;
  console.log(
    `\n${short ? "FAIL" : "PASS"} ${columnName(column)}: ${results.size - failing.length} of ${results.size} pass`,
  );
  for (const [name, why] of failing) {
    console.log(`  ${name}${ours.some(([one]) => one === name) ? "" : " (fails on a bare shell too)"}: ${why}`);
  }
}
for (const line of matrix.missing) console.log(`not replayed: ${line}`);
console.log(`\n${columns.size} columns, ${missed} with too many failures`);
Deno.exit(missed > 0 || columns.size === 0 ? 1 : 0);

/** Every check of the script by name, with what it said when it failed. */
async function runChecks({ column, program, base }: Place): Promise<Map<string, string>> {
  const top = join(base, `everyday-${columnName(column).replaceAll("/", "-")}`);
  const [ws, home] = [join(top, "ws"), join(top, "home")];
  for (const folder of [top, ws, home, join(top, "out")]) await Deno.mkdir(folder, { mode: 0o755 });
  await Deno.mkdir(join(top, "out", "dir"));
  await Deno.writeTextFile(join(home, ".gitconfig"), "");
  await Deno.copyFile(script, join(ws, "everyday.sh"));
  if (column.who === "user") await must(["chown", "-R", "1000:1000", top]);
  // Whoever runs this keeps the home that the installed toolchains belong to; the program only reads it.
  const own = column.who === "self" ? Deno.env.get("HOME") : undefined;
  const path = column.who === "self" ? Deno.env.get("PATH") : undefined;
  const env = {
    PATH: path ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: own ?? home,
    XDG_CACHE_HOME: join(home, ".cache"),
    LANG: "C.UTF-8",
    TERM: "xterm",
    ...program.env,
  };
  const call = JSON.stringify({ command: "bash everyday.sh", timeout: 600 });
  // Nobody listens there: what these grants change for ordinary commands is that other parts of the sandbox are open.
  const flags = column.grant?.flags({ out: join(top, "out"), tcp: "1" }) ?? [];
  const line = column.form === "none"
    ? [...asWhom(column.who), "bash", "everyday.sh"]
    : [...prefixOf(column), ...program.command, "tool", "bash", ...flags, call];
  const { out } = await attempt(line, { cwd: ws, clearEnv: true, env });
  const results = new Map<string, string>();
  for (const [, verdict, name = "", why] of out.matchAll(/^(PASS|FAIL) (\S+)(.*)$/gm)) {
    results.set(name, verdict === "PASS" ? "" : why?.trim() || "failed");
  }
  if (results.size === 0) console.log(out);
  await attempt(["rm", "-rf", top]);
  return results;
}
