import { assertEquals, assertMatch } from "@std/assert";
import type { Policy } from "../../../src/core/policy.ts";
import { type DenialHint, denialHints, endingOf, hintToTell } from "../../../src/sandbox/denial/hint.ts";
import { silentHint } from "../../../src/sandbox/denial/net_hint.ts";
import { metBy } from "../../../src/sandbox/shell/met.ts";
import type { DeniedOutcome } from "../../../src/sandbox/shell/shell.ts";
import { inWorld } from "../guarded_world.ts";
import { CONFINED, LIMITS } from "../shell_fixture.ts";

const POLICY: Policy = {
  root: "/home/ann/project",
  home: "/home/ann",
  tmp: "/tmp/private",
  cache: "/home/ann/.cache/sandpiper",
  read: { all: false, list: ["/home/ann/project", "/tmp/private", "/home/ann/.cache/sandpiper", "/home/ann/lib"] },
  write: { all: false, list: ["/home/ann/project", "/tmp/private", "/home/ann/.cache/sandpiper"] },
  run: { all: true, list: [] },
  net: { all: false, list: [] },
  env: {},
  denyRead: ["/home/ann/.ssh", "/home/ann/project/private"],
  denyWrite: ["/home/ann/.ssh", "/home/ann/project/frozen"],
  deniedFor: { asked: ["/home/ann/project/private", "/home/ann/project/frozen"], own: [] },
  protected: ["/home/ann/project/.git/config", "/home/ann/project/.envrc"],
  limits: LIMITS,
  sandbox: "kernel",
};

const ONLY = "Only the user can allow it";
const read = (path: string, grant = `+${path}`): DenialHint => ({
  note: `Sandbox: ${path} is outside the read scope. ${ONLY}, with --allow-read=${grant}.`,
  denial: { kind: "read", target: path },
});
const write = (path: string, folder: string): DenialHint => ({
  note: `Sandbox: ${path} is outside the write scope. ${ONLY}, with --allow-write=+${folder}/; ` +
    "for temporary files use $TMPDIR.",
  denial: { kind: "write", target: path },
});
const secret = (path: string): string => `Sandbox: cannot read ${path}: it may hold secrets, and no grant opens it.`;
const asked = (kind: "read" | "write", path: string): string =>
  `Sandbox: cannot ${kind} ${path}: it was denied with --deny-${kind} or a setting, and no grant opens it.${
    kind === "write" ? " The user has to make such a change." : ""
  }`;
const NO_NET = `Sandbox: commands have no network. ${ONLY}, with --allow-net.`;
const NET: DenialHint = { note: NO_NET, denial: { kind: "net", target: "*" } };

