import type { Engine } from "../core/engine.ts";
import { messageOf } from "../core/error.ts";
import type { ExecResult, HostActions, HostUi } from "../core/host_actions.ts";
import { type CustomMessage, textOf } from "../core/message.ts";
import type { EngineCore } from "./parts.ts";
import { type Pending, whenIdle } from "./work.ts";
import type { Prompting } from "./prompting.ts";

/** What extensions can do to the session; `engine` is asked when they do it, because it is made after them. */
export function hostActions(
  core: EngineCore,
  pending: Pending,
  prompting: Prompting,
  engine: () => Engine,
  ui: HostUi,
): HostActions {
  const done = Promise.resolve();
  return {
    ui,
    sendMessage(draft, { triggerTurn, deliverAs }) {
      const message: CustomMessage = { role: "custom", ...draft, timestamp: Date.now() };
      const isRunning = core.work.kind() === "run";
      if (deliverAs === "nextTurn") pending.nextTurn(message);
      else if (isRunning && deliverAs === "followUp") core.queues.followUp(message);
      else if (isRunning) core.queues.steer(message);
      else if (triggerTurn) prompting.goSoon([message]);
      else pending.add(message);
      return done;
    },
    async sendUserMessage(content, { deliverAs }, { extension }) {
      const text = textOf(content);
      const images = typeof content === "string" ? [] : content.filter((part) => part.type === "image");
      const input = { text, source: "extension" as const, ...(images.length > 0 ? { images } : {}) };
      const running = engine().prompt({ ...input, whileBusy: deliverAs ?? "followUp" });
      // A prompt that starts a run is not awaited: the run may itself be waiting for this extension.
      if (core.work.kind() !== "run") return void await running;
      void running.catch((error) =>
        core.notify(`extension ${extension}: its message was not sent: ${messageOf(error)}`, "error")
      );
    },
    appendEntry(customType, data) {
      core.conversation.append({ type: "custom", customType, ...(data === undefined ? {} : { data }) });
      return done;
    },
    getEntries: () => Promise.resolve(core.conversation.store().pathTo()),
    getActiveTools: () => Promise.resolve(core.toolset.active().map(({ tool }) => tool.name)),
    getAllTools: () => Promise.resolve(core.toolset.views().map(({ name, description }) => ({ name, description }))),
    setActiveTools(names) {
      const known = core.toolset.views().map(({ name }) => name);
      const unknown = names.filter((name) => !known.includes(name));
      if (unknown.length > 0) return Promise.reject(noSuchTools(unknown, known));
      engine().setActiveTools(names);
      return done;
    },
    getModel: () => Promise.resolve({ provider: core.model.provider(), id: core.model.id() }),
    async setModel(model) {
      try {
        await engine().setModel(model);
        return true;
      } catch {
        return false;
      }
    },
    getThinkingLevel: () => Promise.resolve(core.model.thinking()),
    setThinkingLevel(level) {
      engine().setThinking(level);
      return done;
    },
    exec: (command, args, options, { signal }) => execInScope(core, [command, ...args], options, signal),
    getSystemPrompt: () => Promise.resolve(core.prompt.peek().full),
    async getContextUsage() {
      const { tokens, contextWindow } = await core.compactor.usage();
      return { tokens, contextWindow, percent: contextWindow > 0 ? Math.min(100, tokens * 100 / contextWindow) : 0 };
    },
    async compact({ customInstructions }) {
      const compact = () => engine().compact(customInstructions);
      // The run may be waiting for the very handler that asks for the compaction.
      await (prompting.isEnding() ? whenIdle(core.work, compact) : compact());
    },
    getSessionName: () => Promise.resolve(engine().state().sessionName),
    setSessionName(name) {
      engine().setName(name);
      return done;
    },
    setLabel(entryId, label) {
      engine().setLabel(entryId, label);
      return done;
    },
    isIdle: () => Promise.resolve(core.work.kind() === undefined),
    async abort() {
      await engine().abort();
    },
  };
}

function noSuchTools(names: readonly string[], known: readonly string[]): Error {
  const said = names.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 100))).join(", ");
  return new Error(`this session has no tool ${said}; it has ${known.join(", ") || "none"}`);
}

/** Emits an event when a prompt to the user opens or closes. */
export type TellQuestion = (
  event: { readonly type: "ui_prompt_start" | "ui_prompt_end"; readonly kind: string; readonly title: string },
) => void;

