import type { Config } from "../../config/config.ts";
import type { CompiledPrompt } from "../../core/compiled_prompt.ts";
import type { Engine } from "../../core/engine.ts";
import type { AgentEvent } from "../../core/event.ts";
import { textOf } from "../../core/message.ts";
import { sha256 } from "../../core/support/digest.ts";
import { recordingOf } from "../../engine/model/open_model.ts";
import type { Seen } from "../../provider/replay/seen.ts";
import { refusalsIn } from "../output/denial_lines.ts";
import type { RunEnd } from "../report/report.ts";
import { optionsOf } from "../batch/task_options.ts";

/** Keeps beside the recorded replies what the run saw. */
export interface SeenRecorder {
  readonly take: (event: AgentEvent) => void;
  readonly end: (end: RunEnd, answer: string) => void;
}

/**
 * Adds to the cassette of `--record` what `sandpiper check` compares: the task, the prompt's sections, tools, what hooks
 * changed, the results of calls, the end. `tell` hears why it cannot.
 */
export function recordSeen(
  config: Config,
  { task, channel }: Pick<Extract<Seen, { kind: "run" }>, "task" | "channel">,
  engine: Pick<Engine, "compiled" | "trial">,
  tell: (notice: string) => void,
): SeenRecorder {
  const { world, invocation: { values } } = config;
  const places = { workspace: config.root, copy: engine.trial()?.folder ?? config.root, home: world.home };
  const calls = new Map<string, { readonly tool: string; readonly args: Extract<Seen, { kind: "result" }>["args"] }>();
  const sections = new Map<string, string>();
  const before = { tools: "", hooks: "[]" };
  // The recorder of replies begins the file; what was seen before its first line waits.
  let waiting: Seen[] | undefined = [];
  let isBroken = false;

  function write(seen: Seen): void {
    if (waiting) return void waiting.push(seen);
    if (isBroken) return;
    // The one of the replies: it leaves keys out, and follows no file that a command put in the place of its own.
    const problem = recordingOf(config)?.write({ seen });
    if (problem === undefined) return;
    isBroken = true;
    tell(`What the run saw is not recorded: ${problem}`);
  }

  function begin(): void {
    const before = waiting ?? [];
    waiting = undefined;
    before.forEach(write);
  }

  function prompt(): void {
    const now = engine.compiled();
    const texts = textsOf(now);
    for (const [id, text] of texts) {
      if (sections.get(id) === text) continue;
      sections.set(id, text);
      write({ kind: "section", id, text });
    }
    for (const id of [...sections.keys()].filter((one) => !texts.has(one))) {
      sections.delete(id);
      write({ kind: "section", id });
    }
    const { tools: { names, fingerprint }, hooks } = now.manifest;
    if (before.tools !== fingerprint) write({ kind: "tools", names, fingerprint });
    if (before.hooks !== JSON.stringify(hooks)) write({ kind: "hooks", changes: hooks });
    before.tools = fingerprint;
    before.hooks = JSON.stringify(hooks);
  }

  write({ kind: "run", task, channel, options: optionsOf(values), places });
  return {
    take(event) {
      if (event.type === "prompt_compiled") prompt();
      else if (event.type === "message_end" && event.message.role === "assistant") { if (waiting) begin(); }
      else if (event.type === "tool_execution_start") {
        calls.set(event.toolCallId, { tool: event.toolName, args: event.args });
      } else if (event.type === "tool_execution_end") {
        const call = calls.get(event.toolCallId) ?? { tool: event.toolName, args: {} };
        calls.delete(event.toolCallId);
        const denied = refusalsIn(event).map(({ kind, target, why }) => [kind, target, why].filter(Boolean).join(" "));
        write({ kind: "result", ...call, text: textOf(event.result.content), isError: event.isError, denied });
      }
    },
    end({ outcome, exitCode }, answer) {
      if (!waiting) write({ kind: "end", outcome, exitCode, answer });
    },
  };
}

/** The text of each section; what a hook wrote in their place is one section of that half's name. */
function textsOf({ stable, dynamic, manifest: { sections } }: CompiledPrompt): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [name, whole] of [["stable", stable], ["dynamic", dynamic]] as const) {
    let at = 0;
    for (const { id, stability, kept, sha256: digest } of sections) {
      if (stability !== name || kept === 0) continue;
      const text = whole.slice(at, at + kept);
      if (sha256(text) !== digest) break;
      texts.set(id, text);
      at += kept + SEPARATOR;
    }
    if (at < whole.length) texts.set(name, whole.slice(at));
  }
  return texts;
}

/** Characters between two sections: a blank line. */
const SEPARATOR = 2;
