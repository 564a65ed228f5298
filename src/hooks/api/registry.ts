import { messageOf } from "../../core/error.ts";
import type { HookName } from "../../core/hook_events.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { textResult } from "../../core/tool.ts";
import type { ToolResult } from "../../core/tool_result.ts";
import type { Extension, Registration } from "../events/extension.ts";
import { isEvent, readResult, reduceEvent } from "../events/decisions.ts";
import { checkTool, checkWord } from "../events/registration_shape.ts";
import type { CommandRegistration, ExtensionApi, FlagRegistration, ToolRegistration } from "./api.ts";
import { askingApi, contextBase, type Port } from "./api_object.ts";

/** An extension from inside: what it registered, and how that is called. The same in a worker and in process. */
export interface Registry extends Pick<Extension, "registration" | "runTool" | "runCommand" | "setFlags"> {
  readonly api: ExtensionApi;
  /** Runs the handlers of an event; gives the JSON text of a list of `HandlerOutcome`s. Never rejects. */
  emit(name: string, event: () => string, signal: AbortSignal): Promise<string>;
}

type AnyHandler = (event: unknown, ctx: unknown) => unknown;

/** An extension that has registered nothing yet. `describe` makes a text of what a handler threw. */
export function createRegistry(port: Port, describe: (error: unknown) => string = messageOf): Registry {
  const handlers: { readonly name: HookName; readonly handle: AnyHandler }[] = [];
  const tools = new Map<string, ToolRegistration>();
  const commands = new Map<string, CommandRegistration>();
  const flags = new Map<string, FlagRegistration>();
  let values: Readonly<Record<string, boolean | string>> = {};
  const asking = askingApi(port);
  const base = contextBase(port, asking);
  const registration = (): Registration => ({
    events: [...new Set(handlers.map(({ name }) => name))],
    tools: [...tools.values()].map(({ name, description, promptSnippet, promptGuidelines, parameters }) => ({
      ...{ name, description, parameters },
      ...(promptSnippet === undefined ? {} : { promptSnippet }),
      ...(promptGuidelines === undefined ? {} : { promptGuidelines }),
    })),
    commands: [...commands].map(([name, { description }]) => ({ name, description: description ?? "" })),
    flags: [...flags].map(([name, flag]) => ({ name, ...flag, description: flag.description ?? "" })),
  });
  const changed = (): void => port.changed(registration());
  /** Puts something in and returns what takes it out again. */
  const keep = <T>(map: Map<string, T>, name: string, item: T): () => void => {
    map.set(name, item);
    changed();
    return () => {
      if (map.get(name) === item) map.delete(name), changed();
    };
  };
  const api: ExtensionApi = {
    ...asking,
    on: (name, handler) => {
      if (!isEvent(name)) throw new TypeError(`on(): there is no event "${String(name)}"`);
      if (typeof handler !== "function") throw new TypeError(`on("${name}"): the handler is no function`);
      // Events are parsed from JSON that the program wrote for this name.
      const entry = { name, handle: handler as AnyHandler };
      handlers.push(entry);
      changed();
      return () => {
        const index = handlers.indexOf(entry);
        if (index >= 0) handlers.splice(index, 1), changed();
      };
    },
    registerTool: (tool) => {
      checkTool(tool);
      if (typeof tool.execute !== "function") throw new TypeError(`registerTool("${tool.name}"): execute is missing`);
      return keep<ToolRegistration>(tools, tool.name, tool);
    },
    registerCommand: (name, command) => {
      checkWord("command", name);
      if (typeof command?.handler !== "function") throw new TypeError(`registerCommand("${name}"): handler is missing`);
      return keep(commands, name, command);
    },
    registerFlag: (name, flag) => {
      checkWord("flag", name);
      if (flag?.type !== "boolean" && flag?.type !== "string") {
        throw new TypeError(`registerFlag("${name}"): type is boolean or string`);
      }
      flags.set(name, flag);
      changed();
    },
    getFlag: (name) => Object.hasOwn(values, name) ? values[name] : flags.get(name)?.default,
  };

  return {
    api,
    registration,
    emit: async (name, text, signal) => {
      const outcomes: string[] = [];
      const ctx = { ...base, signal };
      const mine = handlers.filter((entry) => entry.name === name);
      let event = parseEvent(name, text);
      for (const [index, { handle }] of mine.entries()) {
        try {
          const returned = await handle(event, ctx) ?? changedHeaders(name, event, text);
          const json = JSON.stringify(returned);
          outcomes.push(json === undefined ? '{"ok":true}' : `{"ok":true,"value":${json}}`);
          if (json === undefined || index === mine.length - 1) continue;
          const result = readResult(name, JSON.parse(json));
          const step = result ? reduceEvent(name, event, result) : { event, isDone: false };
          if (step.isDone) break;
          event = step.event;
        } catch (error) {
          outcomes.push(JSON.stringify({ ok: false, error: describe(error) }));
        }
      }
      return `[${outcomes.join(",")}]`;
    },
    runTool: async (name, args, callId, signal, onUpdate) => {
      const tool = tools.get(name);
      if (!tool) throw new Error(`the tool "${name}" is not registered any more`);
      const update = (partial: ToolResult | string): void => onUpdate(asResult(partial));
      return asResult(await tool.execute(callId, args, signal, update, { ...base, signal }));
    },
    runCommand: async (name, args, signal) => {
      const command = commands.get(name);
      if (!command) throw new Error(`the command "${name}" is not registered any more`);
      await command.handler(args, { ...base, signal });
    },
    setFlags: (given) => void (values = given),
  };
}

function asResult(result: ToolResult | string): ToolResult {
  return typeof result === "string" ? textResult(result) : result;
}

/** Extensions may change the headers in place instead of returning them. */
function changedHeaders(name: string, event: JsonObject, text: () => string): JsonObject | undefined {
  if (name !== "before_provider_headers") return undefined;
  const headers = JSON.stringify(event["headers"]);
  return headers === JSON.stringify(JSON.parse(text()).headers) ? undefined : { headers: event["headers"] ?? null };
}

/**
 * An event from its JSON text; a copy that nobody shares.
 *
 * The messages of a `context` event are read when they are first looked at: most handlers look at them in few turns, and
 * reading them is nearly all that the event costs.
 */
function parseEvent(name: string, text: () => string): JsonObject {
  // The program wrote the text from an object.
  if (name !== "context") return JSON.parse(text()) as JsonObject;
  let event: JsonObject | undefined;
  return {
    type: name,
    get messages(): JsonValue {
      return (event ??= JSON.parse(text()) as JsonObject)["messages"] ?? null;
    },
  };
}
