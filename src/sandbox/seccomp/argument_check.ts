import { allow, type BpfLine, fail } from "./bpf.ts";

/** What the filter depends on. */
export interface SeccompOrder {
  /**
   * `none`: no socket but pairs; `left`: TCP, where the host answers the calls that connect and listen; `private`: alone in
   * a network namespace; `open`: the machine's network.
   */
  readonly net: "none" | "left" | "private" | "open";
  /** Whether sockets with a path may be made: only where the paths of foreign ones are out of sight. */
  readonly unixSockets: boolean;
  /** Whether the process has an IPC namespace of its own. */
  readonly privateIpc: boolean;
}

/** The lines that look at the arguments of one call. They end at `ok` (allowed) or `no` (refused) and place both labels. */
export type ArgumentCheck = (ok: string, no: string) => readonly BpfLine[];

/** The usual end of a check: falling through is a refusal. */
export function verdict(ok: string, no: string, errno: number): readonly BpfLine[] {
  return [{ label: no }, fail(errno), { label: ok }, allow()];
}
