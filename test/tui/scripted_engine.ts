// An engine without a model: the test says what happens. For speed and for what a recorded model cannot be made to do.
import type { Engine, EngineState } from "../../src/core/engine.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import type { AgentMessage } from "../../src/core/message.ts";
import type { Policy } from "../../src/core/policy.ts";

/** A policy as it is after a plain start. */
export const POLICY: Policy = {
  root: "/w/app",
  home: "/home/ann",
  tmp: "/tmp/s",
  cache: "/tmp/c",
  read: { all: false, list: ["/w/app", "/usr"] },
  write: { all: false, list: ["/w/app", "/tmp/s", "/tmp/c"] },
  run: { all: true, list: [] },
  net: { all: false, list: [] },
  env: {},
  denyRead: [],
  denyWrite: [],
  protected: [],
  limits: {
    bashTimeoutMs: 1,
    bashMaxTimeoutMs: 1,
    outputBytes: 1,
    outputLines: 1,
    fileBytes: 1,
    openFiles: 1,
    processes: 1,
    memoryBytes: 1,
  },
  sandbox: "kernel",
};

/** The state of a session in which nothing has happened. */
export const STATE: EngineState = {
  cwd: "/w/app",
  sessionId: "0123abcd",
  model: { provider: "p", id: "model-1", contextWindow: 100_000 },
  thinking: "off",
  isStreaming: false,
  isCompacting: false,
  autoCompaction: true,
  autoRetry: true,
  steeringMode: "one-at-a-time",
  followUpMode: "one-at-a-time",
  steering: [],
  followUp: [],
  messageCount: 0,
  context: { tokens: 0, contextWindow: 100_000 },
  totals: {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cost: 0,
    toolCalls: 0,
    userMessages: 0,
    assistantMessages: 0,
  },
  policy: POLICY,
  todo: [],
  background: [],
  denials: [],
};

/** An engine that notes what it is asked and says what it is told to. */
export interface ScriptedEngine extends Engine {
  readonly emit: (event: AgentEvent) => void;
  readonly set: (state: Partial<EngineState>) => void;
  /** What was called, in order, for example `prompt hello`. */
  readonly asked: readonly string[];
}

/** Opens one with an earlier conversation. */
export function scriptedEngine(messages: readonly AgentMessage[] = []): ScriptedEngine {
  const listeners = new Set<(event: AgentEvent) => void>();
  const asked: string[] = [];
  let state = STATE;
  const note = (text: string): Promise<void> => {
    asked.push(text);
    return Promise.resolve();
  };
  const none = (): never => {
    throw new Error("not in this script");
  };
  return {
    asked,
    emit: (event) => listeners.forEach((listener) => listener(event)),
    set: (changed) => void (state = { ...state, ...changed }),
    notices: [],
    state: () => state,
    bill: () => Promise.resolve([]),
    messages: () => messages,
    undoPoints: () => Promise.resolve([]),
    undo: none,
    trial: () => undefined,
    beginTrial: none,
    trialChanges: none,
    endTrial: none,
    trialResult: () => undefined,
    store: () => ({
      header: { type: "session", version: 3, id: "0123abcd", timestamp: "", cwd: "/w/app" },
      path: undefined,
      entries: () => [],
      entry: () => undefined,
      leaf: () => null,
      pathTo: () => [],
      append: none,
      branch: none,
      sync: () => {},
      syncSoon: () => {},
      close: () => {},
    }),
    tools: () => [],
    commands: () => [{ name: "deploy", description: "of an extension", kind: "extension" }],
    compiled: none,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async prompt({ text, whileBusy }) {
      await note(`prompt ${text}${whileBusy ? ` (${whileBusy})` : ""}`);
      return { kind: "handled" };
    },
    resume: none,
    steer: (text) => note(`steer ${text}`).then(() => "queued"),
    followUp: (text) => note(`followUp ${text}`).then(() => "queued"),
    clearQueues: () => {
      void note("clearQueues");
      return [];
    },
    setQueueModes: () => {},
    abort: () => note("abort"),
    abortBash: () => note("abortBash"),
    waitForIdle: () => Promise.resolve(),
    bash: none,
    compact: none,
    setAutoCompaction: () => {},
    setAutoRetry: () => {},
    stopBackground: (id) => note(`stopBackground ${id}`),
    allow: ({ kind, grant }, duration) => note(`allow ${kind} ${grant} ${duration}`),
    startPlan: () => note("startPlan"),
    answerPlan: (answer) =>
      note(`answerPlan ${answer.kind}${answer.kind === "accept" ? ` ${answer.text ?? ""}` : ""}`.trim()).then(() =>
        undefined
      ),
    setModel: (id) => note(`setModel ${id}`),
    setThinking: (level) => void note(`setThinking ${level}`),
    setActiveTools: (names) => names,
    newSession: none,
    switchSession: none,
    fork: none,
    navigate: none,
    setName: (name) => void note(`setName ${name}`),
    setLabel: () => {},
    reload: () => note("reload"),
    close: () => Promise.resolve(),
  };
}
