import { join } from "@std/path";
import type { Arena } from "./arena.ts";
import { attempt } from "./command.ts";
import { asWhom, type Column, columnName, prefixOf } from "./column.ts";
import type { Attack } from "./corpus.ts";
import type { Program } from "./programs.ts";

/** What came of an attack. `unreal`: the script thought it had escaped, the look from outside says no. */
export type Verdict = "ESCAPED" | "held" | "unreal" | "skip";

/** One cell of the matrix. */
export interface Result {
  readonly verdict: Verdict;
  readonly code: number;
  readonly ms: number;
  /** The last line of what the attack said. */
  readonly said: string;
  /** It does not escape in a command with others, and does by itself: what others leave stands in its way. */
  readonly isHidden?: true;
}

/** Longest that one attack may take, milliseconds. */
const LIMIT_MS = 15_000;

/** Attacks that share a command. */
const AT_ONCE = 8;
/** Bytes of a shared command's output that are looked through. What is not found in it runs by itself. */
const MOST_SHARED_BYTES = 1_000_000;

/**
 * Runs every attack of a list through a column's shell, one after the other.
 *
 * @param isShared Whether attacks that tell by themselves what came of them share commands: half of the time of most is the
 *   program's start. One without an end in such a command runs again by itself. Without a sandbox all that did not
 *   escape do, which shows that none is held, or left out, because of the others.
 */
export async function replay(
  column: Column,
  program: Program,
  arena: Arena,
  attacks: readonly Attack[],
  isShared: boolean,
): Promise<Map<string, Result>> {
  const folder = join(arena.ws, ".attacks");
  await Deno.mkdir(folder);
  for (const { path, name } of attacks) await Deno.copyFile(path, join(folder, `${name}.sh`));
  await proveThatItRuns(column, program, arena);
  const results = new Map<string, Result>();
  if (isShared) {
    const some = attacks.filter(({ sharesCommand }) => sharesCommand);
    for (let at = 0; at < some.length; at += AT_ONCE) {
      const ran = await runShared(column, program, arena, some.slice(at, at + AT_ONCE));
      for (const [name, result] of ran) results.set(name, result);
      await clean(column, arena);
    }
  }
  const lingering: Promise<void>[] = [];
  for (const attack of attacks) {
    const shared = results.get(attack.name);
    if (shared && (column.form !== "none" || shared.verdict === "ESCAPED")) continue;
    const ran = await runAttack(column, program, arena, attack);
    const judged = judge(attack, ran, column, arena).then((verdict) => {
      const hidden = shared && verdict === "ESCAPED" ? { isHidden: true } as const : {};
      results.set(attack.name, { ...ran, verdict, ...hidden });
    });
    // What lingers is looked at while the next one runs: that look takes two seconds.
    if (attack.lingers) lingering.push(judged);
    else await judged.then(() => clean(column, arena));
  }
  await Promise.all(lingering);
  await clean(column, arena);
  return results;
}

interface Ran extends Omit<Result, "verdict"> {
  readonly bytes: number;
  readonly escapes: number;
}

/** Where nothing runs at all everything is held, and proves nothing: throws then. The namespaces must be the level's, too. */
async function proveThatItRuns(column: Column, program: Program, arena: Arena): Promise<void> {
  const flags = column.grant?.flags(arena) ?? [];
  const line = [...lineOf(column, program, flags), "bash", "-c", "echo it runs; readlink /proc/self/ns/user"];
  const { out } = await attempt(line, { cwd: arena.ws, clearEnv: true, env: { ...arena.env } });
  const [, own] = /it runs\n(user:\S+)/.exec(out) ?? [];
  const here = new TextDecoder().decode(
    new Deno.Command("readlink", { args: ["/proc/self/ns/user"] }).outputSync().stdout,
  );
  if (own === undefined || (own !== here.trim()) !== (column.level === "kernel+")) {
    throw new Error(`${columnName(column)} is not what it says: ${out}`);
  }
}

/** A command in front of which these words stand runs as the column says. */
function lineOf(column: Column, program: Program, flags: readonly string[]): string[] {
  const shell = column.form === "none" ? [] : [...program.command, "tool", ...flags, "bash", "--"];
  return [...prefixOf(column), ...shell];
}

/** What scripts leave in the workspace must not help or hinder the next one; in the workspace, as the attacks' user. */
const CLEAN = "rm -rf atk_* .mcp.json .envrc; " +
  "[ -e .git.atk ] && { rm -rf .git; mv .git.atk .git; }; git config --unset core.fsmonitor";

