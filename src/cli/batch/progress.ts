import { counted } from "../../core/support/text.ts";
import type { AttemptRecord } from "../../batch/results.ts";
import { oneLine } from "../../session/view/visible_text.ts";
import { columnsOf } from "../output/report.ts";
import { standardError } from "../output/write_all.ts";

/** How often the line of numbers is drawn anew; milliseconds. */
const DRAW_MS = 500;
const LONGEST = 160;

/** What a batch shows while it runs, on standard error: a line for each attempt that ended, and on a terminal one of numbers. */
export interface Progress {
  /** What came of this process's work so far. `elsewhere`: attempts that other processes have. */
  readonly counts: { passed: number; failed: number; running: number; costUsd: number; elsewhere: number };
  readonly begun: () => void;
  readonly ended: (record: AttemptRecord, how: "kept" | "interrupted" | "known elsewhere") => void;
  /** One line of its own. */
  readonly say: (line: string) => void;
  /** The line of numbers is gone, and no other one comes. Safe to call twice. */
  readonly close: () => void;
}

/** Nothing has happened yet. */
export function openProgress(
  { total, jobs, isQuiet }: { readonly total: number; readonly jobs: number; readonly isQuiet: boolean },
): Progress {
  const counts = { passed: 0, failed: 0, running: 0, costUsd: 0, elsewhere: 0 };
  const started = performance.now();
  const isTerminal = !isQuiet && Deno.stderr.isTerminal();
  let timer = isTerminal ? setInterval(draw, DRAW_MS) : undefined;

  function draw(): void {
    if (timer === undefined) return;
    const { passed, failed, running, costUsd, elsewhere } = counts;
    const done = passed + failed;
    const left = Math.max(0, total - done - elsewhere);
    const perAttempt = (performance.now() - started) / Math.max(1, done);
    const parts = [
      `${done} done`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      `${running} running`,
      `${Math.max(0, left - running)} waiting`,
      dollars(costUsd),
      ...(done < jobs || left === 0 ? [] : [`about ${duration(perAttempt * left)} left`]),
    ];
    void standardError.put(`\r\x1b[K${parts.join(" · ").slice(0, columnsOf(Deno.stderr) - 1)}`);
  }

  function say(line: string): void {
    if (isQuiet) return;
    void standardError.put(`${isTerminal ? "\r\x1b[K" : ""}${line}\n`);
    draw();
  }

  return {
    counts,
    begun() {
      counts.running++;
      draw();
    },
    ended(record, how) {
      counts.running--;
      counts.costUsd += record.costUsd;
      if (how === "kept") record.passed ? counts.passed++ : counts.failed++;
      if (how === "known elsewhere") counts.elsewhere++;
      say(attemptLine(record, how));
    },
    say,
    close() {
      clearInterval(timer);
      if (timer !== undefined) void standardError.put("\r\x1b[K");
      timer = undefined;
    },
  };
}

function attemptLine(record: AttemptRecord, how: string): string {
  const { task, attempt, passed, exitCode, why, costUsd, durationMs, files } = record;
  const what = how === "kept" ? passed ? "passed" : `failed (${exitCode})` : how;
  const facts = [
    duration(durationMs),
    dollars(costUsd),
    ...(files > 0 ? [counted(files, "file")] : []),
  ];
  return `${task} ${attempt}: ${what}, ${facts.join(", ")}${passed || !why ? "" : `: ${oneLine(why, LONGEST)}`}`;
}

/** US dollars for people: cents, and less where that is all there is. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`;
}

/** A time for people: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