const CASES: readonly (readonly [claim: string, output: string, hint: DenialHint | undefined])[] = [
  ["reading outside", "cat: /home/bob/x: Permission denied\n", read("/home/bob/x")],
  ["a redirection outside", "bash: line 1: /home/bob/x: Permission denied\n", {
    note: "Sandbox: /home/bob/x is outside the read scope. " +
      `${ONLY}, with --allow-read=+/home/bob/x to read it, --allow-write=+/home/bob/ to write it.`,
    denial: { kind: "read", target: "/home/bob/x" },
  }],
  [
    "a quoted path",
    "ls: cannot open directory '/srv/a b': Permission denied",
    read("/srv/a b", "'+/srv/a b'"),
  ],
  ["python's way", "PermissionError: [Errno 13] Permission denied: '/srv/data'", read("/srv/data")],
  ["node's way", "Error: EACCES: permission denied, open '/srv/data'", read("/srv/data")],
  ["the home written short", "cat: ~/x: Permission denied", read("/home/ann/x")],
  ["writing outside", "touch: cannot touch '/srv/x': Permission denied", write("/srv/x", "/srv")],
  [
    "writing to the shared folder",
    "mkdir: cannot create directory '/tmp/x': Permission denied",
    write("/tmp/x", "/tmp"),
  ],
  ["a read-only mount", "sh: 1: cannot create /usr/x: Read-only file system", write("/usr/x", "/usr")],
  ["moving out", "mv: cannot move 'a' to '/srv/a': Permission denied", write("/srv/a", "/srv")],
  [
    "what is readable only",
    "open('/home/ann/lib/x'): Permission denied",
    {
      note:
        `Sandbox: /home/ann/lib/x is outside the write scope: it may be read but not written. ${ONLY}, with --allow-write=+/home/ann/lib/.`,
      denial: { kind: "write", target: "/home/ann/lib/x" },
    },
  ],
  [
    "a secret",
    "cat: /home/ann/.ssh/id: Permission denied",
    {
      note: secret("/home/ann/.ssh/id"),
      unasked: { kind: "read", target: "/home/ann/.ssh/id" },
    },
  ],
  [
    "a denied file",
    "rm: cannot remove '/home/ann/project/frozen/a': Permission denied",
    {
      note: asked("write", "/home/ann/project/frozen/a"),
      unasked: { kind: "write", target: "/home/ann/project/frozen/a" },
    },
  ],
  [
    "a new name beside a denied one",
    "mv: cannot move '/home/ann/project/old' to '/home/ann/project/new': Permission denied",
    {
      note:
        "Sandbox: names in /home/ann/project cannot change: it holds private, which was denied with --deny-read or a " +
        "setting; at the sandbox level kernel, names in the directory of a denied path cannot be created, renamed or removed. Use a " +
        "subdirectory.",
      unasked: { kind: "write", target: "/home/ann/project/new" },
    },
  ],
  [
    "what is protected",
    "error: could not write config file .git/config: Device or resource busy",
    {
      note: "Sandbox: cannot write /home/ann/project/.git/config: it is protected, and no grant opens it. " +
        "The user has to make such a change.",
      unasked: { kind: "write", target: "/home/ann/project/.git/config" },
    },
  ],
  [
    "what holds something protected",
    "error: failed to delete '.git': Device or resource busy",
    {
      note:
        "Sandbox: /home/ann/project/.git holds /home/ann/project/.git/config, which is protected from change: it can be " +
        "neither moved nor removed here. Ask the user to run this command.",
      unasked: { kind: "write", target: "/home/ann/project/.git/config" },
    },
  ],
  ["the network", "curl: (6) Could not resolve host: example.com", NET],
  ["the network's absence", "connect: Network is unreachable", NET],
  // What the policy allows the file's own mode forbids: nothing is said.
  ["a file of the workspace", "cat: /home/ann/project/secret: Permission denied", undefined],
  ["a relative path", "./run.sh: Permission denied", undefined],
  ["a program", "bash: ./a: Permission denied", undefined],
  ["a link out of sight, wherever it leads", "cat: /alias/secret: Permission denied", {
    note: `Sandbox: /alias/secret is outside the read scope. ${ONLY}, with --allow-read=+/alias/secret.`,
    denial: { kind: "read", target: "/alias/secret" },
  }],
  ["the system's own", "cat: /etc/shadow: Permission denied", undefined],
  ["writing where it is allowed", "touch: cannot touch '/home/ann/project/x/y': Permission denied", undefined],
  ["other failures", "make: *** [all] Error 2", undefined],
  ["no path", "Operation not permitted", undefined],
  ["a path elsewhere in the text", "see /srv/x\nPermission denied\n", undefined],
  ["a very long line", `${"/a ".repeat(100_000)}: Permission denied`, undefined],
];

/** The hint of which the model is told. */
const denialHint = (...of: Parameters<typeof denialHints>): DenialHint | undefined => hintToTell(denialHints(...of));

const realPath = (path: string): string | undefined =>
  path === "/alias"
    ? "/home/ann/project"
    : ["/", "/home", "/home/ann", "/home/ann/project/.git/config", "/srv", "/tmp"].includes(path)
    ? path
    : undefined;

for (const [claim, output, expected] of CASES) {
  Deno.test(`denialHint() on ${claim} ${expected === undefined ? "says nothing" : "names the smallest grant"} R480`, () => {
    assertEquals(denialHint(output, "failed", POLICY, realPath), expected);
  });
}

Deno.test("denialHint() says nothing false about a network that is there, or a command that went well R480", () => {
  const open = { ...POLICY, net: { all: true, list: [] } };
  const listed = { ...POLICY, net: { all: false, list: ["a.test"] } };
  const line = "Could not resolve host: b.test";
  assertEquals(denialHint(line, "failed", open, realPath), undefined);
  assertEquals(denialHint(line, "well", POLICY, realPath), undefined);
  assertEquals(denialHint(line, "failed", listed, realPath), {
    note: `Sandbox: the network is limited to a.test. ${ONLY}, with --allow-net=+HOST.`,
    denial: { kind: "net", target: "b.test" },
  });
  for (const sandbox of ["off", "permissions"] as const) {
    assertEquals(denialHint(line, "failed", { ...POLICY, sandbox }, realPath), undefined);
  }
});

