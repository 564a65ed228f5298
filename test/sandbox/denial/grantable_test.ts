import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Denial } from "../../../src/core/event.ts";
import { covers, type Policy } from "../../../src/core/policy.ts";
import type { DenialClaim } from "../../../src/sandbox/denial/claim.ts";
import { allows, grantable, startOption, whyClosed } from "../../../src/sandbox/denial/grantable.ts";
import { widen } from "../../../src/sandbox/denial/widen.ts";
import { netEnvironment } from "../../../src/sandbox/policy/environment.ts";
import { LIMITS } from "../shell_fixture.ts";

const NOTHING = { all: false, list: [] };
const POLICY: Policy = {
  root: "/home/ann/project",
  home: "/home/ann",
  tmp: "/tmp/private",
  cache: "/home/ann/.cache/sandpiper",
  read: { all: false, list: ["/home/ann/project", "/usr"] },
  write: { all: false, list: ["/home/ann/project"] },
  run: NOTHING,
  net: NOTHING,
  env: { PATH: "/usr/bin:/bin" },
  denyRead: ["/home/ann/.ssh", "/srv/denied", "/etc/shadow"],
  denyWrite: ["/home/ann/.ssh", "/srv/denied", "/srv/frozen"],
  protected: ["/home/ann/project/.git/config", "/srv/other/.git/hooks"],
  limits: LIMITS,
  sandbox: "kernel+",
};

/** The disk of the cases: `/srv/link` leads to the keys, `/srv/alias` to data. */
const LINKS: Readonly<Record<string, string>> = { "/srv/link": "/home/ann/.ssh", "/srv/alias": "/srv/data" };
const THERE = ["/", "/srv", "/srv/data", "/srv/frozen", "/home", "/home/ann", "/home/ann/.ssh"];
const realPath = (path: string): string | undefined => LINKS[path] ?? (THERE.includes(path) ? path : undefined);

type Case = readonly [claim: string, denied: DenialClaim, grant: Denial | undefined, policy?: Partial<Policy>];
const read = (target: string): DenialClaim => ({ kind: "read", target });
const write = (target: string): DenialClaim => ({ kind: "write", target });
const run = (target: string): DenialClaim => ({ kind: "run", target });
const net = (target: string): DenialClaim => ({ kind: "net", target });

