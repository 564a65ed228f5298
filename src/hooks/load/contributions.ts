import { messageOf } from "../../core/error.ts";
import type { HookProblem, Hooks } from "../../core/hook.ts";
import { errorResult } from "../../core/tool.ts";
import type { Extension } from "../events/extension.ts";

/** The part of `Hooks` that is about what extensions bring. */
export type Contributions = Pick<
  Hooks,
  "tools" | "runTool" | "commands" | "runCommand" | "flags" | "setFlags" | "onToolsChanged"
>;

/** What decides about names. */
export interface ContributionOptions {
  /** Names of built-in tools; an extension's tool of such a name is refused unless it is in `mayShadow`. */
  readonly builtinTools: ReadonlySet<string>;
  readonly mayShadow: ReadonlySet<string>;
  readonly report: (problem: HookProblem) => void;
}

type Owned<T> = T & { readonly extension: string };

/** Collects tools, commands and flags of extensions in load order; what is gone with its extension is not there. */
export function openContributions(extensions: readonly Extension[], options: ContributionOptions): Contributions {
  const told = new Set<string>();
  const tell = (extension: string, message: string): void => {
    if (told.has(extension + message)) return;
    told.add(extension + message);
    options.report({ extension, level: "warning", message });
  };
  const living = (): readonly Extension[] => extensions.filter((extension) => extension.state().lost === undefined);
  const listeners: (() => void)[] = [];

  const tools: Contributions["tools"] = () => {
    const found = new Map<string, ReturnType<Contributions["tools"]>[number]>();
    for (const extension of living()) {
      for (const tool of extension.registration().tools) {
        const first = found.get(tool.name);
        if (first) tell(extension.name, `its tool "${tool.name}" is left out: "${first.extension}" brought one before`);
        else if (options.builtinTools.has(tool.name) && !options.mayShadow.has(tool.name)) {
          tell(extension.name, `its tool "${tool.name}" is left out: it would stand in for the built-in one`);
        } else found.set(tool.name, { ...tool, extension: extension.name });
      }
    }
    return [...found.values()];
  };
  const commandOwners = (): ReadonlyMap<string, Owned<{ readonly own: string; readonly description: string }>> => {
    const found = new Map<string, Owned<{ own: string; description: string }>>();
    for (const extension of living()) {
      for (const { name, description } of extension.registration().commands) {
        let free = name;
        for (let n = 2; found.has(free); n++) free = `${name}:${n}`;
        found.set(free, { own: name, description, extension: extension.name });
      }
    }
    return found;
  };
  const byName = (name: string | undefined): Extension | undefined => living().find((each) => each.name === name);

  let before = JSON.stringify(tools());
  for (const extension of extensions) {
    extension.onChange(() => {
      const after = JSON.stringify(tools());
      if (after === before) return;
      before = after;
      for (const listener of listeners) listener();
    });
  }
  return {
    tools,
    runTool: async (name, args, callId, signal, onUpdate) => {
      const owner = byName(tools().find((tool) => tool.name === name)?.extension);
      if (!owner) return errorResult(`Tool "${name}" is not there any more: its extension is gone. Do without it`);
      try {
        return await owner.runTool(name, args, callId, signal, onUpdate);
      } catch (error) {
        return errorResult(`Tool "${name}" of extension "${owner.name}" failed: ${messageOf(error)}`);
      }
    },
    commands: () =>
      [...commandOwners()].map(([name, { extension, description }]) => ({ extension, name, description })),
    runCommand: async (name, args, signal) => {
      const command = commandOwners().get(name);
      const owner = byName(command?.extension);
      if (!command || !owner) return false;
      try {
        await owner.runCommand(command.own, args, signal);
      } catch (error) {
        options.report({ extension: owner.name, level: "error", message: `/${name}: ${messageOf(error)}` });
      }
      return true;
    },
    flags: () => {
      const all = living().flatMap((each) =>
        each.registration().flags.map((flag) => ({ ...flag, extension: each.name }))
      );
      return all.filter((flag, index) => all.findIndex((other) => other.name === flag.name) === index);
    },
    setFlags: (values) => {
      for (const extension of living()) extension.setFlags(values);
    },
    onToolsChanged: (listener) => void listeners.push(listener),
  };
}