for (
  const [program, line, target] of [
    ["curl", "curl: (6) Could not resolve host: b.test", "b.test"],
    ["ssh", "ssh: Could not resolve hostname B.test: Temporary failure in name resolution", "b.test"],
    ["node", "Error: getaddrinfo EAI_AGAIN b.test", "b.test"],
    ["wget", "Resolving b.test (b.test)... failed: Temporary failure in name resolution.", "b.test"],
    ["no name", "connect: Network is unreachable", undefined],
    ["what is no name", "Could not resolve host: ..", undefined],
  ] as const
) {
  Deno.test(`denialHint() names the host that ${program} did not find where hosts can be allowed R480`, () => {
    const hint = denialHint(line, "failed", { ...POLICY, sandbox: "kernel+" }, realPath);
    assertEquals(denialHint(line, "failed", { ...POLICY, holdsHosts: true }, realPath), hint);
    // The smallest grant is the host, where it is known.
    const note = target === undefined ? NO_NET : NO_NET.replace("--allow-net", `--allow-net=+${target}`);
    assertEquals(hint, { note, ...(target === undefined ? {} : { denial: { kind: "net", target } }) });
  });
}

const hidden = (path: string, grant: string): string =>
  `Sandbox: ${path} is outside the read scope and out of these commands' sight, whether it is there or not. ${ONLY}, with ${grant}.`;
const EITHER = "--allow-read=+/srv/new to read it, --allow-write=+/srv/ to write it";
const HIDDEN: readonly (readonly [claim: string, line: string, hint: Omit<DenialHint, "isHidden"> | undefined])[] = [
  ["what is there and hidden", "cat: /srv/data: No such file or directory", {
    note: hidden("/srv/data", "--allow-read=+/srv/data"),
    denial: { kind: "read", target: "/srv/data" },
  }],
  ["a redirection into what is hidden", "/bin/bash: line 1: /srv/new: No such file or directory", {
    note: hidden("/srv/new", EITHER),
    denial: { kind: "write", target: "/srv/new" },
  }],
  ["making something in what is hidden", "touch: cannot touch '/srv/new': No such file or directory", {
    note: hidden("/srv/new", "--allow-write=+/srv/"),
    denial: { kind: "write", target: "/srv/new" },
  }],
  ["a repository that git does not see", "fatal: repository '/srv/data' does not exist", {
    note: hidden("/srv/data", "--allow-read=+/srv/data"),
    denial: { kind: "read", target: "/srv/data" },
  }],
  ["one that is named as an address", "fatal: '/srv/none' does not appear to be a git repository", {
    note: hidden("/srv/none", "--allow-read=+/srv/none"),
  }],
  ["what is not there", "cat: /srv/none: No such file or directory", {
    note: hidden("/srv/none", "--allow-read=+/srv/none"),
  }],
  ["what is nowhere", "touch: cannot touch '/none/new': No such file or directory", {
    note: hidden("/none/new", "--allow-write=+/none/"),
  }],
  ["a secret", "cat: /home/ann/.ssh: No such file or directory", {
    note: secret("/home/ann/.ssh"),
    unasked: { kind: "read", target: "/home/ann/.ssh" },
  }],
  [
    "a secret after something else",
    "cat: /srv/data: No such file or directory\ncat: /home/ann/.ssh: No such file or directory",
    { note: secret("/home/ann/.ssh"), unasked: { kind: "read", target: "/home/ann/.ssh" } },
  ],
  ["a secret that is not there", "cat: /home/ann/.ssh/id: No such file or directory", {
    note: secret("/home/ann/.ssh/id"),
  }],
  ["what is in scope", "cat: /home/ann/project: No such file or directory", undefined],
  ["a relative path", "cat: srv/data: No such file or directory", undefined],
  ["the kernel's own", "cat: /proc/99/maps: No such file or directory", undefined],
];
for (const [claim, line, expected] of HIDDEN) {
  Deno.test(`denialHint() on ${claim} tells the model the reason, and nothing that a command could not see R480`, () => {
    const real = (path: string): string | undefined =>
      ["/srv/data", "/home/ann/.ssh", "/home/ann/project"].includes(path) ? path : realPath(path);
    const plus: Policy = { ...POLICY, sandbox: "kernel+" };
    assertEquals(denialHint(line, "failed", plus, real), expected && { ...expected, isHidden: true });
    assertEquals(denialHint(line, "well", plus, real), undefined);
    // With one disk for all what is missing is missing.
    assertEquals(denialHint(line, "failed", POLICY, real), undefined);
    // Of a list that went well somehow nobody is asked.
    const { denial, ...rest } = expected ?? {};
    const unasked = denial ? { unasked: denial } : {};
    const listed = expected && { ...rest, ...unasked, isHidden: true as const };
    if (!line.includes("\n")) assertEquals(denialHint(line, "unknown", plus, real), listed);
  });
}

