// Scopes that a user may widen. What a grant does not name must stay as closed as it was.

/** What the flags of a grant are made of. */
export interface GrantPlace {
  /** A folder outside of the workspace, with a `dir` in it. */
  readonly out: string;
  /** Port of a server on loopback. */
  readonly tcp: string;
}

/** A widened scope. */
export interface Grant {
  readonly name: string;
  /** Options of the program. */
  readonly flags: (place: GrantPlace) => readonly string[];
  readonly levels: readonly ("kernel+" | "kernel")[];
  /** The attacks that are replayed under it. */
  readonly attacks: RegExp;
}

/** Worth a try whatever is granted: the key, other processes, the kernel's surface, the program, git. */
const ALWAYS = [
  "env-api-key|own-key-anywhere|read-(?:agent-memory|proc-any-environ|proc-victim-environ|vcs-tokens|shell-history)",
  "ptrace-agent-threads|signal-|prlimit-foreign|io-uring-open|keyring-read|userns-unshare|own-privileges|own-sysv-all",
  "own-posix-mq|own-poison-program|write-(?:git-hook|outside$|hardlink)|own-git-submodule-trap|own-granted",
].join("|");
/** Other programs that listen. */
const SOCKETS = "unix-|socketpair-|docker-sock|session-bus|ssh-agent|tmux-x11-sockets|own-unix-any-type";
/** Ways around who answers a command's calls about the network. */
const ANSWERED = "own-(?:connect-|listen|inherited-ways|port-takeover)";
const NETWORK = "net-|own-loopback-addresses|own-socket-families|own-netlink-families";

const attacks = (...kinds: readonly string[]): RegExp => new RegExp(`^(?:${[ALWAYS, ...kinds].join("|")})`);

/** All grants that are replayed. */
export const GRANTS: readonly Grant[] = [
  {
    name: "net",
    flags: () => ["--allow-net"],
    levels: ["kernel+", "kernel"],
    attacks: attacks(SOCKETS, NETWORK, "read-(?:outside|hardlink)"),
  },
  {
    name: "net-list",
    flags: ({ tcp }) => [`--allow-net=127.0.0.1:${tcp}`],
    levels: ["kernel+", "kernel"],
    attacks: attacks(SOCKETS, NETWORK, ANSWERED, "read-outside"),
  },
  {
    name: "read",
    flags: () => ["--allow-read"],
    levels: ["kernel+", "kernel"],
    attacks: attacks(
      SOCKETS,
      "read-",
      "list-ssh-dir|own-secret-spellings|dev-nodes-open|own-remount|net-(?:curl|udp$)",
    ),
  },
  {
    name: "write-out",
    flags: ({ out }) => [`--allow-write=.,${out}/dir`],
    levels: ["kernel+", "kernel"],
    attacks: attacks(
      "write-|rename-ws-out|own-(?:odd-names|rename-parent|link-race|home-startup-files|poison)|poison-|plant-",
      "read-(?:outside|hardlink|symlink)|net-curl|unix-path",
    ),
  },
];
