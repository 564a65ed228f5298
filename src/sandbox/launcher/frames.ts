// The frames that the launcher reads from its standard input; frame.h says what they look like, and checks them: what it
// could not check (a fraction, a lone surrogate) cannot come out of here.
import type { ConfineRequest, ExecRequest, MountOperation, NamespaceRequest, WatchRequest } from "./request.ts";

const MAGIC = 0x434c5053;
const VERSION = 2;
const HEAD_BYTES = 24;
const [SIZE_AT, KIND_AT, FLAGS_AT] = [8, 12, 16];
const SUM_AT = HEAD_BYTES - 4;
/** Longest frame, bytes: rules of a policy that splits large folders are some hundred kilobytes. */
export const LONGEST_FRAME = 16 * 1024 * 1024;
const INSTRUCTION_BYTES = 8;

const KIND = { confine: 1, bare: 2, command: 3, namespaces: 4, watch: 5 } as const;
const NAMESPACE_FLAGS = { shareNet: 1 } as const;
const MOUNT = { bind: 1, empty: 2, devices: 3, processes: 4, folder: 5, overlay: 6, link: 7 } as const;
const MOUNT_FLAGS = { readOnly: 1, optional: 2 } as const;
const POLICY_FLAGS = { denyTcp: 1, scope: 2, sharedTasks: 4 } as const;
/** Of a policy's flags, and where above them a descriptor's number stands; listener.h. */
const NOTIFY = 0x8000;
const CHANNEL_AT = 16;
const COMMAND_FLAGS = { nullInput: 1, mergeOutput: 2 } as const;

/** The frame before the policy, at kernel+: namespaces and mounts. */
export function encodeNamespaces(
  { sharesNet, memoryBytes, mounts, bridge }: NamespaceRequest,
): Uint8Array<ArrayBuffer> {
  const frame = writer();
  frame.u32(mounts.length);
  frame.u64(memoryBytes);
  putProgram(frame, bridge ?? { argv: [], env: {}, cwd: "" });
  for (const mount of mounts) {
    frame.u32(MOUNT[mount.kind]);
    frame.u32(mountFlags(mount));
    frame.text("source" in mount ? mount.source : mount.kind === "link" ? mount.text : "");
    frame.text(mount.target);
    if (mount.kind !== "overlay") continue;
    frame.text(mount.upper);
    frame.text(mount.work);
  }
  return frame.end(KIND.namespaces, sharesNet ? NAMESPACE_FLAGS.shareNet : 0);
}

function mountFlags(mount: MountOperation): number {
  const isReadOnly = "readOnly" in mount && mount.readOnly;
  const isOptional = "optional" in mount && mount.optional;
  return (isReadOnly ? MOUNT_FLAGS.readOnly : 0) | (isOptional ? MOUNT_FLAGS.optional : 0);
}

/** The policy's frame: how the process confines itself. */
export function encodePolicy({ cwd, limits, kernel }: ConfineRequest): Uint8Array<ArrayBuffer> {
  const frame = writer();
  frame.u64(limits.fileBytes);
  frame.u64(limits.openFiles);
  frame.u64(limits.tasks);
  const { rules = [], minAbi = 0, denyTcp = false, scope = false } = kernel?.landlock ?? {};
  const { apart = [], seccomp = new Uint8Array() } = kernel ?? {};
  if (seccomp.length % INSTRUCTION_BYTES !== 0) throw new Error("the filter is cut");
  frame.u32(minAbi);
  frame.u32(apart.length);
  frame.u32(rules.length);
  frame.u32(seccomp.length / INSTRUCTION_BYTES);
  frame.text(cwd);
  for (const [name, id] of apart) {
    frame.text(name);
    frame.text(id);
  }
  for (const [path, rights] of rules) {
    frame.u64(rights);
    frame.text(path);
  }
  frame.bytes(seccomp);
  const isShared = kernel !== null && !apart.some(([name]) => name === "user");
  const flags = (denyTcp ? POLICY_FLAGS.denyTcp : 0) | (scope ? POLICY_FLAGS.scope : 0) |
    (isShared ? POLICY_FLAGS.sharedTasks : 0);
  return frame.end(kernel ? KIND.confine : KIND.bare, flags);
}

/**
 * A copy of a process's first frames in which that of the policy has the listener of the filter sent over a descriptor of the
 * process.
 */
export function withChannel(frames: Uint8Array<ArrayBuffer>, descriptor: number): Uint8Array<ArrayBuffer> {
  if (descriptor >= 1 << CHANNEL_AT) throw new Error(`a descriptor's number is too large: ${descriptor}`);
  const copy = frames.slice();
  const first = new DataView(copy.buffer);
  const policyAt = first.getUint32(KIND_AT, true) === KIND.namespaces ? first.getUint32(SIZE_AT, true) : 0;
  const frame = copy.subarray(policyAt);
  const head = new DataView(copy.buffer, policyAt);
  head.setUint32(FLAGS_AT, (head.getUint32(FLAGS_AT, true) | NOTIFY | (descriptor << CHANNEL_AT)) >>> 0, true);
  head.setUint32(SUM_AT, sumOf(frame), true);
  return copy;
}