const CASES: readonly Case[] = [
  ["a file to read", read("/srv/data/a.csv"), { ...read("/srv/data/a.csv"), grant: "/srv/data/a.csv" }],
  ["a trailing slash", read("/srv/data/"), { ...read("/srv/data"), grant: "/srv/data" }],
  ["dots in a path", read("/srv/data/../data/./a"), { ...read("/srv/data/a"), grant: "/srv/data/a" }],
  ["a link to data", read("/srv/alias/a"), { ...read("/srv/data/a"), grant: "/srv/data/a" }],
  ["the whole disk", read("/"), { ...read("/"), grant: "*" }],
  ["a link to a secret", read("/srv/link/id"), undefined],
  ["dots that lead to a secret", read("/srv/data/../../home/ann/.ssh/id"), undefined],
  ["a secret", read("/home/ann/.ssh"), undefined],
  ["a secret in other letters", read("/home/ann/.SSH/id"), undefined],
  ["a secret with an invisible letter", read("/home/ann/.s\u200csh/id"), undefined],
  ["a denied folder", read("/srv/denied/a"), undefined],
  ["what may be read already", read("/usr/share"), undefined],
  ["the kernel's own", read("/proc/1/environ"), undefined],
  ["a device", write("/dev/sda"), undefined],
  ["a relative path", read("data"), undefined],
  ["a tilde", read("~/x"), undefined],
  ["a name that ends a line", read("/srv/a\nb"), undefined],
  ["a name that steers a terminal", read("/srv/\u001b[2Ja"), undefined],
  ["a name in C1", read("/srv/\u009b2Ja"), undefined],
  ["a name that reads backwards", read("/srv/\u202eexe.txt"), undefined],
  ["half of a character", read("/srv/\ud800"), undefined],
  ["a NUL", read("/srv/a\0b"), undefined],
  ["a file to write", write("/srv/data/new"), { ...write("/srv/data/new"), grant: "/srv/data" }],
  ["a folder to write", write("/srv/data"), { ...write("/srv/data"), grant: "/srv" }],
  // Asked about it a person says yes to what stands there: it must be the same claim then.
  ["a folder itself to write", write("/srv/data/"), { ...write("/srv/data/"), grant: "/srv/data" }],
  ["a link to write through", write("/srv/alias/new"), { ...write("/srv/data/new"), grant: "/srv/data" }],
  ["a denied folder to write", write("/srv/frozen/a"), undefined],
  ["a secret to write", write("/home/ann/.ssh/authorized_keys"), undefined],
  ["what is protected", write("/srv/other/.git/hooks/x"), undefined],
  ["a start-up file of the home", write("/home/ann/.bashrc"), undefined],
  ["the workspace's neighbour", write("/home/ann/other.txt"), undefined],
  ["a folder above the home", write("/home/new"), undefined],
  ["a folder of the root", write("/new"), undefined],
  ["a program", run("env"), { ...run("env"), grant: "env" }],
  ["a program that there is not", run("no-such-program-at-all"), undefined],
  ["a program by a relative path", run("./x"), undefined],
  ["a program with words", run("env -S sh"), undefined],
  ["several programs", run("env,sh"), undefined],
  ["a listed program", run("env"), undefined, { run: { all: false, list: ["env"] } }],
  ["a program where all may run", run("env"), undefined, { run: { all: true, list: [] } }],
  ["a program where nothing confines it", run("env"), undefined, { sandbox: "permissions" }],
  ["a host", net("Example.COM.:443"), { ...net("example.com:443"), grant: "example.com:443" }],
  ["a host without a port", net("example.com"), { ...net("example.com"), grant: "example.com" }],
  ["a host at the level kernel", net("example.com"), { ...net("example.com"), grant: "*" }, { sandbox: "kernel" }],
  ["a host at the level kernel where it can be held to", net("example.com"), {
    ...net("example.com"),
    grant: "example.com",
  }, { sandbox: "kernel", holdsHosts: true }],
  ["a host beside others at the level kernel", net("b.test"), { ...net("b.test"), grant: "b.test" }, {
    sandbox: "kernel",
    net: { all: false, list: ["a.test"] },
  }],
  ["the network", net("*"), { ...net("*"), grant: "*" }, { sandbox: "kernel" }],
  ["the network where hosts can be listed", net("*"), undefined],
  ["all names below a host", net("*.example.com"), undefined],
  ["several hosts", net("a.test,b.test"), undefined],
  ["a page", net("https://a.test/"), undefined],
  ["a metadata service", net("169.254.169.254:80"), undefined],
  ["a metadata service in disguise", net("[::ffff:169.254.169.254]:80"), undefined],
  ["a listed host", net("a.test:443"), undefined, { net: { all: false, list: ["a.test"] } }],
  ["a host where all is open", net("a.test:443"), undefined, { net: { all: true, list: [] } }],
];

for (const [claim, denied, expected, change] of CASES) {
  Deno.test(`grantable() ${expected ? "offers the smallest grant for" : "offers nothing for"} ${claim} R480`, () => {
    const policy = { ...POLICY, ...change };
    const offered = grantable(denied, policy, realPath);
    assertEquals(offered, expected);
    // What is offered lifts the denial.
    if (offered) assertEquals([allows(policy, offered), allows(widen(policy, offered), offered)], [false, true]);
  });
}

