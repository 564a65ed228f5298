import process from "node:process";
import type { PromptOutcome } from "../../src/core/engine.ts";
import { messageOf, UserError } from "../../src/core/error.ts";
import { NPM_PACKAGE, SDK_PACKAGE } from "../../src/core/version.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import type { Agent, Said } from "../../src/cli/sdk/agent_api.ts";
import { errorOf } from "../../src/cli/sdk/questions.ts";
import { type ProgramLine, SDK_PROTOCOL, SDK_WORD, type WireMethod, type WireOptions } from "../../src/cli/sdk/wire.ts";
import { answersOf } from "./answers.ts";
import { binaryOf } from "./binary.ts";
import { connect, type Connection } from "./connection.ts";
import type { SdkOptions } from "./options.ts";
import { createView, type View } from "./view.ts";

/**
 * Opens an agent in a sandpiper process of its own. Throws UserError for options that cannot be had, and where the program
 * cannot be started or is of another version; nothing is left running then.
 *
 * Everything of the options, keys among it, goes to the program over its standard input, never in its arguments.
 */
export async function createAgent(options: SdkOptions = {}): Promise<Agent> {
  const env = options.env ?? strings(process.env);
  const view = createView();
  const listeners = new Set<(event: AgentEvent) => void>();
  const tell = (event: AgentEvent): void => {
    for (const listener of [...listeners]) listener(event);
  };
  let opened = (_error?: Error): void => {};
  const opening = new Promise<void>((resolve, reject) => opened = (error) => error ? reject(error) : resolve());
  const answers = answersOf(options, () => connection);
  const take = (line: ProgramLine): void => {
    switch (line.type) {
      case "view":
        return view.apply(line.view);
      case "event":
        return tell(line.event);
      case "question":
        return answers.question(line.id, line);
      case "cancel":
        return answers.cancel(line.id);
      case "opened":
        return opened(line.protocol === SDK_PROTOCOL ? undefined : otherProtocol(line.protocol, line.version));
      case "failed":
        return opened(errorOf(line.error));
    }
  };
  const connection = connect({ command: [...binaryOf(options.binary, env), SDK_WORD], env }, take, answers.thrownBy);
  connection.send({ type: "open", protocol: SDK_PROTOCOL, options: wireOptions(options), ...answers.offered });
  try {
    await Promise.race([opening, connection.ended]);
    connection.opened();
  } catch (error) {
    await connection.close();
    throw error;
  }
  return agentOf(connection, view, listeners, tell);
}

