import { dirname, join } from "@std/path";
import type { HookProblem, Hooks } from "../../src/core/hook.ts";
import type { HostActions, HostCall } from "../../src/core/host_actions.ts";
import type { Policy } from "../../src/core/policy.ts";
import { extensionFiles } from "../../src/engine/tools/extension_files.ts";
import { discoverExtensions } from "../../src/hooks/load/discover.ts";
import { type HooksOptions, openHooks } from "../../src/hooks/open.ts";
import { POLICY } from "../tui/scripted_engine.ts";

/** Hooks over extensions in real files and workers, with all that they said and asked. */
export interface HookWorld {
  readonly folder: string;
  readonly hooks: Hooks;
  readonly problems: HookProblem[];
  /** Each action with its arguments, in order. */
  readonly asked: (readonly [method: string, ...args: readonly unknown[]])[];
  [Symbol.dispose](): void;
}

/** Writes `files` below a new folder, whose `extensions/` holds the extensions. */
export function writeFiles(files: Readonly<Record<string, string>>): string {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hooks-" }));
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    Deno.mkdirSync(dirname(path), { recursive: true });
    Deno.writeTextFileSync(path, text);
  }
  return folder;
}

/** Opens the extensions among `files`; everything ends with the returned value. */
export async function openWorld(
  files: Readonly<Record<string, string>>,
  options: Partial<HooksOptions> = {},
): Promise<HookWorld> {
  const folder = writeFiles(files);
  const problems: HookProblem[] = [];
  const asked: [string, ...unknown[]][] = [];
  const { found } = discoverExtensions({
    userFolder: folder,
    explicit: [],
    cwd: folder,
    trusted: false,
    enabled: true,
  });
  const hooks = await openHooks({
    extensions: found,
    grants: new Map(),
    host: recordingHost(asked),
    facts: { cwd: folder, mode: "text", hasUI: false },
    files: filesIn(folder),
    builtinTools: new Set(["read", "bash"]),
    report: (problem) => void problems.push(problem),
    ...options,
  });
  return {
    ...{ folder, hooks, problems, asked },
    [Symbol.dispose]: () => {
      hooks.close();
      Deno.removeSync(folder, { recursive: true });
    },
  };
}

/** The file functions of extensions whose workspace and home are this folder. */
export function filesIn(folder: string, policy: Partial<Policy> = {}): HooksOptions["files"] {
  const current: Policy = { ...POLICY, root: folder, home: folder, write: { all: false, list: [folder] }, ...policy };
  const options = { policy: () => current, roots: () => [folder], cwd: folder, home: folder };
  return (granted) => extensionFiles(granted, options);
}

/** A host that does nothing but write down what it is asked; questions are answered as by nobody. */
export function recordingHost(asked: [string, ...unknown[]][], answers: Partial<HostActions> = {}): HostActions {
  const record = (name: string, answer?: unknown) => (...args: readonly unknown[]) => {
    const call = args.at(-1) as HostCall; // the last argument of every action
    asked.push([name, ...args.slice(0, -1), call.extension]);
    return Promise.resolve(answer);
  };
  return {
    ...Object.fromEntries(
      ["sendMessage", "sendUserMessage", "appendEntry", "setActiveTools", "compact", "setSessionName", "setLabel"]
        .map((name) => [name, record(name)]),
    ),
    ui: {
      select: record("select"),
      confirm: record("confirm", false),
      input: record("input"),
      notify: record("notify"),
      setStatus: record("setStatus"),
    },
    getActiveTools: record("getActiveTools", ["read"]),
    getAllTools: record("getAllTools", [{ name: "read", description: "Reads" }]),
    getEntries: record("getEntries", []),
    getModel: record("getModel", { provider: "openai", id: "m" }),
    setModel: record("setModel", true),
    getThinkingLevel: record("getThinkingLevel", "off"),
    setThinkingLevel: record("setThinkingLevel"),
    exec: record("exec", { stdout: "out", stderr: "", code: 0, killed: false }),
    getSystemPrompt: record("getSystemPrompt", "prompt"),
    getContextUsage: record("getContextUsage", { tokens: 1, contextWindow: 100, percent: 1 }),
    getSessionName: record("getSessionName", "name"),
    isIdle: record("isIdle", true),
    abort: record("abort"),
    ...answers,
  } as unknown as HostActions; // every method is there; `record` does not know their types
}

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal;

/** An extension from the body of its factory. */
export function extension(body: string, head = ""): string {
  return `import { defineExtension } from "sandpiper";\n${head}\nexport default defineExtension(async (sp) => {\n${body}\n});\n`;
}
