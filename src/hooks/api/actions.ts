import { THINKING_LEVELS } from "../../core/provider.ts";
import type { HostActions, HostCall } from "../../core/host_actions.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { stripControls } from "../../core/support/text.ts";
import { isList, isTexts } from "../events/json_text.ts";
import { isDraft, isTextOrContent } from "../events/message_shape.ts";

/** Longest text that reaches a screen, UTF-16 units. */
const SCREEN_UNITS = 20_000;

const LEVELS = ["info", "warning", "error"] as const;

type Args = readonly JsonValue[];

/** One thing that an extension can ask of the program; throws for arguments of the wrong shape. */
interface Action {
  /** While one of these is open the extension waits for somebody else, and its time does not run. */
  readonly isWaiting?: boolean;
  run(host: HostActions, args: Args, call: HostCall): Promise<unknown>;
}

/** Everything that extensions can ask of the program, by name. A name that is not here does not exist. */
export const ACTIONS: ReadonlyMap<string, Action> = new Map(Object.entries(
  {
    "ui.select": {
      isWaiting: true,
      run: (host, [title, options, dialog], call) =>
        host.ui.select(screen(title), texts(options).map(screen), limits(dialog), call),
    },
    "ui.confirm": {
      isWaiting: true,
      run: (host, [title, message, dialog], call) =>
        host.ui.confirm(screen(title), screen(message), limits(dialog), call),
    },
    "ui.input": {
      isWaiting: true,
      run: (host, [title, placeholder, dialog], call) =>
        host.ui.input(screen(title), screen(placeholder), limits(dialog), call),
    },
    "ui.notify": { run: (host, [message, level], call) => host.ui.notify(screen(message), oneOf(LEVELS, level), call) },
    "ui.setStatus": {
      run: (host, [key, text], call) => host.ui.setStatus(screen(key), text === null ? undefined : screen(text), call),
    },
    sendMessage: {
      run: (host, [message, options], call) => {
        if (!isDraft(message)) throw new TypeError("a message has customType, content and display");
        const { customType, content, display, details } = message;
        const { triggerTurn, deliverAs } = fields(options);
        return host.sendMessage({ customType, content, display, ...(details ? { details } : {}) }, {
          ...(triggerTurn === undefined ? {} : { triggerTurn: triggerTurn === true }),
          ...(deliverAs === undefined ? {} : { deliverAs: oneOf(["steer", "followUp", "nextTurn"], deliverAs) }),
        }, call);
      },
    },
    sendUserMessage: {
      run: (host, [content, options], call) => {
        if (!isTextOrContent(content)) throw new TypeError("content is a text or a list of text and image parts");
        const { deliverAs } = fields(options);
        const delivery = deliverAs === undefined ? {} : { deliverAs: oneOf(["steer", "followUp"], deliverAs) };
        return host.sendUserMessage(content, delivery, call);
      },
    },
    appendEntry: { run: (host, [type, data], call) => host.appendEntry(text(type), data ?? undefined, call) },
    getEntries: { run: (host, _, call) => host.getEntries(call) },
    getActiveTools: { run: (host, _, call) => host.getActiveTools(call) },
    getAllTools: { run: (host, _, call) => host.getAllTools(call) },
    setActiveTools: { run: (host, [names], call) => host.setActiveTools(texts(names), call) },
    getModel: { run: (host, _, call) => host.getModel(call) },
    setModel: { run: (host, [model], call) => host.setModel(text(model), call) },
    getThinkingLevel: { run: (host, _, call) => host.getThinkingLevel(call) },
    setThinkingLevel: { run: (host, [level], call) => host.setThinkingLevel(oneOf(THINKING_LEVELS, level), call) },
    exec: {
      isWaiting: true,
      run: (host, [command, args, options], call) => {
        const { cwd, timeoutMs } = fields(options);
        const where = cwd === undefined ? {} : { cwd: text(cwd) };
        return host.exec(text(command), texts(args), { ...where, ...limits({ timeoutMs: timeoutMs ?? null }) }, call);
      },
    },
    getSystemPrompt: { run: (host, _, call) => host.getSystemPrompt(call) },
    getContextUsage: { run: (host, _, call) => host.getContextUsage(call) },
    compact: {
      isWaiting: true,
      run: (host, [options], call) => {
        const { customInstructions } = fields(options);
        return host.compact(
          customInstructions === undefined ? {} : { customInstructions: text(customInstructions) },
          call,
        );
      },
    },
    getSessionName: { run: (host, _, call) => host.getSessionName(call) },
    setSessionName: { run: (host, [name], call) => host.setSessionName(screen(name), call) },
    setLabel: {
      run: (host, [id, label], call) => host.setLabel(text(id), label === null ? undefined : screen(label), call),
    },
    isIdle: { run: (host, _, call) => host.isIdle(call) },
    abort: { run: (host, _, call) => host.abort(call) },
  } satisfies Record<string, Action>,
));

function text(value: JsonValue | undefined): string {
  if (typeof value !== "string") throw new TypeError("an argument must be a text");
  return value;
}

/** A text that will be shown: nothing in it can steer a terminal. */
function screen(value: JsonValue | undefined): string {
  return stripControls(text(value)).slice(0, SCREEN_UNITS);
}

function texts(value: JsonValue | undefined): readonly string[] {
  if (!isTexts(value)) throw new TypeError("an argument must be a list of texts");
  return value;
}

function fields(value: JsonValue | undefined): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isObject(value) || isList(value)) throw new TypeError("options must be an object");
  return value;
}

function limits(value: JsonValue | undefined): { readonly timeoutMs?: number } {
  const { timeoutMs } = fields(value);
  if (timeoutMs === undefined || timeoutMs === null) return {};
  if (typeof timeoutMs !== "number" || !(timeoutMs > 0)) throw new TypeError("timeoutMs must be a positive number");
  return { timeoutMs };
}

function oneOf<const T extends string>(choices: readonly T[], value: JsonValue | undefined): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new TypeError(`an argument must be one of ${choices.join(", ")}`);
  return found;
}
