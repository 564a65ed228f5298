import { sha256 } from "../core/support/digest.ts";
import type { JsonObject } from "../core/json.ts";
import type { CompileTrigger, Manifest } from "../core/compiled_prompt.ts";
import type { Diagnostic } from "../core/prompt.ts";
import type { ToolDefinition } from "../core/provider.ts";

/** What a manifest records besides the prompt: none of it changes the text. */
export interface CompileMeta {
  readonly trigger: CompileTrigger;
  /** Provider round within the prompt, from 1. */
  readonly round: number;
  /** The definitions that go with the request, in their order there. */
  readonly tools: readonly ToolDefinition[];
  /** Effective scope of the tools, without values of the environment (R359, R360). */
  readonly policy: JsonObject;
  readonly history: Manifest["history"];
  /** What `before_agent_start` handlers changed, one entry each (R358). */
  readonly hooks: readonly JsonObject[];
  /** What the search for files and skills had to report. */
  readonly diagnostics?: readonly Diagnostic[];
}

const fingerprints = new WeakMap<readonly ToolDefinition[], Manifest["tools"]>();

/**
 * Names and fingerprint of tool definitions, order included, because the order is part of the request (R356).
 *
 * Remembered per array: the definitions of a session are one array for many rounds.
 */
export function toolsEntry(tools: readonly ToolDefinition[]): Manifest["tools"] {
  const known = fingerprints.get(tools);
  if (known) return known;
  const entry = { names: tools.map((tool) => tool.name), fingerprint: sha256(JSON.stringify(tools)) };
  fingerprints.set(tools, entry);
  return entry;
}