/** An agent over an open connection. */
function agentOf(
  { call, close }: Connection,
  view: View,
  listeners: Set<(event: AgentEvent) => void>,
  tell: (event: AgentEvent) => void,
): Agent {
  /** Calls a method of the agent in the program: the same, with the same arguments. */
  const remote = <M extends WireMethod>(method: M) => (...args: Parameters<Agent[M]>): Promise<never> => {
    const given: unknown[] = args.slice(0, args.findLastIndex((arg) => arg !== undefined) + 1);
    return call(method, given) as Promise<never>; // what the method of the same name gave
  };
  /** The same for a method that gives nothing: what it throws there comes as a notice. */
  const order = <M extends WireMethod>(method: M, ...args: Parameters<Agent[M]>): void => {
    remote(method)(...args).catch((error) => tell({ type: "notice", level: "error", message: messageOf(error) }));
  };
  const agent: Agent = {
    get notices() {
      return view.notices;
    },
    state: () => view.state,
    messages: () => view.messages,
    store: () => view.store,
    tools: () => view.tools,
    commands: () => view.commands,
    compiled: () => view.compiled,
    trial: () => view.trial,
    trialResult: () => view.trialResult,
    subscribe(listener) {
      // Each has its own, also where the same function listens twice.
      const own = (event: AgentEvent): void => listener(event);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    run: (said) => eventsOf(agent, said),
    answer: remote("answer"),
    bill: remote("bill"),
    prompt: remote("prompt"),
    resume: remote("resume"),
    steer: remote("steer"),
    followUp: remote("followUp"),
    clearQueues() {
      const { steering, followUp } = view.state;
      order("clearQueues");
      view.set({ steering: [], followUp: [] });
      return [...steering, ...followUp].map((content) => ({ role: "user", content, timestamp: Date.now() }));
    },
    setQueueModes(modes) {
      order("setQueueModes", modes);
      view.set({
        ...(modes.steering ? { steeringMode: modes.steering } : {}),
        ...(modes.followUp ? { followUpMode: modes.followUp } : {}),
      });
    },
    abort: remote("abort"),
    waitForIdle: remote("waitForIdle"),
    bash: remote("bash"),
    abortBash: remote("abortBash"),
    stopBackground: remote("stopBackground"),
    compact: remote("compact"),
    setAutoCompaction(on) {
      order("setAutoCompaction", on);
      view.set({ autoCompaction: on });
    },
    setAutoRetry(on) {
      order("setAutoRetry", on);
      view.set({ autoRetry: on });
    },
    allow: remote("allow"),
    startPlan: remote("startPlan"),
    answerPlan: remote("answerPlan"),
    setModel: remote("setModel"),
    setThinking(level, source) {
      order("setThinking", level, source);
      view.set({ thinking: level });
    },
    setActiveTools(names) {
      const tools = view.tools.map((tool) => ({ ...tool, active: names.includes(tool.name) }));
      order("setActiveTools", names);
      view.apply({ tools });
      return tools.filter(({ active }) => active).map(({ name }) => name);
    },
    newSession: remote("newSession"),
    switchSession: remote("switchSession"),
    fork: remote("fork"),
    navigate: remote("navigate"),
    setName(name) {
      order("setName", name);
      view.set({ sessionName: name });
    },
    setLabel: (entryId, label) => order("setLabel", entryId, label),
    undoPoints: remote("undoPoints"),
    undo: remote("undo"),
    beginTrial: remote("beginTrial"),
    trialChanges: remote("trialChanges"),
    endTrial: remote("endTrial"),
    reload: remote("reload"),
    close,
    [Symbol.asyncDispose]: close,
  };
  return agent;
}

/** The events of one prompt, as a stream that ends with it; whoever walks away from it stops the run. */
async function* eventsOf(agent: Agent, said: Said): AsyncGenerator<AgentEvent, PromptOutcome> {
  let items: (AgentEvent | { readonly done: PromptOutcome } | { readonly failed: unknown })[] = [];
  let arrived = (): void => {};
  const put = (item: (typeof items)[number]): void => {
    items.push(item);
    arrived();
  };
  const unsubscribe = agent.subscribe(put);
  try {
    agent.prompt({ ...(typeof said === "string" ? { text: said } : said), source: "rpc" })
      .then((done) => put({ done }), (failed) => put({ failed }));
    for (;;) {
      if (items.length === 0) await new Promise<void>((resolve) => arrived = resolve);
      const taken = items;
      items = [];
      for (const item of taken) {
        if ("done" in item) return item.done;
        if ("failed" in item) throw item.failed;
        yield item;
      }
    }
  } finally {
    unsubscribe();
    await agent.abort().catch(() => {}); // a program that has ended runs nothing
  }
}

/** What is plain data in the options; the rest is asked for. */
function wireOptions(options: SdkOptions): WireOptions {
  const { model, customTools, extensions, promptBuilder, ask, ui, askGrant, augments, binary, ...plain } = options;
  void [model, customTools, extensions, promptBuilder, ask, ui, askGrant, augments, binary];
  return plain;
}

function strings(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]));
}

function otherProtocol(theirs: number, version: string): UserError {
  return new UserError({
    what: "This package and the sandpiper binary do not fit together",
    why:
      `the binary is sandpiper ${version} and speaks version ${theirs} of the lines between them, this one ${SDK_PROTOCOL}`,
    fix: `Install ${NPM_PACKAGE} and ${SDK_PACKAGE} of the same version`,
  });
}