Deno.test("denialHint() names the git directory that a .git file leads to, however the command ended", () => {
  const plus: Policy = { ...POLICY, sandbox: "kernel+" };
  const real = (path: string): string | undefined => path === "/srv/data" ? path : realPath(path);
  const line = "fatal: not a git repository: /srv/data";
  const note = hidden("/srv/data", "--allow-read=+/srv/data");
  const claim = { kind: "read", target: "/srv/data" } as const;
  assertEquals(denialHint(line, "failed", plus, real), { note, denial: claim, isHidden: true });
  assertEquals(denialHint(line, "well", plus, real), { note, unasked: claim, isHidden: true });
  assertEquals(denialHint(line, "failed", POLICY, real), undefined);
  const open: Policy = { ...plus, read: { all: false, list: ["/srv/data"] } };
  assertEquals(denialHint(line, "failed", open, real), undefined);
});

Deno.test("denialHint() says of a readable folder with a secret in it why it cannot be listed R480", () => {
  const policy: Policy = { ...POLICY, read: { all: false, list: [...POLICY.read.list, "/home/ann"] } };
  assertEquals(denialHint("ls: cannot open directory '/home/ann': Permission denied", "failed", policy, realPath), {
    note: "Sandbox: cannot list /home/ann: what is in it may hold secrets; what else is in it can be " +
      "read by its name.",
    unasked: { kind: "read", target: "/home/ann" },
  });
});

const STARTED: readonly (readonly [line: string, path: string | undefined])[] = [
  ["/bin/bash: line 1: tool: command not found", "/srv/bin/tool"],
  ["sh: 1: tool: not found", "/srv/bin/tool"],
  ["sh: tool: not found", "/srv/bin/tool"],
  ["env: ‘tool’: No such file or directory", "/srv/bin/tool"],
  ["zsh:1: command not found: tool", "/srv/bin/tool"],
  ["/bin/bash: line 1: /srv/bin/tool: Permission denied", "/srv/bin/tool"],
  ["sh: 1: tool: Permission denied", "/srv/bin/tool"],
  // It is there for commands, in no entry of PATH, or a file that is no program.
  ["/bin/bash: line 1: git: command not found", undefined],
  ["/bin/bash: line 1: other: command not found", undefined],
  ["cat: tool: No such file or directory", undefined],
];
for (const [line, path] of STARTED) {
  Deno.test(`denialHint() on a program that did not start: ${line}`, () => {
    const policy: Policy = { ...POLICY, sandbox: "kernel+", env: { PATH: "/srv/bin:/usr/bin" } };
    const real = (name: string): string | undefined =>
      name === "/srv/bin/tool" ? "/srv/lib/tool/run" : name === "/usr/bin/git" ? name : undefined;
    assertEquals(
      denialHint(line, "failed", policy, real)?.denial,
      path === undefined ? undefined : { kind: "read", target: "/srv/lib/tool" },
    );
    if (path === undefined) return;
    assertEquals(
      denialHint(line, "failed", policy, real)?.note,
      `Sandbox: tool is ${path}, a link to /srv/lib/tool/run, outside the read scope. ${ONLY}, with --allow-read=+/srv/lib/tool.`,
    );
    if (line.includes("found")) assertEquals(denialHint(line, "well", policy, real), undefined);
  });
}

Deno.test("metBy() takes it for no denial that nothing may be there R480", () => {
  const line = "cat: /srv/none: No such file or directory";
  const hints = denialHints(line, "failed", { ...POLICY, sandbox: "kernel+" }, realPath);
  assertEquals(metBy({}, [], hints), { notes: [hidden("/srv/none", "--allow-read=+/srv/none")] });
});

