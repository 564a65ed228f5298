import type { Policy } from "../../core/policy.ts";
import { landlockRules } from "../landlock/rules.ts";
import { launcher } from "../launcher/executable.ts";
import { encodeCommand, encodeNamespaces, encodePolicy } from "../launcher/frames.ts";
import type { ConfineRequest, ExecRequest, NamespaceRequest } from "../launcher/request.ts";
import { taskLimit } from "../policy/limits.ts";
import { SOCKET_NAME } from "../proxy/environment.ts";
import { seccompFilter, type SeccompRequest } from "../seccomp/seccomp.ts";
import { type Architecture, ARCHITECTURES } from "../seccomp/table.ts";
import { disk, glanceAtDisk } from "../system/disk.ts";
import { readProcLink } from "../system/procfs.ts";
import { bwrapArguments, findBwrap, GATE_FOLDER } from "./bwrap.ts";
import type { MountView } from "./mounts.ts";
import { namespaceRequest } from "./namespaces.ts";
import { seatbeltCommand } from "./seatbelt.ts";
import type { Self } from "./self.ts";

/** What a confined process becomes once it is confined. */
export type Exec = ExecRequest;

/** The ABI below which a level means nothing: kernel needs truncate (3), kernel+ has mounts in front of it. */
const LEAST_ABI = { "kernel": 3, "kernel+": 1 } as const;

/** What a start depends on besides its policy. */
export interface LaunchOptions {
  /** It becomes this program again (the runner), whose files it then needs; nothing else may read them. */
  readonly isRunner?: boolean;
  /** Folder of a NetGate: a bridge to it runs around the process; without, a list of hosts is no network at all. */
  readonly gate?: string;
  /** The host answers its connect() calls, so that it may have sockets with a path. */
  readonly answersConnects?: boolean;
  /** One glance at the disk for all of one start. */
  readonly view?: MountView;
}

/**
 * Command line of a process that confines itself and then becomes what the last frame says: the launcher, with bwrap in
 * front where namespaces of its own are refused at kernel+. macOS starts this program again, in sandbox-exec where the level
 * is seatbelt.
 *
 * Start it with `spawnConfined`. Throws when the level cannot be had: there is no weaker way to start it.
 */
export function confinedCommand(
  policy: Policy,
  self: Self,
  options: LaunchOptions = {},
): { program: string; args: string[]; env: Record<string, string> } {
  const { gate, view = glanceAtDisk() } = options;
  const again = [...self.args, "--internal-exec"];
  switch (policy.sandbox) {
    case "kernel+": {
      if (!policy.bubblewrap) return { program: launcher().path(), args: [], env: {} };
      const bwrap = findBwrap(disk.realPath);
      if (bwrap === undefined) throw new Error("bwrap is gone; nothing was started");
      const args = [
        ...bwrapArguments(policy, shownPrograms(self, options), view, gate),
        ...(gate === undefined ? [] : bridgeWords(self)),
        launcher().path(),
      ];
      return { program: bwrap, args, env: gate === undefined ? {} : { ...self.env } };
    }
    case "kernel":
    case "permissions":
    case "off":
      if (Deno.build.os === "linux") return { program: launcher().path(), args: [], env: {} };
      return { program: self.program, args: again, env: { ...self.env } };
    case "seatbelt":
      refuseElsewhere();
      return seatbeltCommand(policy, self, again, view);
  }
}

/** What this program needs of itself inside: the runner, and the bridge, which is in no Landlock domain. */
function shownPrograms(self: Self, { isRunner, gate }: LaunchOptions): readonly string[] {
  return isRunner || gate !== undefined ? self.readPaths : [];
}

/** The bridge to a NetGate; the words of what it starts follow. */
function bridgeWords(self: Self): string[] {
  const program = self.readPaths[0];
  if (program === undefined) throw new Error("this program has no file; nothing was started");
  return [program, ...self.args, "--internal-bridge", `${GATE_FOLDER}/${SOCKET_NAME}`];
}

/** What its stdin begins with: all frames but the last. The process confines itself on reading them and then waits. */
export function firstFrames(policy: Policy, self: Self, options: LaunchOptions = {}): Uint8Array<ArrayBuffer> {
  return joinFrames(namespacesFor(policy, self, options), policyFrame(policy, self, options));
}

/** Joins the namespaces frame, if there is one, and the policy's frame. */
export function joinFrames(
  request: NamespaceRequest | undefined,
  frame: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  if (request === undefined) return frame;
  const namespaces = encodeNamespaces(request);
  const both = new Uint8Array(namespaces.length + frame.length);
  both.set(namespaces);
  both.set(frame, namespaces.length);
  return both;
}

/**
 * The request that precedes the policy's at kernel+: namespaces that the launcher itself makes. Undefined elsewhere.
 */
export function namespacesFor(
  policy: Policy,
  self: Self,
  options: LaunchOptions = {},
): NamespaceRequest | undefined {
  if (policy.sandbox !== "kernel+" || policy.bubblewrap) return undefined;
  const { gate, view = glanceAtDisk() } = options;
  const request = namespaceRequest(policy, shownPrograms(self, options), view, gate);
  if (gate === undefined) return request;
  const argv = [...bridgeWords(self), launcher().path()];
  return { ...request, bridge: { argv, env: self.env, cwd: policy.root } };
}

