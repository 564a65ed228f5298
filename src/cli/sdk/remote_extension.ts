import type { ExtensionFacts, HostActions } from "../../core/host_actions.ts";
import type { JsonObject } from "../../core/json.ts";
import { actFor } from "../../hooks/api/in_process.ts";
import type { InProcessExtension } from "../../hooks/open.ts";
import { type Extension, NO_REGISTRATION, type Registration } from "../../hooks/events/extension.ts";
import { readJson } from "../../hooks/events/json_text.ts";
import { readOutcomes, readToolResult } from "../../hooks/events/outcome.ts";
import { readRegistration } from "../../hooks/events/registration_shape.ts";
import type { WireQuestions } from "./questions.ts";

/** Extensions that run in the embedding program, and what they ask of the session. */
export interface RemoteExtensions {
  readonly list: readonly InProcessExtension[];
  /** Another registration of one of them. */
  readonly registered: (name: string, registration: unknown) => void;
  /** An action that one of them asks for; rejects with the refusal. */
  readonly act: (name: string, method: string, args: readonly unknown[], signal: AbortSignal) => Promise<unknown>;
}

interface Loaded {
  readonly host: HostActions;
  registration: Registration;
  readonly listeners: (() => void)[];
  readonly ended: AbortController;
}

/** The extensions of these names; each is asked for what it brings when the session loads it. */
export function remoteExtensions(names: readonly string[], { put }: WireQuestions): RemoteExtensions {
  const loaded = new Map<string, Loaded>();
  const load = async (name: string, host: HostActions, facts: ExtensionFacts): Promise<Extension> => {
    const ended = new AbortController();
    // Its factory may ask the session something already.
    const own: Loaded = { host, registration: NO_REGISTRATION, listeners: [], ended };
    loaded.set(name, own);
    own.registration = readOf(await put({ name: "load", args: [name, facts] }, ended.signal));
    const within = (signal: AbortSignal): AbortSignal => AbortSignal.any([ended.signal, signal]);
    const extension: Extension = {
      name,
      state: () => ({ name, wants: {}, granted: {} }),
      registration: () => own.registration,
      emit: async (event, { text }, _limitMs, signal) =>
        readOutcomes(String(await put({ name: "emit", args: [name, event, text()] }, within(signal)))),
      runTool: async (tool, args: JsonObject, callId, signal, onUpdate) =>
        readToolResult(JSON.stringify(
          await put(
            { name: "tool", args: [name, tool, args, callId] },
            within(signal),
            (value) => onUpdate(readToolResult(JSON.stringify(value))),
          ),
        )),
      runCommand: async (command, args, signal) =>
        void await put({ name: "command", args: [name, command, args] }, within(signal)),
      setFlags: (values) => void put({ name: "flags", args: [name, values] }, ended.signal).catch(() => {}),
      onChange: (listener) => void own.listeners.push(listener),
      close: () => ended.abort(),
    };
    return extension;
  };
  return {
    list: names.map((name) => ({ name, load: (host, facts) => load(name, host, facts) })),
    registered(name, registration) {
      const own = loaded.get(name);
      if (!own) return;
      own.registration = readOf(registration);
      for (const listener of own.listeners) listener();
    },
    act(name, method, args, signal) {
      const own = loaded.get(name);
      if (!own) return Promise.reject(new Error(`there is no extension "${name}"`));
      return actFor(own.host, name, method, args, AbortSignal.any([own.ended.signal, signal]));
    },
  };
}

function readOf(registration: unknown): Registration {
  return readRegistration(readJson(JSON.stringify(registration)));
}