/** The last frame: what it becomes. */
export function encodeCommand(request: ExecRequest): Uint8Array<ArrayBuffer> {
  const frame = writer();
  putProgram(frame, request);
  const flags = (request.stdin === "null" ? COMMAND_FLAGS.nullInput : 0) |
    (request.mergeOutput ? COMMAND_FLAGS.mergeOutput : 0);
  return frame.end(KIND.command, flags);
}

function putProgram(
  frame: ReturnType<typeof writer>,
  { argv, env, cwd }: Pick<ExecRequest, "argv" | "env" | "cwd">,
): void {
  const variables = Object.entries(env);
  frame.u32(argv.length);
  frame.u32(variables.length);
  frame.text(cwd);
  for (const word of argv) frame.text(word);
  for (const [name, value] of variables) frame.bytes(variableBytes(name, value));
}

/** Nearly all variables are the same for each command: what they are in a frame is made once. */
const MOST_VARIABLES = 256;
const variablesKnown = new Map<string, { readonly value: string; readonly bytes: Uint8Array }>();

/** u32 length of the name, u32 length of all, `NAME=VALUE`, NUL. */
function variableBytes(name: string, value: string): Uint8Array {
  const known = variablesKnown.get(name);
  if (known?.value === value) return known.bytes;
  const encoder = new TextEncoder();
  const text = encoder.encode(`${name}=${value}`);
  const bytes = new Uint8Array(text.length + 9);
  const view = new DataView(bytes.buffer);
  // Where it ends: a name that holds = would become another name.
  view.setUint32(0, encoder.encode(name).length, true);
  view.setUint32(4, text.length, true);
  bytes.set(text, 8);
  if (variablesKnown.size >= MOST_VARIABLES) variablesKnown.clear();
  variablesKnown.set(name, { value, bytes });
  return bytes;
}

/** The first and only frame of the sentinel. */
export function encodeWatch({ host, everyMs, tasks, bytes, crowd, glances }: WatchRequest): Uint8Array<ArrayBuffer> {
  const frame = writer();
  for (const value of [host, everyMs, tasks, Math.ceil(bytes / 1024), crowd, glances]) frame.u64(value);
  return frame.end(KIND.watch, 0);
}

/** The sum of a frame's bytes but for its own (FNV-1a), which `bytes` hold a place for. */
export function sumOf(bytes: Uint8Array): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < SUM_AT; i++) sum = Math.imul(sum ^ (bytes[i] ?? 0), 0x01000193);
  for (let i = HEAD_BYTES; i < bytes.length; i++) sum = Math.imul(sum ^ (bytes[i] ?? 0), 0x01000193);
  return sum >>> 0;
}

/** A frame that is being written. */
function writer() {
  const encoder = new TextEncoder();
  let bytes = new Uint8Array(16 * 1024);
  let view = new DataView(bytes.buffer);
  let at = HEAD_BYTES;
  const reserve = (more: number): void => {
    if (at + more <= bytes.length) return;
    const larger = new Uint8Array(Math.max(bytes.length * 2, at + more));
    larger.set(bytes);
    bytes = larger;
    view = new DataView(bytes.buffer);
  };
  return {
    u32(value: number): void {
      reserve(4);
      view.setUint32(at, value, true);
      at += 4;
    },
    /** A safe integer; a negative one is written as the huge number that the launcher refuses. */
    u64(value: number): void {
      reserve(8);
      view.setBigInt64(at, BigInt(value), true);
      at += 8;
    },
    text(value: string): void {
      // A UTF-16 unit is three bytes at the most.
      reserve(value.length * 3 + 5);
      const { written } = encoder.encodeInto(value, bytes.subarray(at + 4));
      view.setUint32(at, written, true);
      bytes[at + 4 + written] = 0;
      at += written + 5;
    },
    bytes(value: Uint8Array): void {
      reserve(value.length);
      bytes.set(value, at);
      at += value.length;
    },
    end(kind: number, flags: number): Uint8Array<ArrayBuffer> {
      if (at > LONGEST_FRAME) throw new Error(`a frame of ${at} bytes is too long`);
      const frame = bytes.slice(0, at);
      const head = new DataView(frame.buffer);
      [MAGIC, VERSION, at, kind, flags].forEach((word, index) => head.setUint32(4 * index, word, true));
      head.setUint32(SUM_AT, sumOf(frame), true);
      return frame;
    },
  };
}