/** The policy's frame. */
export function policyFrame(policy: Policy, self: Self, options: LaunchOptions = {}): Uint8Array<ArrayBuffer> {
  const request = confineRequest(policy, self, options);
  return Deno.build.os === "linux" ? encodePolicy(request) : encodeFrame(request);
}

/** Last frame: what to become. */
export function execFrame(exec: Exec): Uint8Array<ArrayBuffer> {
  return Deno.build.os === "linux" ? encodeCommand(exec) : encodeFrame(exec);
}

/** What the policy's frame carries: how the process confines itself. */
export function confineRequest(policy: Policy, self: Self, options: LaunchOptions = {}): ConfineRequest {
  const { isRunner = false, answersConnects = false, view = glanceAtDisk() } = options;
  const { root, limits, sandbox } = policy;
  // sandbox-exec confines this process before it starts. On any other system a request without a kernel part would
  // confine nothing.
  if (sandbox === "seatbelt") refuseElsewhere();
  return {
    cwd: root,
    limits: {
      fileBytes: limits.fileBytes,
      openFiles: limits.openFiles,
      tasks: taskLimit(limits, navigator.hardwareConcurrency),
    },
    kernel: sandbox === "kernel" || sandbox === "kernel+"
      ? {
        apart: sandbox === "kernel+" ? hostNamespaces(policy.net.all) : [],
        landlock: {
          rules: landlockRules(policy, isRunner ? self.readPaths : [], view),
          denyTcp: sandbox === "kernel" && !policy.net.all,
          scope: true,
          minAbi: LEAST_ABI[sandbox],
        },
        seccomp: filterOf(seccompOrder(policy, isRunner, answersConnects)),
      }
      : null,
  };
}

/**
 * Namespaces of the host that the process must have left: a bwrap that failed to make a network namespace, for
 * instance, would leave the network open.
 */
function hostNamespaces(sharesNet: boolean): (readonly [name: string, id: string])[] {
  const names = ["user", "mnt", "pid", "ipc", ...(sharesNet ? [] : ["net"])];
  return names.map((name) => {
    const id = readProcLink(`/proc/self/ns/${name}`);
    if (id === undefined) throw new Error(`the ${name} namespace cannot be seen; nothing was started`);
    return [name, id];
  });
}

function refuseElsewhere(): void {
  if (Deno.build.os !== "darwin") throw new Error("seatbelt is a level of macOS; nothing was started");
}

const filters = new Map<string, Uint8Array<ArrayBuffer>>();

/**
 * Few filters exist, each process needs one, and assembling one takes longer than everything else in a frame: so they
 * are kept.
 */
function filterOf(request: SeccompRequest): Uint8Array<ArrayBuffer> {
  const key = JSON.stringify(request);
  const filter = filters.get(key) ?? seccompFilter(request, architecture());
  filters.set(key, filter);
  return filter;
}

function architecture(): Architecture {
  const name = Deno.build.arch;
  if (!(name in ARCHITECTURES)) throw new Error(`no system call table for ${name}`);
  return name;
}

function seccompOrder(policy: Policy, isRunner: boolean, answersConnects: boolean): SeccompRequest {
  const mounts = policy.sandbox === "kernel+";
  // The runner has no network and asks no proxy.
  const shared = policy.net.list.length > 0 && !isRunner ? "left" : "none";
  return {
    net: policy.net.all ? "open" : mounts ? "private" : shared,
    // To connect to a socket that is in sight takes no right to write, and no rule of Landlock covers it.
    unixSockets: mounts && answersConnects,
    privateIpc: mounts,
  };
}

// What travels over a confined process's standard input before the program's own bytes where this program reads it and no
// launcher does (macOS): eight hexadecimal digits with a length, then so many bytes of JSON. Reads are exact, so that
// whatever follows stays in the pipe.

const HEADER = 8;

/** Longest frame, bytes. */
export const LONGEST_FRAME = 16 * 1024 * 1024;

/** A value as a frame; throws when it is too long. */
export function encodeFrame(value: unknown): Uint8Array<ArrayBuffer> {
  const body = new TextEncoder().encode(JSON.stringify(value));
  if (body.length > LONGEST_FRAME) throw new Error(`a frame of ${body.length} bytes is too long`);
  const frame = new Uint8Array(HEADER + body.length);
  frame.set(new TextEncoder().encode(body.length.toString(16).padStart(HEADER, "0")));
  frame.set(body, HEADER);
  return frame;
}

/** Reads into `buffer` and tells how many bytes came; null at the end. */
export type ReadSome = (buffer: Uint8Array<ArrayBuffer>) => number | null;

/** Reads one frame and not a byte more; throws when it is short, too long or no JSON. */
export function readFrame(read: ReadSome): unknown {
  const digits = new TextDecoder().decode(readExactly(read, HEADER));
  if (!/^[0-9a-f]{8}$/.test(digits)) throw new Error("a frame's length is not eight hexadecimal digits");
  const length = parseInt(digits, 16);
  if (length > LONGEST_FRAME) throw new Error(`a frame of ${length} bytes is too long`);
  const text = new TextDecoder("utf-8", { fatal: true }).decode(readExactly(read, length));
  return JSON.parse(text);
}

function readExactly(read: ReadSome, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let filled = 0; filled < length;) {
    const count = read(bytes.subarray(filled));
    if (count === null || count === 0) throw new Error(`the frame ends after ${filled} of ${length} bytes`);
    filled += count;
  }
  return bytes;
}