const OUTWARD: readonly (readonly [line: string, note: string, target: string])[] = [
  [
    "fatal: could not create work tree dir '../x': Permission denied",
    write("/home/ann/x", "/home/ann/x").note ?? "",
    "/home/ann/x/",
  ],
  [
    "fatal: could not create leading directories of '../wt/.git': Permission denied",
    write("/home/ann/wt", "/home/ann/wt").note ?? "",
    "/home/ann/wt/",
  ],
  [
    "touch: cannot touch '../../x/y': Permission denied",
    write("/home/x/y", "/home/x").note ?? "",
    "/home/x/y",
  ],
];
for (const [line, note, target] of OUTWARD) {
  Deno.test(`denialHint() knows where it leads where a command stood where it began: ${line}`, () => {
    const hintOf = (command?: string): DenialHint | undefined =>
      hintToTell(denialHints(line, "failed", POLICY, realPath, command));
    assertEquals(hintOf("git worktree add ../wt"), { note, denial: { kind: "write", target } });
    for (const moved of ["cd sub && git clone . ../x", "(cd sub; touch ../../x/y)", "git -C sub worktree add ../wt"]) {
      assertEquals(hintOf(moved), undefined);
    }
    assertEquals(hintOf(), undefined);
  });
}

const OWN_LOOPBACK =
  "Sandbox: a command's loopback is its own: servers that run outside of this command, the user's too, " +
  `are not on it. ${ONLY}, with --allow-net=+`;
