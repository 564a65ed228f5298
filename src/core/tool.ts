import type * as z from "zod/mini";
import type { JsonObject } from "./json.ts";
import type { Capability, Policy } from "./policy.ts";
import type { ToolResult } from "./tool_result.ts";

/** What a path is, links followed. `other`: device, socket, FIFO. */
export type FileKind = "file" | "directory" | "other";

export interface FileInfo {
  readonly kind: FileKind;
  /** Bytes. */
  readonly size: number;
  readonly mtimeMs: number;
  readonly mode: number;
}

/** One name in a folder; `isSymlink` beats the kind of what it points to. */
export interface FolderEntry {
  readonly name: string;
  readonly isDirectory: boolean;
  readonly isSymlink: boolean;
}

/**
 * The only way in which tools touch files: every call checks the policy before and, where no kernel does, after opening.
 *
 * All paths are absolute. Failures are `ToolError`s whose text the model can act on (missing, a folder, denied with the
 * smallest grant). Methods are synchronous because a confined thread's own calls are the cheapest and the safest.
 */
export interface Files {
  /** The absolute path a model meant: `@` stripped, `~`, `file://`, odd spaces, relative to the workspace. */
  resolve(path: string): string;
  info(path: string): FileInfo;
  exists(path: string): boolean;
  /** Bytes of a regular file from `offset` on, at most `length`. */
  read(path: string, offset?: number, length?: number): Uint8Array<ArrayBuffer>;
  /**
   * Hands the content of files in one folder to `take`, in the order of `names`, until it says `false`: much faster than
   * `read` for each.
   *
   * What `read` would refuse, links, and what cannot be read are passed over; only the folder itself can make it throw.
   * `take` gets at most `maxBytes` of a file, so that many may mean that there is more. They are its own only until it
   * returns. With `needle`, files that do not hold it may be passed over, too: those in UTF-8 with less than `maxBytes`.
   */
  readEach(
    folder: string,
    names: readonly string[],
    maxBytes: number,
    take: (name: string, bytes: Uint8Array<ArrayBuffer>) => boolean,
    needle?: string,
  ): void;
  /** Replaces or creates a file atomically (temporary file beside it, fsync, rename), keeps its mode, makes parents. */
  write(path: string, bytes: Uint8Array<ArrayBuffer>): void;
  /** Names in a folder, in no particular order. */
  list(path: string): FolderEntry[];
  /** Runs `work` when no writer (for `read`) or nobody else (for `write`) holds the file; in order of arrival. */
  lock<T>(path: string, mode: "read" | "write", work: () => Promise<T>): Promise<T>;
}

/** How a command ended. */
export interface ShellOutcome {
  /** Exit code; 128 + signal for a death by signal. */
  readonly exitCode: number;
  readonly ending: "exited" | "timeout" | "aborted" | "limit";
  /** Which limit, when `ending` is `limit`. */
  readonly limit?: string;
  /** Output with control sequences stripped, at most the policy's output limits, newest kept. */
  readonly output: string;
  readonly totalLines: number;
  readonly totalBytes: number;
  readonly truncatedBy?: "lines" | "bytes";
  /** Where the whole output is, when it was cut. */
  readonly fullOutputPath?: string;
  /** Facts for the model about what the sandbox undid or refused, one line each. */
  readonly notes: readonly string[];
  /** Number of trailing notes that repeat a denial already reported as structured data. */
  readonly told?: number;
}

/** Runs one shell command in the tools' scope. Never throws for a command that fails; throws `ToolError` when it could not start. */
export type Shell = (
  command: string,
  options: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    /** Called with the newest output, at most a few times a second. */
    readonly onOutput: (tail: string) => void;
  },
) => Promise<ShellOutcome>;

/** What a running tool has. */
export interface ToolContext {
  readonly policy: Policy;
  readonly files: Files;
  /** Present for tools that need `run`. */
  readonly shell?: Shell;
  readonly signal: AbortSignal;
  /** Shows partial output; may be called at any rate, is throttled by the receiver. */
  readonly update: (text: string) => void;
}

/** What schemas are made with. Given to their makers, because loading it is a part of no start. */
export type Zod = typeof import("./support/zod.ts");

/** A tool: what the model sees, and what runs behind the boundary. */
export interface Tool<A = unknown> {
  readonly name: string;
  /** For the provider's tool field. */
  readonly description: string;
  /** Makes the schema of the arguments; `argsOf` keeps what was made. */
  readonly args: (z: Zod) => z.ZodMiniType<A> | Promise<z.ZodMiniType<A>>;
  /** The line in the system prompt. */
  readonly promptSnippet: string;
  readonly promptGuidelines?: readonly string[];
  readonly needs: readonly Capability[];
  /** Whether it only looks; neighbouring calls that only look may run side by side. */
  readonly readOnly: boolean;
  /** Whether its calls see to it that they do not get into each other's way: neighbours run side by side. */
  readonly keepsApart?: true;
  /**
   * `runner`: in the confined process. `shell`: in the host, which starts one confined process tree for each call. `host`:
   * in the host, which touches nothing for it but what other tools reach.
   */
  readonly place: "runner" | "shell" | "host";
  /** Longest time a call may take in the runner, milliseconds, where the runner's own limit does not fit. */
  deadlineMs?(args: A, policy: Policy): number | undefined | Promise<number | undefined>;
  /**
   * Takes the forms that models are known to send into the one the schema wants; runs before validation. What it throws is
   * the answer.
   */
  readonly prepare?: (args: JsonObject) => JsonObject | Promise<JsonObject>;
  /** The address that the host gets before the call, within the network scope; what came is `fetched` in the arguments. */
  readonly fetches?: (args: JsonObject) => string | undefined | Promise<string | undefined>;
  run(args: A, context: ToolContext): Promise<ToolResult>;
}

/** A result that is only text. */
export function textResult(text: string, details?: JsonObject): ToolResult {
  return { content: [{ type: "text", text }], ...(details ? { details } : {}) };
}

/** A result that tells the model what went wrong and what to do next. */
export function errorResult(text: string, details?: JsonObject): ToolResult {
  return { ...textResult(text, details), isError: true };
}

let loading: Promise<Zod> | undefined;
const schemas = new WeakMap<Tool["args"], z.ZodMiniType<unknown>>();

/** Loads what checks arguments, ahead of the first call: it costs milliseconds, and no start needs it. */
export function loadZod(): Promise<Zod> {
  return loading ??= import("./support/zod.ts");
}

/** The schema that a tool's arguments are checked against; made with its first call, the same one afterwards. */
export async function argsOf(tool: Pick<Tool, "args">): Promise<z.ZodMiniType<unknown>> {
  const schema = schemas.get(tool.args) ?? await tool.args(await loadZod());
  schemas.set(tool.args, schema);
  return schema;
}
