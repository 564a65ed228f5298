import type { ExtensionFacts, HostActions } from "../../core/host_actions.ts";
import type { JsonValue } from "../../core/json.ts";
import { ACTIONS } from "./actions.ts";
import type { ExtensionFactory } from "./api.ts";
import type { Extension } from "../events/extension.ts";
import { isList, readJson } from "../events/json_text.ts";
import { readOutcomes } from "../events/outcome.ts";
import { createRegistry } from "./registry.ts";

/**
 * An extension that runs in this very process, for programs that embed the engine: trusted code, without limits.
 *
 * Rejects with what its factory throws.
 */
export async function loadInProcess(
  name: string,
  factory: ExtensionFactory,
  host: HostActions,
  facts: ExtensionFacts,
): Promise<Extension> {
  const listeners: (() => void)[] = [];
  const ended = new AbortController();
  let isLoaded = false;
  const registry = createRegistry({
    facts,
    call: (method, args, signal) =>
      actFor(host, name, method, args, AbortSignal.any(signal ? [ended.signal, signal] : [ended.signal])),
    changed: () => {
      if (isLoaded) { for (const listener of listeners) listener(); }
    },
  });
  await factory(registry.api);
  isLoaded = true;
  return {
    name,
    state: () => ({ name, wants: {}, granted: {} }),
    registration: registry.registration,
    emit: async (event, text, _limitMs, signal) => readOutcomes(await registry.emit(event, text.text, signal)),
    runTool: registry.runTool,
    runCommand: registry.runCommand,
    setFlags: registry.setFlags,
    onChange: (listener) => void listeners.push(listener),
    close: () => ended.abort(),
  };
}

/** Does one action for an extension; its arguments go through JSON, as a worker's do. */
export async function actFor(
  host: HostActions,
  extension: string,
  method: string,
  args: readonly unknown[],
  signal: AbortSignal,
): Promise<unknown> {
  const action = ACTIONS.get(method);
  const values: JsonValue = readJson(JSON.stringify(args));
  if (!action || !isList(values)) throw new TypeError(`there is no action "${method}"`);
  return await action.run(host, values, { extension, signal });
}
