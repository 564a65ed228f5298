import { counted } from "../../core/support/text.ts";
import type { AttemptRecord } from "../../batch/results.ts";
import { oneLine } from "../../session/view/visible_text.ts";
import { writeAll } from "../output/write_all.ts";

/** How often the line of numbers is drawn anew; milliseconds. */
const DRAW_MS = 500;
const LONGEST = 160;

/** What a batch shows while it runs, on standard error: a line for each attempt that ended, and on a terminal one of numbers. */
export class Progress {
  readonly #total: number;
  readonly #jobs: number;
  readonly #isQuiet: boolean;
  readonly #isTerminal: boolean;
  readonly #started = performance.now();
  #passed = 0;
  #failed = 0;
  #running = 0;
  #costUsd = 0;
  #elsewhere = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor({ total, jobs, isQuiet }: { readonly total: number; readonly jobs: number; readonly isQuiet: boolean }) {
    this.#total = total;
    this.#jobs = jobs;
    this.#isQuiet = isQuiet;
    this.#isTerminal = !isQuiet && Deno.stderr.isTerminal();
    if (this.#isTerminal) this.#timer = setInterval(() => this.#draw(), DRAW_MS);
  }

  get passed(): number {
    return this.#passed;
  }

  get failed(): number {
    return this.#failed;
  }

  get costUsd(): number {
    return this.#costUsd;
  }

  get elsewhere(): number {
    return this.#elsewhere;
  }

  /** Another process of the same batch has one. */
  leave(): void {
    this.#elsewhere++;
  }

  begun(): void {
    this.#running++;
    this.#draw();
  }

  ended(record: AttemptRecord, how: "kept" | "interrupted" | "known elsewhere"): void {
    this.#running--;
    this.#costUsd += record.costUsd;
    if (how === "kept") record.passed ? this.#passed++ : this.#failed++;
    if (how === "known elsewhere") this.#elsewhere++;
    this.say(attemptLine(record, how));
  }

  /** One line of its own. */
  say(line: string): void {
    if (this.#isQuiet) return;
    writeAll(Deno.stderr, `${this.#isTerminal ? "\r\x1b[K" : ""}${line}\n`);
    this.#draw();
  }

  /** The line of numbers is gone, and no other one comes. Safe to call twice. */
  close(): void {
    clearInterval(this.#timer);
    if (this.#timer !== undefined) writeAll(Deno.stderr, "\r\x1b[K");
    this.#timer = undefined;
  }

  #draw(): void {
    if (this.#timer === undefined) return;
    const done = this.#passed + this.#failed;
    const left = Math.max(0, this.#total - done - this.#elsewhere);
    const perAttempt = (performance.now() - this.#started) / Math.max(1, done);
    const parts = [
      `${done} done`,
      ...(this.#failed > 0 ? [`${this.#failed} failed`] : []),
      `${this.#running} running`,
      `${Math.max(0, left - this.#running)} waiting`,
      dollars(this.#costUsd),
      ...(done < this.#jobs || left === 0 ? [] : [`about ${duration(perAttempt * left)} left`]),
    ];
    const { columns } = Deno.consoleSize();
    writeAll(Deno.stderr, `\r\x1b[K${parts.join(" · ").slice(0, columns - 1)}`);
  }
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
