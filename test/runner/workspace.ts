import { join } from "@std/path";
import type { Policy } from "../../src/core/policy.ts";
import type { Tool, ToolContext } from "../../src/core/tool.ts";
import type { ToolResult } from "../../src/core/tool_result.ts";
import { textOf } from "../../src/core/message.ts";
import { openFiles } from "../../src/runner/files/files.ts";

/** A real folder with a workspace in it and a place beside it that is out of scope; removed by `using`. */
export interface World extends Disposable {
  /** The workspace: everything inside may be read and written. */
  readonly root: string;
  /** Beside the workspace. */
  readonly outside: string;
  readonly policy: Policy;
}

export function world(changes: (root: string, outside: string) => Partial<Policy> = () => ({})): World {
  const base = Deno.realPathSync(Deno.makeTempDirSync());
  const root = join(base, "work");
  const outside = join(base, "outside");
  Deno.mkdirSync(root);
  Deno.mkdirSync(outside);
  const nothing = { all: false, list: [] };
  const policy: Policy = {
    root,
    home: join(root, "home"),
    tmp: join(root, "tmp"),
    cache: join(root, "cache"),
    read: { all: false, list: [root] },
    write: { all: false, list: [root] },
    run: nothing,
    net: nothing,
    env: {},
    denyRead: [],
    denyWrite: [],
    protected: [],
    limits: {
      bashTimeoutMs: 1,
      bashMaxTimeoutMs: 1,
      outputBytes: 65536,
      outputLines: 2000,
      fileBytes: 4 * 1024 ** 3,
      openFiles: 64,
      processes: 8,
      memoryBytes: 1 << 30,
    },
    sandbox: "kernel",
    ...changes(root, outside),
  };
  return { root, outside, policy, [Symbol.dispose]: () => Deno.removeSync(base, { recursive: true }) };
}

/** What a tool has under a policy. */
export function contextOf(policy: Policy): ToolContext {
  return { policy, files: openFiles(policy), signal: new AbortController().signal, update: () => {} };
}

/** A tool's text, or `error: ` and the message of what it threw. */
export async function textOfRun<A>(tool: Tool<A>, args: A, context: ToolContext): Promise<string> {
  try {
    return textOf((await tool.run(args, context) as ToolResult).content);
  } catch (error) {
    return `error: ${error instanceof Error ? error.message : error}`;
  }
}

/** Runs a program that prepares something a test needs. */
export function run(program: string, ...args: string[]): void {
  const { success } = new Deno.Command(program, { args }).outputSync();
  if (!success) throw new Error(`${program} failed`);
}
