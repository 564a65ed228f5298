import type { JsonObject } from "../core/json.ts";
import type { CallOptions } from "../core/runner.ts";
import { errorResult } from "../core/tool.ts";
import type { ToolResult } from "../core/tool_result.ts";
import { type ArgumentIssue, argumentIssues } from "./arguments.ts";
import { cleanLine } from "./clean.ts";
import { type Exposure, readServer, type WrittenServer } from "./config.ts";
import type { McpDeps } from "./deps.ts";
import { openServer, type ServerState } from "./server.ts";
import { promptArguments } from "./prompts.ts";
import { toolNames } from "./tool_names.ts";

/** A tool that a server brought. Whether it may run is decided as for any other: by the sandbox its server is in. */
export interface McpTool {
  /** `mcp__SERVER__TOOL`, at most 64 characters. */
  readonly name: string;
  /** Whose it is, as the settings call it. */
  readonly server: string;
  readonly exposure: Exposure;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
  /** What is wrong with arguments, as far as can be told without asking the server. */
  readonly issues: (args: JsonObject) => readonly ArgumentIssue[];
  /** Never rejects. Waits for a server that has to be started again. */
  readonly run: (args: JsonObject, callId: string, options: CallOptions) => Promise<ToolResult>;
}

/** A prompt that a server brought: a command that a person types. */
export interface McpPrompt {
  /** `mcp__SERVER__PROMPT`, as tools are called. */
  readonly name: string;
  readonly description: string;
  /** The text for the model. Rejects with a sentence for the person. */
  readonly text: (words: readonly string[], signal: AbortSignal) => Promise<string>;
}

/** The servers of a session. */
export interface McpServers {
  /** In the order of their names, by code unit (X16). */
  tools(): readonly McpTool[];
  prompts(): readonly McpPrompt[];
  /** Calls back whenever `tools` would give others than before; may be in the middle of a run. Must not throw. */
  onChanged(listener: () => void): void;
  /** Settles when each server is ready or has failed, at the latest when the longest start time is over; or with `signal`. */
  ready(signal?: AbortSignal): Promise<void>;
  states(): readonly ServerState[];
  /** Names of the servers that are programs of this session and run. */
  running(): readonly string[];
  /** Ends these programs with everything that they started; the next call of its tools starts one again. */
  rest(): Promise<void>;
  /** Ends every server with all that it started. Safe to call twice. */
  close(): Promise<void>;
}

/** Starts the servers in the background and returns at once; what is wrong with one is told and costs its tools alone. */
export function openMcp(servers: Readonly<Record<string, WrittenServer>>, deps: McpDeps): McpServers {
  const listeners: (() => void)[] = [];
  let isOpening = true;
  const failed: ServerState[] = [];
  const handles = Object.entries(servers).sort(([a], [b]) => a < b ? -1 : 1).flatMap(([name, written]) => {
    const server = readServer(written);
    if (!("why" in server)) return [openServer(name, server, deps, changed)];
    deps.onNotice(`MCP server "${name}": ${server.why}; it is not started`);
    failed.push({ name, state: "failed", tools: 0, why: server.why });
    return [];
  });
  isOpening = false;

  function changed(): void {
    if (!isOpening) { for (const listener of listeners) listener(); }
  }

  const tools = (): McpTool[] => {
    const all = handles.flatMap((handle) => handle.tools().map((tool) => ({ handle, tool })));
    const names = toolNames(all.map(({ handle, tool }) => ({ server: handle.name, tool: tool.raw.name })));
    return all.map(({ handle, tool }, at): McpTool => ({
      name: names[at] ?? "",
      server: handle.name,
      exposure: handle.exposure,
      description: tool.description,
      parameters: tool.parameters,
      issues: (args) => argumentIssues(args, tool.parameters),
      run: (args, _callId, options) => {
        // What the server may have changed since is not what the model was told.
        const now = handle.tools().find(({ raw }) => raw.name === tool.raw.name);
        if (now) return handle.call(now, args, options);
        return Promise.resolve(errorResult(`Tool "${names[at]}" is not there any more. Do without it`));
      },
    })).sort((a, b) => a.name < b.name ? -1 : 1);
  };

  const prompts = (): McpPrompt[] => {
    const all = handles.flatMap((handle) => handle.prompts().map((prompt) => ({ handle, prompt })));
    const names = toolNames(all.map(({ handle, prompt }) => ({ server: handle.name, tool: prompt.name })));
    return all.map(({ handle, prompt }, at) => ({
      name: names[at] ?? "",
      description: `(MCP server "${handle.name}") ${prompt.description}`.trim(),
      async text(words, signal) {
        const args = promptArguments(words, prompt.args);
        if (!args) {
          throw new Error(`/${names[at]} needs ${prompt.args.map(({ name }) => cleanLine(name, 60)).join(", ")}`);
        }
        return await handle.prompt(prompt.name, args, signal);
      },
    }));
  };

  return {
    tools,
    prompts,
    onChanged: (listener) => void listeners.push(listener),
    ready: (signal) =>
      new Promise((resolve) => {
        const done = (): void => resolve();
        signal?.addEventListener("abort", done, { once: true });
        if (signal?.aborted) done();
        Promise.all(handles.map(({ settled }) => settled)).then(() => signal?.removeEventListener("abort", done)).then(
          done,
        );
      }),
    states: () => [...handles.map((handle) => handle.state()), ...failed].sort((a, b) => a.name < b.name ? -1 : 1),
    running: () => handles.filter((handle) => handle.hasProcess()).map(({ name }) => name),
    rest: async () => void await Promise.all(handles.map((handle) => handle.rest())),
    close: async () => void await Promise.all(handles.map((handle) => handle.close())),
  };
}