Deno.test("grantable() offers no secret, denied, protected or kernel path, whatever is claimed R471 R480", () => {
  const parts = ["srv", "home", "ann", ".ssh", ".SSH", "..", ".", "", "link", "alias", "denied", "proc", "frozen", "a"];
  const path = fc.array(fc.constantFrom(...parts), { maxLength: 6 }).map((names) => `/${names.join("/")}`);
  const closed = [...POLICY.denyRead, "/proc", "/dev", "/sys"].map((name) => ({ all: false, list: [name] }));
  const frozen = [...closed, { all: false, list: [...POLICY.denyWrite, ...POLICY.protected] }];
  fc.assert(
    fc.property(fc.constantFrom("read" as const, "write" as const), path, (kind, target) => {
      const offered = grantable({ kind, target }, POLICY, realPath);
      if (!offered) return true;
      const shut = kind === "read" ? closed : frozen;
      return !shut.some((scope) => covers(scope, offered.target)) && (realPath(offered.grant) ?? offered.grant) ===
          (offered.grant);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("widen() adds one grant and changes nothing else; denials stay R477", () => {
  const before = structuredClone(POLICY);
  assertEquals(widen(POLICY, { kind: "read", grant: "/srv" }), {
    ...before,
    read: { all: false, list: [...POLICY.read.list, "/srv"] },
  });
  assertEquals(widen(POLICY, { kind: "write", grant: "/srv" }), {
    ...before,
    read: { all: false, list: [...POLICY.read.list, "/srv"] },
    write: { all: false, list: [...POLICY.write.list, "/srv"] },
  });
  assertEquals(widen(POLICY, { kind: "net", grant: "*" }), { ...before, net: { all: true, list: [] } });
  const closed = { ...POLICY, env: netEnvironment({ A: "1" }, POLICY) };
  assertEquals(closed.env["npm_config_fetch_retries"], "0");
  assertEquals(widen(closed, { kind: "net", grant: "*" }).env, { A: "1" });
  assertEquals(widen(closed, { kind: "read", grant: "/srv" }).env, closed.env);
  assertEquals(POLICY, before);
});

Deno.test("whyClosed() says why nobody can be asked, and nothing of what was not denied R480", () => {
  const why = (kind: Denial["kind"], target: string, more: Partial<Policy> = {}) =>
    whyClosed({ kind, target }, { ...POLICY, ...more }, (path) => path);
  assertEquals(why("read", "/home/ann/project/x"), undefined);
  assertEquals(why("net", "a.test", { net: { all: true, list: [] } }), undefined);
  assertEquals(
    why("read", `${POLICY.denyRead[0]}/x`),
    "it may hold secrets, and no grant opens it",
  );
  const denied = { denyRead: ["/srv/denied"], deniedFor: { asked: ["/srv/denied"], own: [] } };
  assertEquals(
    why("read", "/srv/denied/x", denied),
    "it was denied with --deny-read or a setting, and no grant opens it",
  );
  assertEquals(
    why("read", "/srv", { ...denied, read: { all: false, list: ["/srv"] } }),
    "what is in it was denied with --deny-read or a setting; what else is in it can be read by its name",
  );
  assertEquals(why("read", "/proc/1/environ"), "no grant opens /proc, /dev and /sys");
  assertEquals(why("write", `${POLICY.root}/sub/.git/config`), "it is protected, and no grant opens it");
  assertEquals(why("read", "/srv/\u001bx"), "its name has characters that cannot be seen, so that nobody is asked");
  const option = (kind: Denial["kind"], target: string) => startOption({ kind, target }, POLICY, (path) => path);
  assertEquals(
    ["/home/ann/x", POLICY.denyRead[0] ?? "", "/srv/x", "/proc/1", "/srv/\u001bx"].map((path) => option("write", path)),
    ["--allow-write=+/home/ann/x", undefined, undefined, undefined, undefined],
  );
  assertEquals(why("write", POLICY.protected[0] ?? ""), "it is protected, and no grant opens it");
  assertEquals(
    why("write", "/home/ann/x"),
    "it is outside the write scope; only the command line can allow it, with --allow-write=+/home/ann/x",
  );
  // It could be granted, but for what takes it away again.
  assertEquals(why("read", "/srv/x"), "--read-only or the project's settings forbid it");
});

Deno.test("startOption() advises the home directory for a new file alone, and never what a grant of it leaves out", () => {
  const existing = ["/home/ann/notes", "/home/ann/.bashrc"];
  const realPath = (path: string) => existing.includes(path) || !/\.\w+$|new$|notes$/.test(path) ? path : undefined;
  const option = (target: string) => startOption({ kind: "write", target }, POLICY, realPath);
  assertEquals(
    ["/home/ann/notes", "/home/ann/.bashrc", "/home/ann/new", "/home/ann/", "/home/ann/.zshrc"].map(option),
    [
      ...["--allow-write=+/home/ann/notes", "--allow-write=+/home/ann/.bashrc"],
      ...["--allow-write=+/home/ann/", "--allow-write=+/home/ann/", undefined],
    ],
  );
  assertEquals(
    whyClosed({ kind: "write", target: "/home/ann/.zshrc" }, POLICY, realPath),
    "programs run or load it at their start: only you can create it",
  );
});
