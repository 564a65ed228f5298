import { ToolError } from "../../core/error.ts";
import type { BackgroundView } from "../../core/engine.ts";
import type { AgentEvent } from "../../core/event.ts";
import { stripControls } from "../../core/support/text.ts";
import type { OpenShell } from "../../sandbox/shell/shell.ts";
import type { CustomMessage } from "../../core/message.ts";

/** Commands that go on after their call, as one shell has them. */
type Own = OpenShell["background"];

/** The same as the tools reach them, of all shells of the session. */
export interface Commands extends Omit<Own, "end" | "tail"> {
  /**
   * Settles when one has ended, after `ms`, when somebody has something to say, and when `signal` aborts; at once for one
   * that there is not.
   */
  readonly wait: (id: string, ms: number, signal: AbortSignal) => Promise<void>;
  /** The model has been told of the end of one: nobody tells it again. */
  readonly told: (id: string) => void;
}

/** The background commands of a session. */
export interface BackgroundCommands {
  /** Gives the commands of one shell the session's numbers. */
  readonly numbered: (own: Own) => Commands;
  /** All that were started, in order. */
  readonly list: () => readonly BackgroundView[];
  /** Whether a process of one of them runs. */
  readonly isBusy: () => boolean;
  /** Ends one, politely first. Throws ToolError when there is none of that name. */
  readonly stop: (id: string) => Promise<void>;
  readonly hasUntold: () => boolean;
  /** Those whose end the model does not know of; they are not given again. */
  readonly takeUntold: () => readonly BackgroundView[];
  /**
   * Ends all that run, politely first, when the last run of the session is over; resolves when none of their processes is left.
   * For people and the report they ran until the session ended: `list` shows them as running, and their ends are told by
   * `tellLast`.
   */
  readonly endWithRun: () => Promise<void>;
  /** Tells of the ends that `endWithRun` held back. */
  readonly tellLast: () => void;
  /** Ends all waits. */
  readonly wake: () => void;
  /** Another conversation begins: its model is told nothing of the commands of the one before, which go on. */
  readonly beginSession: () => void;
}

/** Lines of the end of an output. */
const LAST_LINES = 20;

/**
 * One numbering for the background commands of a session: each shell of it counts for itself, and a grant makes another.
 *
 * A command stays with the shell, and so with the policy, that started it. `tell` hears of beginnings and ends.
 */
