import type { ExtensionFacts } from "../../core/host_actions.ts";
import type { Registration } from "../events/extension.ts";
import type { ExtensionApi, ExtensionContext, ExtensionUi } from "./api.ts";

/** The way from an extension to the program: over messages from a worker, directly in the same process. */
export interface Port {
  readonly facts: ExtensionFacts;
  /** Asks the program for one of `ACTIONS`; rejects with its refusal. */
  call(method: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
  /** What the extension brings has changed. */
  changed(registration: Registration): void;
}

/** The part of the API that only asks the program: the same in `sp` and in `ctx`. */
type Asking = Omit<ExtensionApi, "on" | "registerTool" | "registerCommand" | "registerFlag" | "getFlag">;

/** Builds the questions to the program over a port. Answers have the types that the table of actions promises. */
export function askingApi(port: Port): Asking {
  // The host checks what it is asked; what it answers has the type of the action's method.
  // deno-lint-ignore no-explicit-any -- one cast for all answers
  const ask = (method: string, ...args: readonly unknown[]): Promise<any> => port.call(method, args);
  return {
    ui: dialogs(port),
    sendMessage: (message, options = {}) => ask("sendMessage", { display: true, ...message }, options),
    sendUserMessage: (content, options = {}) => ask("sendUserMessage", content, options),
    appendEntry: (customType, data) => ask("appendEntry", customType, data ?? null),
    getActiveTools: () => ask("getActiveTools"),
    getAllTools: () => ask("getAllTools"),
    setActiveTools: (names) => ask("setActiveTools", names),
    setModel: (model) => ask("setModel", model),
    getThinkingLevel: () => ask("getThinkingLevel"),
    setThinkingLevel: (level) => ask("setThinkingLevel", level),
    exec: (command, args = [], { signal, ...options } = {}) =>
      // As above.
      port.call("exec", [command, args, options], signal) as ReturnType<ExtensionApi["exec"]>,
    getSystemPrompt: () => ask("getSystemPrompt"),
    getContextUsage: () => ask("getContextUsage"),
    compact: (options = {}) => ask("compact", options),
    getSessionName: () => ask("getSessionName"),
    setSessionName: (name) => ask("setSessionName", name),
    setLabel: (entryId, label) => ask("setLabel", entryId, label ?? null),
  };
}

/** What a handler gets besides its event, for all calls but for their signals. */
export function contextBase(port: Port, asking: Asking): Omit<ExtensionContext, "signal"> {
  // deno-lint-ignore no-explicit-any -- as in askingApi
  const ask = (method: string): Promise<any> => port.call(method, []);
  const { ui, exec, getSystemPrompt, getContextUsage, compact } = asking;
  return {
    ...port.facts,
    ...{ ui, exec, getSystemPrompt, getContextUsage, compact },
    getModel: () => ask("getModel"),
    getEntries: () => ask("getEntries"),
    isIdle: () => ask("isIdle"),
    abort: () => ask("abort"),
  };
}

function dialogs(port: Port): ExtensionUi {
  // deno-lint-ignore no-explicit-any -- as in askingApi
  const ask = (method: string, args: readonly unknown[], signal?: AbortSignal): Promise<any> =>
    port.call(method, args, signal);
  return {
    select: (title, options, { signal, ...dialog } = {}) => ask("ui.select", [title, options, dialog], signal),
    confirm: (title, message, { signal, ...dialog } = {}) => ask("ui.confirm", [title, message, dialog], signal),
    input: (title, placeholder = "", { signal, ...dialog } = {}) =>
      ask("ui.input", [title, placeholder, dialog], signal),
    notify: (message, level = "info") => ask("ui.notify", [message, level]),
    setStatus: (key, text) => ask("ui.setStatus", [key, text ?? null]),
  };
}