/** Questions of extensions to the person, told to whoever listens. */
export function announcedUi(ui: HostUi, tell: TellQuestion): HostUi {
  const told = async <T>(kind: string, title: string, ask: () => Promise<T>): Promise<T> => {
    tell({ type: "ui_prompt_start", kind, title });
    try {
      return await ask();
    } finally {
      tell({ type: "ui_prompt_end", kind, title });
    }
  };
  return {
    ...ui,
    select: (title, ...rest) => told("select", title, () => ui.select(title, ...rest)),
    confirm: (title, ...rest) => told("confirm", title, () => ui.confirm(title, ...rest)),
    input: (title, ...rest) => told("input", title, () => ui.input(title, ...rest)),
  };
}

/** For modes in which nobody can be asked: questions are not answered, and what is told becomes a notice. */
export function mutedUi(tell: (message: string, level: "info" | "warning" | "error") => void): HostUi {
  const nobody = Promise.resolve(undefined);
  return {
    select: () => nobody,
    confirm: () => Promise.resolve(false),
    input: () => nobody,
    notify(message, level, { extension }) {
      tell(`${extension}: ${message}`, level);
      return nobody;
    },
    setStatus: () => nobody,
  };
}

/** For looking at what extensions bring: there is no session that they could do anything to. */
export function noSession(ui: HostUi): HostActions {
  const refuse = () => Promise.reject(new Error("there is no session here"));
  return {
    ui,
    sendMessage: refuse,
    sendUserMessage: refuse,
    appendEntry: refuse,
    getEntries: () => Promise.resolve([]),
    getActiveTools: refuse,
    getAllTools: refuse,
    setActiveTools: refuse,
    getModel: () => Promise.resolve(undefined),
    setModel: () => Promise.resolve(false),
    getThinkingLevel: () => Promise.resolve("off"),
    setThinkingLevel: refuse,
    exec: refuse,
    getSystemPrompt: refuse,
    getContextUsage: () => Promise.resolve(undefined),
    compact: refuse,
    getSessionName: () => Promise.resolve(undefined),
    setSessionName: refuse,
    setLabel: refuse,
    isIdle: () => Promise.resolve(true),
    abort: refuse,
  };
}

/** Longest time of a program that names none, milliseconds. */
const DEFAULT_MS = 60_000;

/**
 * Runs a program for an extension in the scope of the bash tool, never wider. Outputs are cut where those of bash are.
 *
 * Throws when the bash tool is off.
 */
async function execInScope(
  core: EngineCore,
  [command, ...args]: readonly string[],
  { cwd, timeoutMs = DEFAULT_MS }: { readonly cwd?: string; readonly timeoutMs?: number },
  signal: AbortSignal,
): Promise<ExecResult> {
  const bash = core.toolset.active().find(({ tool }) => tool.name === "bash");
  if (!bash || command === undefined) {
    throw new Error("no program can be run: the bash tool, whose scope it would have, is off");
  }
  // The two outputs of one command come as one text; marks that nobody can guess tell them apart.
  const [first, last] = [crypto.randomUUID(), crypto.randomUUID()];
  const script = [
    ...(cwd === undefined ? [] : [`cd ${quote(cwd)} || exit 126`]),
    `e=$(mktemp) || exit 126`,
    `${[command, ...args].map(quote).join(" ")} 2>"$e"`,
    `c=$?`,
    `printf '%s' ${first}; cat "$e"; printf '%s' ${last}; rm -f "$e"; exit $c`,
  ].join("\n");
  const result = await bash.run({ command: script, timeout: Math.ceil(timeoutMs / 1000) }, `exec-${first}`, {
    signal,
    onUpdate: () => {},
  });
  const text = textOf(result.content);
  const [start, stop] = [text.indexOf(first), text.indexOf(last)];
  const { exitCode, ending = "exited" } = result.details ?? {};
  const end = { code: typeof exitCode === "number" ? exitCode : 1, killed: ending !== "exited" };
  if (start < 0 || stop < start) return { stdout: "", stderr: text, ...end };
  return { stdout: text.slice(0, start), stderr: text.slice(start + first.length, stop), ...end };
}

/** A word in quotes, always: as a first word, `if` and `A=b` would mean something else to a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