/** Runs attacks in one command. Those whose end it does not tell are not in the result. */
async function runShared(
  column: Column,
  program: Program,
  arena: Arena,
  attacks: readonly Attack[],
): Promise<Map<string, Result>> {
  const mark = crypto.randomUUID();
  const script = `for name do bash ".attacks/$name.sh" < /dev/null; printf '\\n${mark} %s %s\\n' "$name" "$?"; ` +
    "[ -z \"$(compgen -G 'atk_*')\" ] || rm -rf atk_*; done";
  const words = ["bash", "-c", script, "bash", ...attacks.map(({ name }) => name)];
  const text = new TextDecoder();
  let [out, bytes] = ["", 0];
  const { ms } = await runWords(column, program, arena, words, (chunk) => {
    bytes += chunk.length;
    if (bytes <= MOST_SHARED_BYTES) out += text.decode(chunk, { stream: true });
  });
  const results = new Map<string, Result>();
  let from = 0;
  for (const { 0: line, index, groups } of out.matchAll(new RegExp(`\n${mark} (?<name>\\S+) (?<code>\\d+)\n`, "g"))) {
    const code = Number(groups?.["code"]);
    const said = out.slice(from, index).trim().split("\n").at(-1) ?? "";
    const verdict = code === 77 ? "skip" : code === 0 ? "ESCAPED" : "held";
    results.set(groups?.["name"] ?? "", { verdict, code, ms: Math.round(ms / attacks.length), said });
    from = index + line.length;
  }
  return results;
}

async function runAttack(column: Column, program: Program, arena: Arena, attack: Attack): Promise<Ran> {
  let [bytes, escapes, tail] = [0, 0, ""];
  const text = new TextDecoder();
  const ended = await runWords(column, program, arena, ["bash", `.attacks/${attack.name}.sh`], (chunk) => {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 0x1b) escapes++;
    tail = (tail + text.decode(chunk, { stream: true })).slice(-400);
  });
  return { ...ended, bytes, escapes, said: tail.trim().split("\n").at(-1) ?? "" };
}

/** Runs a command through a column's shell, with an end to its time; `onOutput` gets all that it prints. */
async function runWords(
  column: Column,
  program: Program,
  arena: Arena,
  words: readonly string[],
  onOutput: (chunk: Uint8Array) => void,
): Promise<{ readonly code: number; readonly ms: number }> {
  const flags = column.grant?.flags(arena) ?? [];
  const line = [...lineOf(column, program, flags), ...words];
  const began = performance.now();
  const child = new Deno.Command("sh", {
    args: ["-c", `exec "$@" 2>&1`, "sh", ...line],
    cwd: arena.ws,
    clearEnv: true,
    env: { ...arena.env },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    detached: true,
  }).spawn();
  const reader = child.stdout.getReader();
  const timer = setTimeout(async () => {
    signalGroup(child.pid, "SIGTERM");
    await new Promise((resolve) => setTimeout(resolve, 500));
    signalGroup(child.pid, "SIGKILL");
    await reader.cancel().catch(() => {});
  }, LIMIT_MS);
  // A child that outlives the shell holds the pipe: that is the hang which one attack wants, so it is waited for.
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    onOutput(value);
  }
  const { code } = await child.status;
  clearTimeout(timer);
  return { code, ms: Math.round(performance.now() - began) };
}

async function judge(attack: Attack, ran: Ran, column: Column, arena: Arena): Promise<Verdict> {
  if (ran.code === 77) return "skip";
  if (attack.verify === undefined) return ran.code === 0 ? "ESCAPED" : "held";
  // What a tool leaves behind shows only from outside, whatever the script said.
  const always = attack.lingers || /^(?:output|hold)/.test(attack.name);
  if (ran.code !== 0 && !always && ran.ms < LIMIT_MS) return "held";
  const { code } = await attempt(
    [...asWhom(column.who), "bash", "-c", `. '${arena.ws}/attack.env'; ${attack.verify}`],
    {
      cwd: arena.ws,
      clearEnv: true,
      env: {
        ...arena.env,
        ATK_OUTPUT_BYTES: String(ran.bytes),
        ATK_OUTPUT_ESC: String(ran.escapes),
        ATK_ELAPSED_MS: String(ran.ms),
        ATK_RC: String(ran.code),
      },
    },
  );
  return code === 0 ? "ESCAPED" : ran.code === 0 ? "unreal" : "held";
}

/** Cleans the workspace from outside. */
async function clean(column: Column, { ws, env }: Arena): Promise<void> {
  await attempt([...asWhom(column.who), "bash", "-c", CLEAN], { cwd: ws, clearEnv: true, env: { ...env } });
}

function signalGroup(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}