export function backgroundCommands(tell: (event: AgentEvent) => void = () => {}): BackgroundCommands {
  const started = new Map<string, { readonly own: Own; readonly id: string }>();
  const untold = new Set<string>();
  let foreign: ReadonlySet<string> = new Set();
  const sleepers = new Set<() => void>();
  const raw = (id: string) => {
    const at = started.get(id);
    return at?.own.list().find((command) => command.id === at.id);
  };
  /** As they were when the last run was over. */
  const withRun = new Map<string, BackgroundView>();
  const heldBack: AgentEvent[] = [];
  const viewNow = (id: string): BackgroundView | undefined => {
    const [at, command] = [started.get(id), raw(id)];
    if (!at || !command) return undefined;
    return { ...command, id, tail: lastLines(at.own.tail(at.id)) };
  };
  const view = (id: string): BackgroundView | undefined => withRun.get(id) ?? viewNow(id);
  const list = (): readonly BackgroundView[] => [...started.keys()].flatMap((id) => view(id) ?? []);
  const owner = (id: string): { readonly own: Own; readonly id: string } => {
    const at = started.get(id);
    if (at) return at;
    const running = list().filter(({ exitCode }) => exitCode === undefined).map((command) => command.id);
    throw new ToolError(`No background command ${id}. Running: ${running.join(", ") || "none"}.`);
  };
  const follow = async (id: string): Promise<void> => {
    const at = owner(id);
    await at.own.end(at.id);
    const ended = viewNow(id);
    if (ended?.exitCode === undefined) return;
    const { command, exitCode, why, startedAt, endedAt = startedAt, tail } = ended;
    const isWithRun = withRun.has(id);
    if (!foreign.has(id) && !isWithRun) untold.add(id);
    const say = isWithRun ? (event: AgentEvent) => void heldBack.push(event) : tell;
    say({
      type: "background_end",
      id,
      command,
      exitCode,
      ...(why === undefined ? {} : { reason: why }),
      tail,
      durationMs: endedAt - startedAt,
    });
  };
  const stop = async (id: string) => {
    const at = owner(id);
    return { ...await at.own.stop(at.id), id };
  };
  const told = (id: string): void => void untold.delete(id);

  return {
    list,
    isBusy: () => [...started.keys()].map(raw).some((command) => command && command.exitCode === undefined),
    stop: async (id) => void await stop(id),
    hasUntold: () => untold.size > 0,
    takeUntold() {
      const taken = [...untold].flatMap((id) => view(id) ?? []);
      untold.clear();
      return taken;
    },
    async endWithRun() {
      const running = list().filter(({ exitCode }) => exitCode === undefined);
      for (const command of running) withRun.set(command.id, command);
      await Promise.all(running.map(({ id }) => stop(id)));
    },
    tellLast: () => heldBack.splice(0).forEach(tell),
    wake: () => sleepers.forEach((wake) => wake()),
    beginSession() {
      foreign = new Set(started.keys());
      untold.clear();
    },
    numbered: (own) => ({
      async start(command) {
        const begun = await own.start(command);
        const id = `b${started.size + 1}`;
        started.set(id, { own, id: begun.id });
        const { outputPath } = begun;
        tell({ type: "background_start", id, command, ...(outputPath === undefined ? {} : { outputPath }) });
        const following = follow(id);
        // One that has ended at once is told of before its call ends.
        if (begun.exitCode !== undefined) await following;
        else following.catch(() => {}); // what it runs in is closing
        return { ...begun, id };
      },
      stop,
      list: () =>
        [...started.keys()].flatMap((id) => {
          const command = raw(id);
          return command ? [{ ...command, id }] : [];
        }),
      fresh: (id) => {
        const at = owner(id);
        return at.own.fresh(at.id);
      },
      async wait(id, ms, signal) {
        const at = owner(id);
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        signal.addEventListener("abort", () => resolve(), { once: true });
        if (signal.aborted) resolve();
        sleepers.add(resolve);
        await Promise.race([promise, at.own.end(at.id)]);
        clearTimeout(timer);
        sleepers.delete(resolve);
      },
      told,
    }),
  };
}

function lastLines(text: string): string {
  return text.replace(/\n+$/, "").split("\n").slice(-LAST_LINES).join("\n");
}

/** Longest command that is said again, UTF-16 units. */
const COMMAND_UNITS = 200;

/** What the model is told of commands in the background that have ended since it was told last. */
export function backgroundNews(background: Pick<BackgroundCommands, "takeUntold">): readonly CustomMessage[] {
  return background.takeUntold().map((command) => ({
    role: "custom",
    customType: "background",
    content: newsText(command),
    display: false, // people are told by an event
    details: { id: command.id, exitCode: command.exitCode ?? 0 },
    timestamp: Date.now(),
  }));
}

function newsText(
  { id, command, exitCode, why, startedAt, endedAt = startedAt, tail, outputPath }: BackgroundView,
): string {
  const said = command.length > COMMAND_UNITS ? `${command.slice(0, COMMAND_UNITS).toWellFormed()}…` : command;
  const how = why === undefined ? "" : ` (${why})`;
  const seconds = ((endedAt - startedAt) / 1000).toFixed(1);
  return [
    `Background command ${id} has ended with code ${exitCode}${how} after ${seconds} s: ${said}`,
    tail.trim() === "" ? "It printed nothing." : `Its last lines:\n${tail}`,
    ...(outputPath === undefined ? [] : [`All of its output: ${outputPath}`]),
  ].join("\n");
}

/** What is said of commands that ran until the session ended; the words are a model's, so that nothing in them may steer. */
export function endedWithSession(commands: readonly BackgroundView[]): readonly string[] {
  return commands.filter(({ exitCode }) => exitCode === undefined).map(({ id, command }) => {
    const line = stripControls(command).replace(/\s+/g, " ");
    const shown = line.length > 80 ? `${line.slice(0, 79)}…` : line;
    return `${id} ran in the background and was ended with the session: ${shown}`;
  });
}
