// Which attacks may succeed, at which level, and why. Everything else that escapes is a fault of the sandbox.

/** One attack that is not stopped, on purpose or because the level cannot. */
export interface Expectation {
  readonly attack: string;
  readonly levels: readonly ("kernel+" | "kernel")[];
  readonly why: string;
  /** Names of widened scopes (scripts/attacks/grants.ts) that open it, and must; without them it is open in every column. */
  readonly grants?: readonly string[];
}

const OWN_PROGRAMS = "programs of the workspace may run: they are confined like any other";
const OWN_NETWORK = "the network namespace holds nothing but the command itself";
const NO_RULE = "no rule of Landlock covers it, and a mount namespace is missing";
const NO_PID_NAMESPACE = "other processes of the machine are in sight without a namespace of one's own";
const NO_NET_NAMESPACE = "/proc shows the sockets of the network namespace that one is in";
const NO_SUBTRACTION = "Landlock cannot take away what lies inside of what is granted";

const OWN_SERVERS = "a command may serve itself on loopback where it has a network";

const IS_GRANTED = "this is what the grant says";

const BOTH = ["kernel+", "kernel"] as const;

/** Attacks that are what a user granted. */
const GRANTED: readonly Expectation[] = [
  ...["curl", "dev-tcp", "mptcp", "udp", "udp-connected", "listen", "listen-implicit", "netlink", "sctp-udplite"].map(
    (name) => ({ attack: `net-${name}`, levels: BOTH, why: IS_GRANTED, grants: ["net"] }),
  ),
  { attack: "own-loopback-addresses", levels: BOTH, why: IS_GRANTED, grants: ["net"] },
  ...["outside-dotdot", "proc-self-cwd", "proc-self-root", "symlink-dir"].map(
    (name) => ({ attack: `read-${name}`, levels: BOTH, why: IS_GRANTED, grants: ["read"] }),
  ),
  { attack: "own-granted-write", levels: BOTH, why: IS_GRANTED, grants: ["write-out"] },
  { attack: "own-granted-host", levels: BOTH, why: IS_GRANTED, grants: ["net-list"] },
  { attack: "net-listen", levels: ["kernel"], why: OWN_SERVERS, grants: ["net-list"] },
];

/** All expected escapes. */
export const EXPECTED: readonly Expectation[] = [
  { attack: "exec-workspace-binary", levels: ["kernel+", "kernel"], why: OWN_PROGRAMS },
  { attack: "memfd-exec", levels: ["kernel+", "kernel"], why: OWN_PROGRAMS },
  { attack: "net-listen", levels: ["kernel+"], why: OWN_NETWORK },
  { attack: "net-listen-implicit", levels: ["kernel+"], why: OWN_NETWORK },
  { attack: "own-listen-outside", levels: ["kernel+"], why: OWN_NETWORK },
  { attack: "net-netlink", levels: ["kernel+"], why: OWN_NETWORK },
  { attack: "net-sctp-udplite", levels: ["kernel+"], why: OWN_NETWORK },
  { attack: "chmod-outside", levels: ["kernel"], why: NO_RULE },
  { attack: "utime-outside", levels: ["kernel"], why: NO_RULE },
  { attack: "xattr-outside", levels: ["kernel"], why: NO_RULE },
  { attack: "inotify-watch", levels: ["kernel"], why: NO_RULE },
  { attack: "stat-metadata", levels: ["kernel"], why: NO_RULE },
  { attack: "sched-foreign", levels: ["kernel"], why: NO_PID_NAMESPACE },
  { attack: "see-foreign-processes", levels: ["kernel"], why: NO_PID_NAMESPACE },
  { attack: "own-proc-net-leak", levels: ["kernel"], why: NO_NET_NAMESPACE },
  { attack: "swap-git-dir", levels: ["kernel"], why: NO_SUBTRACTION },
  { attack: "swap-agent-config-dir", levels: ["kernel"], why: NO_SUBTRACTION },
  ...GRANTED,
];
