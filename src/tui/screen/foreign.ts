// The one door through which text that others wrote (model, tools, files, sessions, extensions) comes onto the screen.
import type { Engine } from "../../core/engine.ts";
import { stripControls } from "../../core/support/text.ts";

/** What survives `stripControls` and would still move text about: line separators, marks of direction, invisible tags. */
const ODD = /[\u2028\u2029\u200e\u200f\u061c\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** A text without anything that could steer a terminal; tabs become spaces. */
export function cleanText(text: string): string {
  return stripControls(text).replace(ODD, "").replaceAll("\t", "    ");
}

/** A text as one clean line. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, " ").trim();
}

/** A value of plain data with every string in it clean, names of fields included. */
export function cleaned<T>(value: T): T {
  // The shape stays: strings become strings, and nothing else changes.
  return cleanValue(value) as T;
}

function cleanValue(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value !== "object" || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value; // dates and the like hold no text
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [cleanText(name), cleanValue(inner)]));
}

/**
 * The engine as the screen has it: whatever comes out of it is clean. `agent_end` and `turn_end` repeat messages that came
 * before, so they come without them.
 */
export function cleanedEngine(engine: Engine): Engine {
  return {
    ...engine,
    notices: cleaned(engine.notices),
    state: () => {
      const { policy, ...rest } = engine.state();
      const { read, write, run, net, root, home, sandbox } = policy;
      // The rest of a policy is long and is not shown.
      return { ...cleaned(rest), policy: { ...policy, ...cleaned({ read, write, run, net, root, home, sandbox }) } };
    },
    messages: () => cleaned(engine.messages()),
    tools: () => cleaned(engine.tools()),
    commands: () => cleaned(engine.commands()),
    compiled: () => cleaned(engine.compiled()),
    subscribe: (listener) =>
      engine.subscribe((event) => {
        if (event.type === "agent_end") listener({ ...event, messages: [] });
        else if (event.type === "turn_end") listener({ ...event, toolResults: [] });
        else listener(cleaned(event));
      }),
    prompt: async (input) => cleaned(await engine.prompt(input)),
    resume: async () => cleaned(await engine.resume()),
    clearQueues: () => cleaned(engine.clearQueues()),
    bash: async (command, hidden) => cleaned(await engine.bash(command, hidden)),
    fork: async (entryId, position) => cleaned(await engine.fork(entryId, position)),
    undoPoints: async () => cleaned(await engine.undoPoints()),
    undo: async (request) => cleaned(await engine.undo(request)),
    navigate: async (entryId, options) => cleaned(await engine.navigate(entryId, options)),
  };
}
