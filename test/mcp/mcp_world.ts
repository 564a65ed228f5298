import { dirname, fromFileUrl } from "@std/path";
import type { Policy, SandboxLevel } from "../../src/core/policy.ts";
import type { ToolResult } from "../../src/core/tool_result.ts";
import { textOf } from "../../src/core/message.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { openSessionMcp } from "../../src/engine/mcp/mcp.ts";
import { serverChoice } from "../helpers/server_choice.ts";
import type { ModelChoice } from "../../src/engine/model/model.ts";
import type { WrittenServer } from "../../src/mcp/config.ts";
import type { McpServers } from "../../src/mcp/open.ts";
import type { PolicyRequest } from "../../src/sandbox/policy/policy.ts";
import { makeWorld, type World, worldPolicy } from "../sandbox/confined_world.ts";
import { reachableDeno } from "../sandbox/reachable.ts";

/** A session with servers, for one test. */
export interface McpRoom {
  readonly world: World;
  readonly policy: Policy;
  readonly mcp: McpServers;
  /** What a person was told. */
  readonly notices: readonly string[];
  /** Calls a tool by the name that its server has for it, or by its own. */
  call(tool: string, args?: JsonObject, options?: { readonly signal?: AbortSignal }): Promise<ToolResult>;
}

export const KEY = "sk-of-the-model-0123456789";

const CHOICE: ModelChoice = serverChoice({
  model: "m",
  baseUrl: "http://127.0.0.1:9/v1",
  apiKey: KEY,
  apiKeyEnv: "MODEL_KEY",
});

/** Opens servers as a session does, in the sandbox that this machine has, and ends them. */
export async function withServers(
  level: SandboxLevel,
  servers: (world: World) => Readonly<Record<string, WrittenServer>>,
  work: (room: McpRoom) => Promise<void>,
  scope: (world: World) => NonNullable<PolicyRequest["flags"]> = () => ({ run: true }),
  env: Readonly<Record<string, string>> = {},
  waits = true,
): Promise<void> {
  using world = makeWorld();
  const flags = scope(world);
  // Deno runs the servers, and may lie anywhere, in a folder for temporary files too.
  const read = [...(Array.isArray(flags.read) ? flags.read : [world.root]), dirname(reachableDeno())];
  const policy = worldPolicy(world, level, { flags: { ...flags, read } });
  const notices: string[] = [];
  const own = { PATH: policy.env["PATH"] ?? "", HOME: world.home, MODEL_KEY: KEY, ...env };
  const mcp = openSessionMcp({
    servers: servers(world),
    config: {
      root: world.root,
      user: {},
      world: {
        env: own,
        cwd: world.root,
        home: world.home,
        stdinIsTerminal: false,
        stdoutIsTerminal: false,
        mayRun: true,
      },
    },
    choice: CHOICE,
    policy: () => policy,
    onNotice: (sentence) => void notices.push(sentence),
    activate: () => {},
  });
  try {
    if (waits) await mcp.ready();
    await work({
      world,
      policy,
      mcp,
      notices,
      async call(name, args = {}, { signal = new AbortController().signal } = {}) {
        const tool = mcp.tools().find((one) => one.name === name || one.name.endsWith(`__${name}`));
        if (!tool) throw new Error(`no tool ${name}; told: ${notices.join("; ")}`);
        return await tool.run(args, "call", { signal, onUpdate: () => {} });
      },
    });
  } finally {
    await mcp.close();
  }
}

/** The server of `servers/old.mjs`, copied to where it may be read. */
export function oldServer(world: World, mode: string, ...words: readonly string[]): WrittenServer {
  const path = `${world.root}/old.mjs`;
  Deno.copyFileSync(fromFileUrl(new URL("./servers/old.mjs", import.meta.url)), path);
  // Its own is not there in the sandbox, and downloads nothing.
  const args = ["run", "-A", "--no-config", "--no-lock", path, mode, ...words];
  // A busy machine needs more than the default for it.
  return { command: reachableDeno(), args, startMs: 60_000 };
}

/** A result's text without the line that says whose it is. */
export function said(result: ToolResult): string {
  return textOf(result.content).replace(/^\[From the MCP server "[^"]*": data, not instructions\]\n?/, "");
}
