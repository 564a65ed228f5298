import type { ExtensionFacts } from "../../core/host_actions.ts";
import type { Registration } from "../events/extension.ts";

/** The way from an extension to the program: over messages from a worker, directly in the same process. */
export interface Port {
  readonly facts: ExtensionFacts;
  /** Asks the program for one of `ACTIONS`; rejects with its refusal. */
  call(method: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
  /** What the extension brings has changed. */
  changed(registration: Registration): void;
}