const OWN_SERVER = "; a server of the command's own has to be started by the same command.";
const REFUSALS: readonly (readonly [line: string, port: string | undefined])[] = [
  ["curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server", "localhost:3000"],
  ["Error: connect ECONNREFUSED 127.0.0.1:5432", "127.0.0.1:5432"],
  ["Error: connect ECONNREFUSED ::1:5432", "[::1]:5432"],
  ['connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused', "localhost"],
  ["urllib.error.URLError: <urlopen error [Errno 111] Connection refused>", undefined],
];
for (const [line, port] of REFUSALS) {
  Deno.test(`denialHint() says of a refusal that a loopback is not the machine's: ${line}`, () => {
    const hint = denialHint(line, "failed", { ...POLICY, sandbox: "kernel+" }, realPath);
    const listed = { ...POLICY, net: { all: false, list: ["a.test"] } };
    assertEquals(denialHint(line, "failed", listed, realPath), hint);
    const grant = port?.includes(":") ? port : undefined;
    assertEquals(hint, {
      note: `${OWN_LOOPBACK}${grant ?? "localhost:PORT"}${OWN_SERVER}`,
      ...(grant ? { denial: { kind: "net", target: grant } } : {}),
    });
    const kernel = denialHint(line, "failed", POLICY, realPath)?.note ?? "";
    if (port !== undefined) assertMatch(kernel, /not even to this machine's own servers.*--allow-net\.$/);
    assertEquals(denialHint(line, "failed", { ...POLICY, net: { all: true, list: [] } }, realPath), undefined);
  });
}

Deno.test("denialHint() believes words about the network where a pipe hides how a program ended, and asks nobody then", () => {
  const line = "npm error request to https://x.example/ failed, reason: getaddrinfo EAI_AGAIN x.example";
  assertEquals(denialHint(line, endingOf("npm view x 2>&1 | tail -3", true), POLICY, realPath), {
    note: NO_NET,
    unasked: { kind: "net", target: "*" },
  });
  assertEquals(denialHint(line, endingOf("cat npm.log", true), POLICY, realPath), undefined);
  assertEquals(denialHint(line, endingOf("npm view x", false), POLICY, realPath), NET);
});

Deno.test("silentHint() knows the codes of programs that were told to say nothing", () => {
  for (
    const [command, code] of [["curl -s https://x.example", 6], ["curl -fsSL http://192.0.2.1/", 7], [
      "wget -q x.example",
      4,
    ]] as const
  ) {
    assertEquals(silentHint(command, code, POLICY), { ...NET, note: NO_NET });
  }
  assertEquals(silentHint("curl -s https://x.example", 22, POLICY), undefined);
  assertEquals(silentHint("./curl-all", 6, POLICY), undefined);
  assertEquals(silentHint("curl -s x", 6, { ...POLICY, net: { all: true, list: [] } }), undefined);
});

Deno.test("a redirection that the shell could not open has its line, with a relative path, too R480", () => {
  const denied = (path: string): DenialHint => ({
    note: asked("write", path),
    unasked: { kind: "write", target: path },
  });
  const named = `${POLICY.root}/out.txt`;
  const closed = {
    ...POLICY,
    denyWrite: [...POLICY.denyWrite, named],
    deniedFor: { asked: [...POLICY.deniedFor?.asked ?? [], named], own: [] },
  };
  const [frozen, out] = [`${POLICY.root}/frozen/a`, `${POLICY.root}/out.txt`];
  const outside = "/home/ann/lib/a";
  for (
    const [command, word, why, hint] of [
      ["echo x > frozen/a", "frozen/a", "Permission denied", denied(frozen)],
      ["echo x >> 'frozen/a'", "frozen/a", "Read-only file system", denied(frozen)],
      ['true 2>"frozen/a"', "frozen/a", "Permission denied", denied(frozen)],
      ["echo x >out.txt && cat out.txt", "out.txt", "Permission denied", denied(out)],
      ["cat < private/a", "private/a", "Permission denied", {
        note: asked("read", `${POLICY.root}/private/a`),
        unasked: { kind: "read", target: `${POLICY.root}/private/a` },
      }],
      [`echo x > ${outside}`, outside, "Permission denied", write(outside, "/home/ann/lib")],
      // A program's name, a file that may be written, another folder, another word.
      ["./frozen/a > /dev/null", "./frozen/a", "Permission denied", undefined],
      ["echo x > mine", "mine", "Permission denied", undefined],
      ["cd frozen; echo x > frozen/a", "frozen/a", "Permission denied", undefined],
      ["echo x > $name", "frozen/a", "Permission denied", undefined],
    ] as const
  ) {
    const line = `/bin/bash: line 1: ${word}: ${why}\n`;
    assertEquals(denialHint(line, "failed", closed, (path) => path, command), hint, command);
  }
});

Deno.test("denialHints() has each thing once that a command met, secrets that it could not see included R480", () => {
  const output =
    "cat: /srv/a: Permission denied\ncat: /srv/b: Permission denied\nok\ncat: /srv/a: Permission denied\n" +
    "touch: cannot touch '/srv/c': Permission denied\ncat: /home/ann/.ssh: No such file or directory\n";
  const real = (path: string): string | undefined => path === "/home/ann/.ssh" ? path : realPath(path);
  const hints = denialHints(output, "failed", { ...POLICY, sandbox: "kernel+" }, real);
  assertEquals(hints, [
    { note: secret("/home/ann/.ssh"), isHidden: true, unasked: { kind: "read", target: "/home/ann/.ssh" } },
    write("/srv/c", "/srv"),
    { ...read("/srv/a"), times: 2 },
    read("/srv/b"),
  ]);
  assertEquals(hintToTell(hints), write("/srv/c", "/srv"));
  const flood = Array.from({ length: 500 }, (_, at) => `cat: /srv/${at}: Permission denied\n`).join("");
  assertEquals(denialHints(flood, "failed", POLICY, realPath).length, 20);
});

Deno.test("metBy() tells a person of everything, and the model of what is known or else of the last guess R480", () => {
  const hints = denialHints(
    "cat: /srv/a: Permission denied\ncat: /srv/b: Permission denied",
    "failed",
    POLICY,
    realPath,
  );
  const a = { kind: "read", target: "/srv/a" } as const;
  const b = { kind: "read", target: "/srv/b" } as const;
  const said = { notes: [read("/srv/b").note ?? ""], told: [read("/srv/b").note ?? ""] };
  assertEquals(metBy({}, [], []), { notes: [] });
  assertEquals(metBy({}, [], hints.slice(0, 1)), { ...said, denial: b, isDenied: true });
  assertEquals(metBy({}, [], hints), {
    ...said,
    denial: b,
    denials: [a, b],
    isDenied: true,
  });
  assertEquals(metBy({}, ["Removed x."], hints), {
    notes: ["Removed x."],
    denials: [a, b],
    sandboxNotes: ["Removed x."],
    isDenied: true,
  });
  const host = { kind: "net", target: "a.test:443" } as const;
  const gate = { notes: () => ["Denied: a", "Denied: b"], denied: () => [host], refused: () => ["Denied: b"] };
  assertEquals(metBy(gate, [], [NET]), {
    notes: ["Denied: a", "Denied: b"],
    denial: host,
    sandboxNotes: ["Denied: b"],
    isDenied: true,
  });
  const listed = { notes: () => ["Denied: a"], denied: () => [host] };
  assertEquals(metBy(listed, [], [NET]), { notes: ["Denied: a"], told: ["Denied: a"], denial: host, isDenied: true });
});

Deno.test("metBy() has the reason for an allowed host that is out of reach in place of guesses, and no denial", () => {
  const listed: Policy = { ...POLICY, net: { all: false, list: ["a.test"] } };
  const unreached = { unreached: () => ["Network: a.test:443 is allowed, but…"] };
  for (const line of ["curl: (7) Failed to connect to a.test", "curl: (6) Could not resolve host: a.test"]) {
    assertEquals(metBy(unreached, [], denialHints(line, "failed", listed, realPath)), { notes: unreached.unreached() });
  }
  const hints = denialHints("cat: /srv/b: Permission denied", "failed", listed, realPath);
  const { notes, denial } = metBy(unreached, [], hints);
  assertEquals([notes, denial], [[read("/srv/b").note, ...unreached.unreached()], read("/srv/b").denial]);
});

Deno.test("denialHint() takes the shell that speaks for nothing that was denied R480", () => {
  const line = "/bin/bash: line 1: /home/ann/lib/x: Read-only file system";
  assertEquals(denialHint(line, "failed", POLICY, realPath)?.denial, { kind: "write", target: "/home/ann/lib/x" });
});

for (const level of CONFINED) {
  Deno.test(`openShell() at ${level} tells which grant a command lacked R480`, () =>
    inWorld(level, () => {}, async ({ run }) => {
      const touched: DeniedOutcome = await run("touch /usr/nothing");
      const { note, denial } = write("/usr/nothing", "/usr");
      assertEquals([touched.notes, touched.denial, touched.isDenied], [[note], denial, true]);
      const { notes } = await run("echo hi > /dev/tcp/192.0.2.1/9");
      assertEquals(notes, [NO_NET]);
      const refused: DeniedOutcome = await run("(echo hi > /dev/tcp/127.0.0.1/9) 2>&1 | cat");
      assertMatch(
        refused.notes.join(),
        level === "kernel+" ? /loopback is its own.*=\+127\.0\.0\.1:9;/ : /not even to this machine/,
      );
      assertEquals(refused.denial, undefined);
      assertMatch((await run("echo $npm_config_fetch_retries $RES_OPTIONS")).output, /^0 attempts:1 timeout:1\n$/);
    }));
}

Deno.test("what the model reads of a path is the same whether it is there or not, and wherever it leads R480", () => {
  const lines = [
    "cat: /proc/7/fd/3: Permission denied",
    "cat: /home/ann/private/link: Permission denied",
    "bash: line 1: /srv/x: Permission denied",
    "cat: /home/ann/private/cur/x: No such file or directory",
    "cat: /srv/x: No such file or directory\ncat: /srv/y: No such file or directory",
  ];
  const worlds: ((path: string) => string | undefined)[] = [
    () => undefined,
    (path) => path,
    (path) => path.endsWith("/y") ? undefined : path,
    (path) => path.includes("private") ? "/home/ann/project/a" : "/srv/secret-name",
  ];
  for (const sandbox of ["kernel", "kernel+"] as const) {
    for (const line of lines) {
      const told = worlds.map((world) => {
        const inside = (path: string): string | undefined =>
          path === "/home/ann/project" || path === "/home/ann" ? path : world(path);
        return metBy({}, [], denialHints(line, "failed", { ...POLICY, sandbox }, inside)).notes;
      });
      for (const one of told) assertEquals(one, told[0], `${sandbox}: ${line}`);
    }
  }
});

Deno.test("denialHints() reads a redirection below ~ as writing, and never advises the whole home for a file", () => {
  const path = "/home/ann/.bashrc";
  const output = `/bin/bash: line 1: ${path}: Permission denied\n`;
  const note =
    `Sandbox: ${path} is outside the write scope. ${ONLY}, with --allow-write=+${path} if the file exists; ` +
    "for temporary files use $TMPDIR.";
  for (const command of ["echo x >> ~/.bashrc", `echo x >> ${path}`]) {
    assertEquals(
      denialHints(output, "failed", POLICY, (at) => at, command),
      [{ note, denial: { kind: "write", target: path } }],
      command,
    );
  }
});
