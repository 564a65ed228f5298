import type { ExtensionCommand, ExtensionFlag, ExtensionTool } from "../../core/host_actions.ts";
import type { ExtensionState, Hooks } from "../../core/hook.ts";
import type { HookName } from "../../core/hook_events.ts";
import type { JsonValue } from "../../core/json.ts";

/** What one handler did: gave something back (undefined: nothing) or failed. */
export type HandlerOutcome =
  | { readonly ok: true; readonly value: JsonValue | undefined }
  | { readonly ok: false; readonly error: string };

/** All that an extension brings at a moment. */
export interface Registration {
  /** Events with at least one handler: an event that is not here costs nothing. */
  readonly events: readonly HookName[];
  readonly tools: readonly Omit<ExtensionTool, "extension">[];
  readonly commands: readonly Omit<ExtensionCommand, "extension">[];
  readonly flags: readonly Omit<ExtensionFlag, "extension">[];
}

/** Nothing at all. */
export const NO_REGISTRATION: Registration = { events: [], tools: [], commands: [], flags: [] };

/** An event on its way to handlers. */
export interface EventText {
  /** JSON. */
  readonly text: () => string;
  /** JSON texts of the messages, for a context event. */
  readonly messages?: readonly string[];
}

/**
 * An extension that is loaded, wherever it runs. Its methods reject when it is lost, and when it answers with nonsense.
 */
export interface Extension {
  readonly name: string;
  state(): ExtensionState;
  registration(): Registration;
  /**
   * Runs its handlers of an event in the order of their registration, each with what the one before made of it.
   *
   * What comes back is in order, ends with the handler that decided, and still has to be checked.
   */
  emit(name: HookName, event: EventText, limitMs: number, signal: AbortSignal): Promise<readonly HandlerOutcome[]>;
  runTool: Hooks["runTool"];
  runCommand(name: string, args: string, signal: AbortSignal): Promise<void>;
  setFlags(values: Readonly<Record<string, boolean | string>>): void;
  /** Called whenever its registration changes after loading, and when it is lost. */
  onChange(listener: () => void): void;
  close(): void;
}
