import { dirname, join } from "@std/path";
import type { Policy } from "../../src/core/policy.ts";
import { textOf } from "../../src/core/message.ts";
import type { ToolContext } from "../../src/core/tool.ts";
import type { ToolResult } from "../../src/core/tool_result.ts";
import { openFiles } from "../../src/runner/files/files.ts";

/** A temporary workspace with the real file access of the tools; `using` removes it. */
export interface SearchWorkspace extends Disposable {
  readonly root: string;
  readonly context: ToolContext;
  /** Writes a file below the root, making its folders. */
  readonly put: (path: string, content: string | Uint8Array) => void;
  /** The context with a signal of the caller's. */
  readonly withSignal: (signal: AbortSignal) => ToolContext;
}

/** Makes a workspace that holds `content`: path to text. */
export function searchWorkspace(content: Readonly<Record<string, string | Uint8Array>> = {}): SearchWorkspace {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  const policy = searchPolicy(root);
  const context: ToolContext = {
    policy,
    files: openFiles(policy),
    signal: new AbortController().signal,
    update: () => {},
  };
  const put = (path: string, text: string | Uint8Array) => {
    Deno.mkdirSync(dirname(join(root, path)), { recursive: true });
    Deno.writeFileSync(join(root, path), typeof text === "string" ? new TextEncoder().encode(text) : text);
  };
  for (const [path, text] of Object.entries(content)) put(path, text);
  return {
    root,
    context,
    put,
    withSignal: (signal) => ({ ...context, signal }),
    [Symbol.dispose]: () => Deno.removeSync(root, { recursive: true }),
  };
}

/** The text of a result, with a mark in front when it is an error. */
export function shown(result: ToolResult): string {
  return (result.isError ? "ERROR " : "") + textOf(result.content);
}

function searchPolicy(root: string): Policy {
  const workspace = { all: false, list: [root] };
  const nothing = { all: false, list: [] };
  return {
    root,
    home: root,
    tmp: join(root, ".tmp"),
    cache: join(root, ".cache"),
    read: workspace,
    write: nothing,
    run: nothing,
    net: nothing,
    env: {},
    denyRead: [join(root, "secret")],
    denyWrite: [],
    protected: [],
    limits: {
      bashTimeoutMs: 1000,
      bashMaxTimeoutMs: 1000,
      outputBytes: 65_536,
      outputLines: 2000,
      fileBytes: 1 << 30,
      openFiles: 1024,
      processes: 64,
      memoryBytes: 1 << 30,
    },
    sandbox: "permissions",
  };
}
